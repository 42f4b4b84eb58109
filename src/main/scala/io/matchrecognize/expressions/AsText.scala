package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Expression}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType

/** Makes an expression a string, NULL if that fails. */
object AsText {

  def apply(e: Expression): Expression =
    Cast(e, StringType, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.TRY)
}
