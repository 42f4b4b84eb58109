package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{
  LogicalPlan,
  SupportsNonDeterministicExpression,
  UnaryNode
}

/**
 * MATCH_RECOGNIZE, resolved. One input row is a row of the table; one output row is a match (ONE
 * ROW) or a row of a match (ALL ROWS).
 *
 * Output: the PARTITION BY columns and the measures; with ALL ROWS the PARTITION BY columns, the
 * ORDER BY columns, the measures and the remaining columns of the child. An expression in PARTITION
 * BY or ORDER BY adds no column. A row pattern window: the columns of the child and the measures.
 *
 * Invariants: names of variables are spelled as in PATTERN (subsets: as in SUBSET) everywhere;
 * every column in measures and conditions is inside a [[io.matchrecognize.expressions.Navigation]]
 * or a [[io.matchrecognize.expressions.PatternAggregate]]; conditions are BOOLEAN.
 *
 * Over a stream the first ORDER BY key is the event-time column, without the metadata by which
 * Spark knows it, and `stream` is set.
 *
 * `ResolveMatchRecognize` puts a Project of aliases above it, so that self-joins get new ids.
 */
final case class MatchRecognize(
    clause: PatternClause,
    measureOutput: Seq[Attribute],
    stream: Option[StreamClause],
    child: LogicalPlan
) extends UnaryNode
    with SupportsNonDeterministicExpression {

  override def output: Seq[Attribute] = {
    val partitionColumns = columns(clause.partitionSpec)
    clause.rowsPerMatch match {
      case RowsPerMatch.OneRow(_) => partitionColumns ++ measureOutput
      case RowsPerMatch.EachRow(_) => child.output ++ measureOutput
      case RowsPerMatch.AllRows(_) =>
        val keys = partitionColumns ++ columns(clause.orderSpec.map(_.child))
        val keySet = AttributeSet(keys)
        val distinctKeys = keys.distinctBy(_.exprId)
        distinctKeys ++ measureOutput ++ child.output.filterNot(keySet.contains)
    }
  }

  private def columns(keys: Seq[Expression]): Seq[Attribute] =
    keys.collect { case a: Attribute => a }.distinctBy(_.exprId)

  override def metadataOutput: Seq[Attribute] = Nil
  override def producedAttributes: AttributeSet = AttributeSet(measureOutput)

  // A measure's attribute is among the expressions, but this node produces it.
  @transient override lazy val references: AttributeSet = clause.references

  override def simpleString(maxFields: Int): String =
    s"$statePrefix${clause.operatorName} $clause" +
      clause.measures
        .zip(measureOutput)
        .map { case (m, a) => s"$m AS $a" }
        .mkString(", [", ", ", "]") +
      clause.definitions.map { case (v, c) => s"$v AS $c" }.mkString(", [", ", ", "]")

  override def allowNonDeterministicExpression: Boolean = true

  override protected def withNewChildInternal(newChild: LogicalPlan): MatchRecognize =
    copy(child = newChild)
}
