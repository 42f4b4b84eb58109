package io.matchrecognize.expressions

import java.time.ZoneId

import scala.collection.immutable
import scala.collection.immutable.Set.{Set1, Set2, Set3, Set4}

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
    // The values of IN (...), in Scala's own sets: one in an order of values, or by a collation, may
    // compute with what it holds.
    case values: immutable.HashSet[_] => apply(values)
    case values @ (_: Set1[_] | _: Set2[_] | _: Set3[_] | _: Set4[_]) =>
      apply(values.asInstanceOf[Set[_]])
    case other => known.exists(_.isInstance(other))
  }

  private[expressions] val known: Seq[Class[_]] = Seq(
    classOf[SharedObject],
    classOf[String],
    classOf[UTF8String],
    classOf[Decimal],
    classOf[CalendarInterval],
    classOf[java.lang.Boolean],
    classOf[java.lang.Byte],
    classOf[java.lang.Short],
    classOf[java.lang.Integer],
    classOf[java.lang.Long],
    classOf[java.lang.Float],
    classOf[java.lang.Double],
    classOf[ZoneId],
    classOf[DataType],
    // Where the text of the query has the expression, for messages.
    classOf[SQLQueryContext]
  )
}
