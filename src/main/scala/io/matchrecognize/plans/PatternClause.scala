package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DataType, NullType}

import io.matchrecognize.expressions.Navigation
import io.matchrecognize.pattern.{AfterMatchSkip, RowPattern}

/**
 * The row pattern recognition clause (ISO/IEC 9075-2), carried whole from the parser to the tasks.
 * It is an expression so that Catalyst's rules see the expressions in it; it has no value.
 *
 * @param measures
 *   without their names, which the plan nodes hold in the same order
 * @param within
 *   the bound of WITHIN; a [[WithinBound]] once resolved
 * @param definedVariables
 *   the variables of `conditions`, in the same order; as DEFINE spells them until resolved
 * @param variables
 *   the session variables that the resolved clause has read: Spark looks for them in the plan of a
 *   view
 * @param readsClock
 *   whether a condition reads the current time, which is a constant once optimised
 * @param frameEnd
 *   of a row pattern window: how many rows of its frame follow the current row, None if all; a
 *   literal once resolved
 */
final case class PatternClause(
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    measures: Seq[Expression],
    rowsPerMatch: RowsPerMatch,
    afterMatchSkip: AfterMatchSkip[String],
    pattern: RowPattern,
    within: Option[Expression],
    subsets: Seq[Subset],
    definedVariables: Seq[String],
    conditions: Seq[Expression],
    frameEnd: Option[Expression] = None,
    variables: Seq[Expression] = Nil,
    readsClock: Boolean = false
) extends Expression
    with ManyChildren[Expression]
    with Unevaluable {
  // Rules ask for them again and again; a task that has the clause makes its own.
  @transient override lazy val children: Seq[Expression] =
    partitionSpec ++ orderSpec ++ measures ++ within ++ conditions ++ frameEnd ++ variables
  override def dataType: DataType = NullType
  override def nullable: Boolean = true

  @transient @volatile private var kept = Option.empty[(Seq[PatternClause], Any, Any)]

  /**
   * What was made of these very clauses, the first of which is this one, with an equal key, if it
   * was the last; else makes it. An equal clause will not do: a subquery in it may not have run.
   */
  def once[T](clauses: Seq[PatternClause], key: Any)(make: => T): T = kept match {
    case Some((same, `key`, made)) if same.corresponds(clauses)(_ eq _) => made.asInstanceOf[T]
    case _ =>
      val made = make
      kept = Some((clauses, key, made))
      made
  }

  /** The bound of WITHIN of a resolved clause. */
  def bound: Option[WithinBound] = within.collect { case bound: WithinBound => bound }

  /** Each condition with its variable. */
  def definitions: Seq[(String, Expression)] = definedVariables.zip(conditions)

  /** Whether it has NEXT. */
  def readsAhead: Boolean = (measures ++ conditions).exists(_.exists {
    case Navigation(_, target) => target.physicalOffset > 0
    case _ => false
  })

  override def toString: String =
    s"${list(partitionSpec)}, ${list(orderSpec)}, $rows, ${afterMatchSkip.sql}, (${pattern.sql})"

  /** Rows per match, or the frame of a window. */
  def rows: String =
    if (!rowsPerMatch.isEachRow) rowsPerMatch.sql
    else
      s"ROWS BETWEEN CURRENT ROW AND ${frameEnd.fold("UNBOUNDED")(_.sql)} FOLLOWING " +
        rowsPerMatch.sql

  /** One line for a physical operator in plans, after its name. */
  def line: String = s"$this${within.map(w => s" $w").mkString}"

  /**
   * The clause part by part, for EXPLAIN FORMATTED.
   *
   * @param more
   *   the operator's own lines, each a heading and a text
   */
  def lines(
      nodeName: String,
      input: Seq[Expression],
      measureNames: Seq[String],
      more: Seq[(String, String)]
  ): String = {
    val order =
      if (orderSpec.isEmpty) "none: the order of rows is not determined" else list(orderSpec)
    val parts = Seq(
      "Input" -> list(input),
      "Partition" -> list(partitionSpec),
      "Order" -> order,
      "Measures" -> list(measures.zip(measureNames).map { case (m, name) => s"$m AS $name" }),
      (if (rowsPerMatch.isEachRow) "Frame" else "Rows") -> rows,
      "Skip" -> s"AFTER MATCH ${afterMatchSkip.sql}",
      "Pattern" -> s"(${pattern.sql})"
    ) ++ bound.map(w => "Within" -> w.bound.sql) ++
      Option.when(subsets.nonEmpty)("Subset" -> subsets.map(_.sql).mkString(", ")) ++
      Seq("Define" -> list(definitions.map { case (v, c) => s"$v AS $c" })) ++ more
    parts.map { case (name, text) => s"$name: $text" }.mkString(s"\n$nodeName\n", "\n", "\n")
  }

  private def list(items: Seq[Any]): String = items.mkString("[", ", ", "]")

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): PatternClause = {
    val rest = newChildren.iterator
    copy(
      partitionSpec = partitionSpec.map(_ => rest.next()),
      orderSpec = orderSpec.map(_ => rest.next().asInstanceOf[SortOrder]),
      measures = measures.map(_ => rest.next()),
      within = within.map(_ => rest.next()),
      conditions = conditions.map(_ => rest.next()),
      frameEnd = frameEnd.map(_ => rest.next()),
      variables = variables.map(_ => rest.next())
    )
  }
}

/**
 * WITHIN: the last row's leading ORDER BY key may be at most `bound` after the first row's. The
 * bound is a literal, not NULL, not negative and of the key's kind.
 *
 * @param timeZone
 *   the session's, whose calendar counts months on a TIMESTAMP
 */
final case class WithinBound(bound: Expression, timeZone: String)
    extends UnaryExpression
    with Unevaluable {
  override def child: Expression = bound
  override def dataType: DataType = bound.dataType
  override def nullable: Boolean = false
  override def sql: String = s"WITHIN ${bound.sql}"
  override def toString: String = sql
  override protected def withNewChildInternal(newChild: Expression): WithinBound =
    copy(bound = newChild)
}
