package io.matchrecognize.expressions

import java.time.ZoneId

import scala.collection.immutable

import org.apache.spark.sql.catalyst.trees.SQLQueryContext
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}

/** An object that generated code holds and that several threads may use at the same time. */
trait SharedObject

/**
 * Whether several threads may each run an object of the same generated class at the same time.
 *
 * What an expression keeps from row to row in generated code is a field of the object, and so is
 * each thread's own. All that they share are the objects that the expression has put into the code:
 * constants, and now and then the expression itself or a helper of it, which may keep anything. So
 * those objects decide, whatever expressions they are from, and one that is not known is not
 * shared.
 */
object MayShare {

  /** @param references objects that generated code holds */
  def apply(references: Iterable[Any]): Boolean = references.forall {
    case null => true
    case _: SharedObject => true
    case _: String | _: UTF8String | _: Decimal | _: CalendarInterval => true
    case _: Boolean | _: Byte | _: Short | _: Int | _: Long | _: Float | _: Double => true
    case _: ZoneId | _: DataType => true
    // Where the text of the query has the expression, for messages.
    case _: SQLQueryContext => true
    // The values of IN (...), not those in an order that an expression defines.
    case values: immutable.Set[_] => !values.isInstanceOf[immutable.SortedSet[_]] && apply(values)
    case _ => false
  }
}
