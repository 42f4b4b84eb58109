package io.matchrecognize.optimizer

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.planning.PhysicalOperation
import org.apache.spark.sql.catalyst.plans.logical.{LocalLimit, LogicalPlan, Project, Union}
import org.apache.spark.sql.catalyst.rules.Rule

import io.matchrecognize.expressions.LiteralTexts
import io.matchrecognize.plans.{ClauseBranch, MatchRecognize, MatchRecognizeUnion, PatternClause}

/**
 * Matches a UNION ALL and merges those of its branches that are clauses over the same input with
 * equal PARTITION BY and ORDER BY, with projections and filters above each. The input is then read,
 * distributed and sorted once, and a condition that several of them have is tested once. Each group
 * takes the place of its first branch; other branches stay as they are.
 *
 * It sees a clause before its input is pruned to the columns that the clause reads, see
 * `MatchRecognize.isSettled`, and after Spark has pushed filters into the branches.
 *
 * Not merged: row pattern windows, streams, and what is not deterministic. Nor are filters and
 * projections that a node of their own has to evaluate, as those with subqueries and Python
 * functions.
 */
object MergeClauses extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    // Spark has pushed the limit into the branches, where it is of use only to each alone.
    case limit @ LocalLimit(rows, union: Union) =>
      val branches = union.children.map {
        case LocalLimit(same, branch) if same == rows => branch
        case other => other
      }
      val merged = merge(union.copy(children = branches))
      if (merged.isInstanceOf[Union] && merged.children.length == branches.length) limit
      else limit.copy(child = merged)
    case union: Union => merge(union)
  }

  private def merge(union: Union): LogicalPlan = {
    val groups = mutable.LinkedHashMap.empty[Any, Seq[(LogicalPlan, Option[Candidate])]]
    union.children.foreach { branch =>
      val candidate = Candidate.of(branch)
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

  /** Equal for branches that may be merged. */
  def key: Any = {
    val child = node.child
    def bound(e: Expression) = BindReferences.bindReference(e, child.output)
    val keys = node.clause.partitionSpec.map(bound)
    val order = node.clause.orderSpec.map(k => (bound(k.child), k.direction, k.nullOrdering))
    val read = child.collect { case plan => plan.expressions }.flatten
    (child.canonicalized, keys, order, LiteralTexts(read ++ keys ++ order.map(_._1): _*))
  }

  /** The same over the input of another candidate with an equal key. */
  def over(input: Seq[Attribute]): ClauseBranch = {
    val to = AttributeMap(node.child.output.zip(input))
    def moved[E <: Expression](e: E): E =
      e.transform { case a: Attribute => to.get(a).map(_.withName(a.name)).getOrElse(a) }
        .asInstanceOf[E]
    val read = AttributeSet(columns.flatMap(_.references) ++ filter.toSeq.flatMap(_.references))
    val (measures, measureOutput) = node.clause.measures
      .zip(node.measureOutput)
      .filter { case (_, attribute) =>
        read.contains(attribute)
      }
      .unzip
    ClauseBranch(
      moved[PatternClause](node.clause.copy(measures = measures)),
      measureOutput,
      filter.map(moved(_)),
      columns.map {
        case Alias(child, _) => moved(child)
        case column => moved[Expression](column)
      },
      columns.map(_.name)
    )
  }
}

private object Candidate {
  def of(branch: LogicalPlan): Option[Candidate] = branch match {
    case PhysicalOperation(columns, filters, node: MatchRecognize)
        if !node.isSettled && node.stream.isEmpty && !node.clause.rowsPerMatch.isEachRow &&
          node.deterministic && (columns ++ filters).forall(isPlain) =>
      Some(Candidate(node, filters.reduceOption(And(_, _)), columns))
    case _ => None
  }

  private def isPlain(e: Expression): Boolean = e.deterministic && !e.exists {
    case _: Attribute => false
    case other => other.isInstanceOf[Unevaluable]
  }
}
