package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{
  LogicalPlan,
  SupportsNonDeterministicExpression,
  UnaryNode
}
import org.apache.spark.sql.types.{DataType, NullType, StringType}

import io.matchrecognize.shims.StatefulNode

/**
 * A clause and what the query makes of its rows: a branch of a UNION ALL. It is an expression for
 * the same reason as the clause.
 *
 * @param filter
 *   over the input and the measures; rows for which it is not TRUE are dropped
 * @param columns
 *   over the same, those of the rows that are left; no aliases, which Spark's rules remove
 * @param names
 *   of these columns
 * @param stream
 *   what the clause has in addition over a stream
 */
final case class ClauseBranch(
    clause: PatternClause,
    measureOutput: Seq[Attribute],
    filter: Option[Expression],
    columns: Seq[Expression],
    names: Seq[String],
    stream: Option[StreamClause] = None
) extends Expression
    with ManyChildren[Expression]
    with Unevaluable {
  @transient override lazy val children: Seq[Expression] = (clause +: filter.toSeq) ++ columns
  override def dataType: DataType = NullType
  override def nullable: Boolean = true

  /** The columns of the input that it reads. */
  @transient lazy val inputReferences: AttributeSet = references -- AttributeSet(measureOutput)

  /** What tells its rows from those of other branches: its first constant text. */
  def label: Option[String] = columns
    .flatMap(_.collectFirst { case NonNullLiteral(text, _: StringType) => text.toString })
    .headOption

  // The ids of the measures are its own, and none of a column of the input.
  override lazy val canonicalized: Expression = {
    val own = measureOutput.zipWithIndex.map { case (a, i) =>
      a.withName("").withExprId(ExprId(-1 - i))
    }
    val ids = AttributeMap(measureOutput.zip(own))
    def normal(e: Expression) =
      e.transform { case a: Attribute => ids.getOrElse(a, a) }.canonicalized
    ClauseBranch(
      clause.canonicalized.asInstanceOf[PatternClause],
      own,
      filter.map(normal),
      columns.map(normal),
      Nil,
      stream
    )
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): ClauseBranch = {
    val rest = newChildren.iterator
    copy(
      clause = rest.next().asInstanceOf[PatternClause],
      filter = filter.map(_ => rest.next()),
      columns = columns.map(_ => rest.next())
    )
  }
}

/**
 * A UNION ALL of clauses that search one input by equal PARTITION BY and ORDER BY: it is read,
 * distributed and sorted once. `MergeClauses`, `MergeQuery` and `MergeStreams` make it of a Union;
 * the ids of its output are its own.
 */
final case class MatchRecognizeUnion(
    branches: Seq[ClauseBranch],
    output: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode
    with SupportsNonDeterministicExpression
    with StatefulNode {

  // The clock is one in a micro-batch.
  override def allowNonDeterministicExpression: Boolean = true

  override def producedAttributes: AttributeSet =
    AttributeSet(branches.flatMap(_.measureOutput) ++ output)
  override def metadataOutput: Seq[Attribute] = Nil

  override def simpleString(maxFields: Int): String =
    s"${statePrefix}MatchRecognize of ${branches.length} patterns ${branches.map(_.clause).mkString("; ")}"

  override protected def withNewChildInternal(newChild: LogicalPlan): MatchRecognizeUnion =
    copy(child = newChild)
}

/** Matches a clause, or several over one input: their branches, output and input. */
object ClauseBranches {
  def unapply(plan: LogicalPlan): Option[(Seq[ClauseBranch], Seq[Attribute], LogicalPlan)] =
    plan match {
      case MatchRecognizeUnion(branches, output, child) => Some((branches, output, child))
      case m: MatchRecognize =>
        val output = m.output
        val branch =
          ClauseBranch(m.clause, m.measureOutput, None, output, output.map(_.name), m.stream)
        Some((Seq(branch), output, m.child))
      case _ => None
    }
}

/**
 * A whole query whose clauses are merged. The cache compares it as it is written, because it may be
 * a part of other queries, in which its clauses are not merged yet.
 */
final case class MergedQuery(child: LogicalPlan)(written: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def doCanonicalize(): LogicalPlan = written.canonicalized
  override protected def otherCopyArgs: Seq[AnyRef] = written :: Nil
  override protected def withNewChildInternal(newChild: LogicalPlan): MergedQuery =
    copy(child = newChild)(written)
}
