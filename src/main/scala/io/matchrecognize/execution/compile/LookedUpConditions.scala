package io.matchrecognize.execution.compile

import java.nio.ByteOrder

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, Literal}
import org.apache.spark.sql.types._

import io.matchrecognize.execution.condition.{Ordinals, RowExpression}
import io.matchrecognize.execution.pointer.PointerField
import io.matchrecognize.expressions.ConditionShape.{EqualToConstants, Ordered}
import io.matchrecognize.expressions.{ConditionBit, ConditionShape, KeyDistances, OrderedFunctions}

/**
 * Conditions that are TRUE only where one column of the tested row is equal to one of some
 * constants, is on one side of a constant, or has a bit: one lookup says of all of them where they
 * are not TRUE.
 *
 * @param field
 *   the column, by its number and as it is
 * @param byValue
 *   for each constant, as Spark has it, the ids of the conditions that have it
 * @param byLeast
 *   the least value, by its `Ordinals`, and the id of those that need a large one; the least first
 * @param byMost
 *   the largest value and the id of those that need a small one; the largest first
 * @param byBit
 *   a bit and the id of those that need it
 * @param whole
 *   the ids of those that are TRUE wherever the column has such a value
 */
final case class LookedUpConditions(
    field: (Int, PointerField),
    byValue: Array[(Any, Array[Int])],
    byLeast: Array[(Long, Int)],
    byMost: Array[(Long, Int)],
    byBit: Array[(Long, Int)],
    whole: Set[Int]
) {
  def ids: Seq[Int] =
    (byValue.toSeq.flatMap(_._2) ++ (byLeast ++ byMost ++ byBit).map(_._2)).distinct

  /** The same with other ids. */
  def renumbered(idOf: Int => Int): LookedUpConditions = copy(
    byValue = byValue.map { case (value, ids) => value -> ids.map(idOf) },
    byLeast = byLeast.map { case (value, id) => value -> idOf(id) },
    byMost = byMost.map { case (value, id) => value -> idOf(id) },
    byBit = byBit.map { case (bit, id) => bit -> idOf(id) },
    whole = whole.map(idOf)
  )
}

object LookedUpConditions {
  // Of fewer, testing each costs less.
  private final val Fewest = 4

  /**
   * @param isRead
   *   by id; those are not looked up by order, for which a loop over the rows costs less
   */
  def of(
      byId: Seq[RowExpression],
      fields: Array[PointerField],
      isRead: Int => Boolean
  ): Seq[LookedUpConditions] =
    byId.zipWithIndex
      .flatMap { case (condition, id) => lookupOf(condition, fields).map(id -> _) }
      .filterNot { case (id, lookup) => lookup.isOrdered && isRead(id) }
      .groupBy { case (_, lookup) => (lookup.field, lookup.isOrdered) }
      .toSeq
      .filter(_._2.length >= Fewest)
      .sortBy { case (column, _) => column }
      .map { case ((field, _), found) =>
        def bounds(of: Lookup => Option[Long]) =
          found.flatMap { case (id, lookup) => of(lookup).map(_ -> id) }.sortBy(_._1).toArray
        val pairs = found.flatMap { case (id, lookup) => lookup.values.map(_ -> id) }
        LookedUpConditions(
          field -> fields(field),
          pairs.groupMap(_._1)(_._2).map { case (value, ids) => value -> ids.toArray }.toArray,
          bounds(_.least),
          bounds(_.most).reverse,
          bounds(_.bit),
          found.collect { case (id, lookup) if lookup.isWhole => id }.toSet
        )
      }

  private final case class Lookup(
      field: Int,
      isWhole: Boolean,
      values: Seq[Any] = Nil,
      least: Option[Long] = None,
      most: Option[Long] = None,
      bit: Option[Long] = None
  ) {
    def isOrdered: Boolean = least.nonEmpty || most.nonEmpty
  }

  /** Where the comparison is NULL, parts that may fail would be evaluated. */
  private def lookupOf(condition: RowExpression, fields: Array[PointerField]): Option[Lookup] = {
    val parts = ConditionShape.conjuncts(condition.expression)
    val isWhole = parts.length == 1
    val tested = condition.pointers.filter(_.isTested).map(_.slot).toSet
    def isColumn(column: BoundReference) = fields(column.ordinal) match {
      case PointerField.Fixed(pointer, _, _) => tested(pointer)
      case PointerField.Variable(pointer, _, _) => tested(pointer)
      case _ => false
    }
    def isOrdered(column: BoundReference) = isColumn(column) &&
      fields(column.ordinal).isInstanceOf[PointerField.Fixed] &&
      Ordinals.isOrderedAsLong(column.dataType) &&
      ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN
    def equality = parts.collectFirst {
      case EqualToConstants(column: BoundReference, values)
          if isColumn(column) && isIdentical(column.dataType) =>
        Lookup(column.ordinal, isWhole, values)
    }
    def order = parts.collectFirst(Function.unlift[Expression, Lookup] {
      case ConditionShape(Ordered(column: BoundReference, limit: Literal, orEqual))
          if isOrdered(column) =>
        val most = beside(limit, if (orEqual) 0 else -1)
        most.map(_ => Lookup(column.ordinal, isWhole, most = most))
      case ConditionShape(Ordered(limit: Literal, column: BoundReference, orEqual))
          if isOrdered(column) =>
        val least = beside(limit, if (orEqual) 0 else 1)
        least.map(_ => Lookup(column.ordinal, isWhole, least = least))
      case _ => None
    })
    def bit = parts.collectFirst {
      case ConditionBit(column: BoundReference, number, _) if isColumn(column) =>
        Lookup(column.ordinal, isWhole, bit = Some(1L << number))
    }
    bit
      .orElse(equality)
      .orElse(order)
      .filter(_ => !condition.mayFail && condition.expression.deterministic)
  }

  /** The place of a value in the order of longs, or the one beside it; None beyond the last. */
  private def beside(limit: Literal, step: Int): Option[Long] =
    (limit.value, limit.dataType) match {
      case (null, _) => None
      case (value: Decimal, decimal: DecimalType) if value.scale != decimal.scale => None
      case (value, _) =>
        val place = Ordinals.of(value)
        Option.when(place != (if (step > 0) Long.MaxValue else Long.MinValue))(place + step)
    }

  /** Of a type whose equal values are identical. */
  private def isIdentical(dataType: DataType): Boolean =
    OrderedFunctions.isInteger(dataType) || KeyDistances.isTime(dataType) || dataType == StringType
}
