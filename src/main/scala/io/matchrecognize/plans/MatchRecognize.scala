package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeMap, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical._

import io.matchrecognize.shims.StatefulNode

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
 * Which columns are shown, and where, is fixed by the analysis: later two of them may become one,
 * when Spark's optimiser removes an alias, and each keeps its place in the output.
 *
 * Over a stream the first ORDER BY key is the event-time column, without the metadata by which
 * Spark knows it, and `stream` is set.
 *
 * `ResolveMatchRecognize` puts a Project of aliases above it, so that self-joins get new ids.
 *
 * @param keyColumns
 *   the columns that are shown before the measures; none of a window
 * @param otherColumns
 *   the columns that are shown after the measures, unless they are pruned below; none of a window,
 *   which shows all columns of its child
 * @param isSettled
 *   whether `MergeClauses` has seen it; until then all columns of its child are kept, because the
 *   inputs of two clauses are equal as long as they are not pruned
 */
final case class MatchRecognize(
    clause: PatternClause,
    keyColumns: Seq[Attribute],
    measureOutput: Seq[Attribute],
    otherColumns: Seq[Attribute],
    stream: Option[StreamClause],
    child: LogicalPlan,
    isSettled: Boolean = false
) extends UnaryNode
    with SupportsNonDeterministicExpression
    with StatefulNode {

  override def output: Seq[Attribute] =
    if (clause.rowsPerMatch.isEachRow) child.output ++ measureOutput
    else {
      val present = child.output.map(column => column.exprId -> column).toMap
      def shown(columns: Seq[Attribute]): Seq[Attribute] =
        columns.flatMap(column => present.get(column.exprId).map(_.withName(column.name)))
      shown(keyColumns) ++ measureOutput ++ shown(otherColumns)
    }

  /** The same without measures that are not kept. */
  def pruned(isKept: Attribute => Boolean): MatchRecognize = {
    val (measures, kept) =
      clause.measures.zip(measureOutput).filter { case (_, attribute) => isKept(attribute) }.unzip
    copy(clause.copy(measures = measures), measureOutput = kept)
  }

  override def metadataOutput: Seq[Attribute] = Nil
  override def producedAttributes: AttributeSet = AttributeSet(measureOutput)

  // Measures' attributes are among the expressions, but this node produces them. The columns that it
  // shows are not references, so that those that nothing reads are pruned.
  @transient override lazy val references: AttributeSet =
    if (isSettled || stream.nonEmpty) clause.references else clause.references ++ child.outputSet

  override def simpleString(maxFields: Int): String =
    s"$statePrefix${MatchRecognize.operatorName(clause)} $clause" +
      clause.measures
        .zip(measureOutput)
        .map { case (m, a) => s"$m AS $a" }
        .mkString(", [", ", ", "]") +
      clause.definitions.map { case (v, c) => s"$v AS $c" }.mkString(", [", ", ", "]")

  override def allowNonDeterministicExpression: Boolean = true

  // A rule that gives columns of the child new ids, as the one that pads CHAR, changes the ids only
  // of references; a column is where it was then.
  override protected def withNewChildInternal(newChild: LogicalPlan): MatchRecognize = {
    val renewed =
      if (otherColumns.isEmpty || !newChild.resolved) Nil
      else {
        val (before, after) = (child.output, newChild.output)
        val present = AttributeSet(after)
        before.zip(after).filter { case (old, column) =>
          before.length == after.length && old.name == column.name && !present.contains(old)
        }
      }
    if (renewed.isEmpty) copy(child = newChild)
    else {
      val ids = AttributeMap(renewed)
      copy(otherColumns = otherColumns.map(c => ids.getOrElse(c, c)), child = newChild)
    }
  }
}

object MatchRecognize {

  /** What plans call the operator of a clause. */
  def operatorName(clause: PatternClause): String =
    if (clause.rowsPerMatch.isEachRow) "RowPatternWindow" else "MatchRecognize"

  /** The node with the columns that the clause shows of its input. */
  def apply(
      clause: PatternClause,
      measureOutput: Seq[Attribute],
      child: LogicalPlan
  ): MatchRecognize = {
    def columns(keys: Seq[Expression]): Seq[Attribute] = keys.collect { case a: Attribute => a }
    val (keys, others) = clause.rowsPerMatch match {
      case RowsPerMatch.OneRow(_) => (columns(clause.partitionSpec), Nil)
      case RowsPerMatch.EachRow(_) => (Nil, Nil)
      case RowsPerMatch.AllRows(_) =>
        val keys = columns(clause.partitionSpec ++ clause.orderSpec.map(_.child))
        (keys, child.output.filterNot(AttributeSet(keys).contains))
    }
    val stream = Option.empty[StreamClause]
    MatchRecognize(clause, keys.distinctBy(_.exprId), measureOutput, others, stream, child)
  }
}

/**
 * Puts the alias above a clause that Spark puts above a derived table without one. An alias of the
 * user goes above it.
 *
 * If a name is unknown above an operator with one child, Spark looks for it below that operator, as
 * in `SELECT a FROM t ORDER BY b`, and stops at an alias only. Without it a column of the clause's
 * input, or a hidden one, would be found there before a column of an outer query.
 */
object ClauseResult {
  // Spark leaves this qualifier out of what it suggests for an unknown name.
  private final val Name = "__auto_generated_subquery_name"

  def apply(result: LogicalPlan): LogicalPlan = SubqueryAlias(Name, result)
}
