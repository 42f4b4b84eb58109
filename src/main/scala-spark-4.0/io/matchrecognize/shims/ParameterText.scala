package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.expressions.Expression

/** Spark 4.0 writes no values into statements: it binds the markers in the tree. */
object ParameterText {
  def of(value: Expression): String = value.sql
}
