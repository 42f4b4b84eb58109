package io.matchrecognize.plans

import java.util.UUID

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.DataType

import io.matchrecognize.expressions.LiteralTexts

/**
 * A UNION ALL whose branches that are clauses over one input, with equal PARTITION BY and ORDER BY,
 * are one [[MatchRecognizeUnion]] in the place of the first of them. It is the same node if no two
 * are.
 */
object MergedUnion {
  def apply(union: Union, isStream: Boolean): LogicalPlan = {
    val groups = mutable.LinkedHashMap.empty[Any, Seq[(LogicalPlan, Option[Candidate])]]
    union.children.foreach { branch =>
      val candidate = Candidate.of(branch).filter(_.isStream == isStream)
      // Others are a group of their own.
      val key = candidate.map(_.key).getOrElse(new Object)
      groups(key) = groups.getOrElse(key, Vector.empty) :+ (branch -> candidate)
    }
    if (groups.size == union.children.length || union.byName) union
    else {
      val children = groups.values.map { group =>
        if (group.length == 1) group.head._1 else merged(group.flatMap(_._2), group.map(_._1))
      }.toSeq
      val first = children.head match {
        case node: MatchRecognizeUnion =>
          // Its columns have the ids of the union's, by which they are read above.
          Project(
            node.output.zip(union.output).map { case (c, o) => Alias(c, o.name)(o.exprId) },
            node
          )
        case branch => branch
      }
      if (children.length == 1) first else union.copy(children = first +: children.tail)
    }
  }

  private def merged(candidates: Seq[Candidate], plans: Seq[LogicalPlan]): LogicalPlan = {
    val input = candidates.head.node.child
    val branches = candidates.map(_.over(input.output))
    // Spark prunes the columns of a Project.
    val read = AttributeSet.fromAttributeSets(branches.map(_.inputReferences))
    val pruned = Project(input.output.filter(read.contains), input)
    // Each column has an id of its own. As columns of the first branch's input, two could be one,
    // or said to be never NULL, although those of another branch are not.
    MatchRecognizeUnion(branches, Union(plans).output.map(_.newInstance()), pruned)
  }
}

/** A branch of a UNION ALL that may be merged with others. */
private final case class Candidate(
    node: MatchRecognize,
    filter: Option[Expression],
    columns: Seq[NamedExpression]
) {

  def isStream: Boolean = node.stream.nonEmpty

  /** Equal for branches that may be merged. */
  def key: Any = {
    val child = node.child
      .transform { case watermark: EventTimeWatermark =>
        // Each reference to a stream without a watermark gets one of its own.
        watermark.copy(nodeId = Candidate.AnyNode)
      }
      .transformAllExpressionsWithSubqueries { case e: CommutativeExpression =>
        e.withNewChildren(e.children.zipWithIndex.map { case (child, i) => Placed(child, i) })
      }
    def bound(e: Expression) = BindReferences.bindReference(e, child.output)
    val keys = node.clause.partitionSpec.map(bound)
    val order = node.clause.orderSpec.map(k => (bound(k.child), k.direction, k.nullOrdering))
    val read = child.collect { case plan => plan.expressions }.flatten
    // Columns with a watermark are those of all branches or of none.
    val times = columns.map(_.metadata.contains(EventTimeWatermark.delayKey))
    val inOrder = node.stream.map(_.inOrderOfArrival)
    val texts = LiteralTexts(read ++ keys ++ order.map(_._1): _*)
    (child.canonicalized, keys, order, texts, inOrder, times.filter(_ => isStream))
  }

  /** The same over the input of another candidate with an equal key. */
  def over(input: Seq[Attribute]): ClauseBranch = {
    val to = AttributeMap(node.child.output.zip(input))
    def moved[E <: Expression](e: E): E =
      e.transform { case a: Attribute => to.get(a).map(_.withName(a.name)).getOrElse(a) }
        .asInstanceOf[E]
    val read = AttributeSet(columns.flatMap(_.references) ++ filter.toSeq.flatMap(_.references))
    // The measures of a stream determine its state, whatever is selected of them.
    val pruned = if (isStream) node else node.pruned(read.contains)
    ClauseBranch(
      moved(pruned.clause),
      pruned.measureOutput,
      filter.map(moved(_)),
      columns.map {
        case Alias(child, _) => moved(child)
        case column => moved[Expression](column)
      },
      columns.map(_.name),
      node.stream
    )
  }
}

/**
 * An operand in its place, from which Spark's canonical form would move it: floating-point numbers
 * have other sums in another order, and an error may be met or not.
 */
private final case class Placed(child: Expression, place: Int)
    extends UnaryExpression
    with CodegenFallback {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = child.nullable
  override def eval(input: InternalRow): Any = child.eval(input)
  override protected def withNewChildInternal(newChild: Expression): Placed =
    copy(child = newChild)
}

private object Candidate {
  private val AnyNode = new UUID(0L, 0L)

  def of(branch: LogicalPlan): Option[Candidate] = branch match {
    case PhysicalOperation(columns, filters, node: MatchRecognize)
        if !node.isSettled && !node.clause.rowsPerMatch.isEachRow &&
          node.deterministic && (columns ++ filters).forall(isPlain) =>
      Some(Candidate(node, filters.reduceOption(And(_, _)), columns))
    case _ => None
  }

  private def isPlain(e: Expression): Boolean = e.deterministic && !e.exists {
    case _: Attribute => false
    case other => other.isInstanceOf[Unevaluable]
  }
}
