package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParameterHandler

/** The value of a parameter as Spark writes it into a statement in place of the marker. */
object ParameterText {
  private final val Before = "SELECT "

  def of(value: Expression): String =
    ParameterHandler.substitutePositionalParameters(s"$Before?", Seq(value))._1.drop(Before.length)
}
