package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.unsafe.types.UTF8String

/**
 * The constants that tell apart expressions that Spark calls equal: 0.0 equals -0.0, though casts
 * to texts have other results. Whoever computes equal expressions once compares these, too;
 * constants that are the same if they are equal need no text.
 */
object LiteralTexts {
  def apply(expressions: Expression*): Seq[String] = expressions.flatMap(_.collect {
    case literal @ Literal(value, _) if mayDiffer(value) => literal.toString
  })

  /** Whether equal values may not be the same. */
  private def mayDiffer(value: Any): Boolean = value match {
    case null | _: Boolean | _: Byte | _: Short | _: Int | _: Long | _: UTF8String => false
    case _ => true
  }
}
