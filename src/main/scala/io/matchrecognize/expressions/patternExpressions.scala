package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.expressions.{
  DefaultStringProducingExpression,
  Expression,
  LeafExpression,
  UnaryExpression,
  Unevaluable
}
import org.apache.spark.sql.types.{DataType, LongType, StringType}

/**
 * The row that a row pattern navigation reads (ISO/IEC 9075-2, row pattern navigation operation).
 *
 * The logical target is the `offset`-th row of `variable`, from the first one or back from the last
 * one, among the rows mapped so far or, if `isFinal`, among all rows of the match; the row read is
 * `physicalOffset` rows after it within the partition.
 *
 * @param variable
 *   primary variable as PATTERN spells it, or union variable as SUBSET spells it; None for all rows
 */
final case class NavigationTarget(
    variable: Option[String],
    fromFirst: Boolean,
    offset: Int,
    isFinal: Boolean,
    physicalOffset: Int
) {

  /** The navigation as SQL text around `argument`. */
  def sql(argument: String): String = {
    val mode = if (isFinal) "FINAL " else ""
    val suffix = if (offset > 0) s", $offset" else ""
    val of = variable.map(v => s" OF $v").getOrElse("")
    val logical = s"$mode${if (fromFirst) "FIRST" else "LAST"}($argument$suffix$of)"
    physicalOffset match {
      case 0 => logical
      case n if n < 0 => s"PREV($logical, ${-n})"
      case n => s"NEXT($logical, $n)"
    }
  }
}

object NavigationTarget {

  /** The last row mapped so far: for a condition the one under test. */
  val LastRow: NavigationTarget =
    NavigationTarget(None, fromFirst = false, offset = 0, isFinal = false, physicalOffset = 0)
}

/**
 * The value of `child` on the target row; NULL if there is no such row, whatever `child` is.
 * `child` reads columns of the input, CLASSIFIER and MATCH_NUMBER on that row.
 */
final case class Navigation(child: Expression, target: NavigationTarget)
    extends UnaryExpression
    with Unevaluable {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = true
  override def toString: String = target.sql(child.toString)
  override def sql: String = target.sql(child.sql)
  override protected def withNewChildInternal(newChild: Expression): Navigation =
    copy(child = newChild)
}

/**
 * An aggregate over the rows of one variable (ISO/IEC 9075-2, set function in row pattern
 * recognition): those mapped so far, or those of the whole match if `isFinal`.
 *
 * It contains the bare function, because Spark refuses an AggregateExpression outside its own
 * operators.
 *
 * @param written
 *   in DEFINE over a stream its text, by which the state knows it, whatever the optimizer makes of
 *   its arguments; empty elsewhere
 */
final case class PatternAggregate(
    function: Expression,
    isDistinct: Boolean,
    filter: Option[Expression],
    variable: Option[String],
    isFinal: Boolean,
    written: String = ""
) extends Expression
    with Unevaluable {
  override def children: Seq[Expression] = function +: filter.toSeq
  override def dataType: DataType = function.dataType
  override def nullable: Boolean = true

  def aggregateFunction: AggregateFunction = function.asInstanceOf[AggregateFunction]

  override def toString: String = text(_.toString)
  override def sql: String = text(_.sql)

  private def text(of: Expression => String): String = {
    val mode = if (isFinal) "FINAL " else ""
    val distinct = if (isDistinct) " DISTINCT" else ""
    val rows = variable.map(v => s" OF $v").getOrElse("")
    val where = filter.map(f => s" FILTER (WHERE ${of(f)})").getOrElse("")
    s"$mode${of(function)}$distinct$rows$where"
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): PatternAggregate =
    copy(function = newChildren.head, filter = newChildren.drop(1).headOption)
}

/**
 * CLASSIFIER: the name of the primary variable that the row is mapped to. In a navigation or
 * aggregate it refers to the row read; elsewhere analysis wraps it in a navigation.
 */
final case class Classifier(variable: Option[String])
    extends LeafExpression
    with Unevaluable
    with DefaultStringProducingExpression {
  override def dataType: DataType = StringType
  override def nullable: Boolean = true
  override def toString: String = s"CLASSIFIER(${variable.getOrElse("")})"
  override def sql: String = toString
}

/** MATCH_NUMBER(): number of the match within its partition, from 1. */
final case class MatchNumber() extends LeafExpression with Unevaluable {
  override def dataType: DataType = LongType
  override def nullable: Boolean = true
  override def toString: String = "MATCH_NUMBER()"
  override def sql: String = toString
}
