package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.types._

import io.matchrecognize.execution.condition.RowExpression
import io.matchrecognize.execution.pointer.PointerField
import io.matchrecognize.expressions.ConditionShape
import io.matchrecognize.expressions.ConditionShape.EqualToConstants

/**
 * Conditions that are TRUE only where one column of the tested row is equal to one of some
 * constants: one lookup says of all of them where they are not TRUE.
 *
 * @param field
 *   the column, by its number and as it is
 * @param byValue
 *   for each constant, as Spark has it, the ids of the conditions that have it
 * @param whole
 *   the ids of those that are TRUE wherever the column has a constant of theirs
 */
final case class LookedUpConditions(
    field: (Int, PointerField),
    byValue: Array[(Any, Array[Int])],
    whole: Set[Int]
) {
  def ids: Seq[Int] = byValue.toSeq.flatMap(_._2).distinct
}

object LookedUpConditions {
  // Of fewer, testing each costs less.
  private final val Fewest = 4

  def of(byId: Seq[RowExpression], fields: Array[PointerField]): Seq[LookedUpConditions] =
    byId.zipWithIndex
      .flatMap { case (condition, id) => lookupOf(condition, fields).map(id -> _) }
      .groupBy { case (_, lookup) => lookup.field }
      .toSeq
      .filter(_._2.length >= Fewest)
      .sortBy { case (field, _) => field }
      .map { case (field, found) =>
        val pairs = found.flatMap { case (id, lookup) => lookup.values.map(_ -> id) }
        LookedUpConditions(
          field -> fields(field),
          pairs.groupMap(_._1)(_._2).map { case (value, ids) => value -> ids.toArray }.toArray,
          found.collect { case (id, lookup) if lookup.isWhole => id }.toSet
        )
      }

  private final case class Lookup(field: Int, values: Seq[Any], isWhole: Boolean)

  /** Where the comparison is NULL, parts that may fail would be evaluated. */
  private def lookupOf(condition: RowExpression, fields: Array[PointerField]): Option[Lookup] = {
    val parts = ConditionShape.conjuncts(condition.expression)
    val tested = condition.pointers.filter(_.isTested).map(_.slot).toSet
    def isColumn(field: PointerField) = field match {
      case PointerField.Fixed(pointer, _, _) => tested(pointer)
      case PointerField.Variable(pointer, _, _) => tested(pointer)
      case _ => false
    }
    parts
      .collectFirst {
        case EqualToConstants(column: BoundReference, values)
            if isColumn(fields(column.ordinal)) && isIdentical(column.dataType) =>
          Lookup(column.ordinal, values, parts.length == 1)
      }
      .filter(_ => !condition.mayFail && condition.expression.deterministic)
  }

  /** Of a type whose equal values are identical. */
  private def isIdentical(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case DateType | TimestampType | TimestampNTZType => true
    case text: StringType => text == StringType
    case _ => false
  }
}
