package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

/**
 * The constants of expressions, by which those are told apart that are equal to Spark: 0.0 equals
 * -0.0, though casts to texts have other results. Whoever computes equal expressions once compares
 * these, too.
 */
object LiteralTexts {
  def apply(expressions: Expression*): Seq[String] =
    expressions.flatMap(_.collect { case literal: Literal => literal.toString })
}
