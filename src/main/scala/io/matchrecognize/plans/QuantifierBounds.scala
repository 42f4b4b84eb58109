package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, Unevaluable}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.{ByteType, DataType, IntegerType, LongType, NullType, ShortType}

import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.pattern.RowPattern.Quantified

/**
 * A quantifier with a bound that is a parameter or a session variable, until analysis knows its
 * value. The row pattern has `*` in its place.
 *
 * @param number
 *   which of the pattern's quantifiers it is, in the order in which their elements begin
 * @param isExact
 *   `{n}`, of which `lower` is the bound
 * @param element
 *   the text of what it repeats
 * @param places
 *   the origins of the bounds, which their values do not have
 */
final case class QuantifierBounds(
    number: Int,
    lower: Option[Expression],
    upper: Option[Expression],
    isExact: Boolean,
    element: String,
    places: Seq[Origin]
) extends Expression
    with Unevaluable {
  override def children: Seq[Expression] = lower.toSeq ++ upper
  override def dataType: DataType = NullType
  override def nullable: Boolean = true
  override def sql: String = text(lower.map(_.sql), upper.map(_.sql))
  override def toString: String = text(lower.map(_.toString), upper.map(_.toString))

  /** `{n,m}` with these texts of its bounds. */
  def text(lower: Option[String], upper: Option[String]): String =
    if (isExact) lower.mkString("{", "", "}")
    else s"{${lower.mkString},${upper.mkString}}"

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): QuantifierBounds = {
    val rest = newChildren.iterator
    copy(lower = lower.map(_ => rest.next()), upper = upper.map(_ => rest.next()))
  }
}

object QuantifierBounds {

  /** The bound that a constant is: an integer of at least 0. */
  def integer(value: Literal): Option[Long] = value match {
    case Literal(number: Number, ByteType | ShortType | IntegerType | LongType) =>
      Some(number.longValue).filter(_ >= 0)
    case _ => None
  }

  /** The bounds of a quantifier, None if they contradict each other or are too large. */
  def checked(lower: Option[Long], upper: Option[Long]): Option[(Int, Option[Int])] = {
    val least = lower.getOrElse(0L)
    val holds =
      least <= Int.MaxValue && upper.forall(u => u >= 1 && u >= least && u <= Int.MaxValue)
    Option.when(holds)((least.toInt, upper.map(_.toInt)))
  }

  /** The pattern with lower and upper bounds for the quantifiers of these numbers. */
  def bound(pattern: RowPattern, values: Map[Int, (Int, Option[Int])]): RowPattern = {
    var next = 0
    def visit(part: RowPattern): RowPattern = part match {
      case quantified: Quantified =>
        val number = next
        next += 1
        val own = values.get(number).fold(quantified) { case (lower, upper) =>
          quantified.copy(lower = lower, upper = upper)
        }
        own.mapChildren(visit)
      case other => other.mapChildren(visit)
    }
    visit(pattern)
  }
}
