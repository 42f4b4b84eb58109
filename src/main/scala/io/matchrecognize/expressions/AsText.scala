package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Expression}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType

/**
 * Makes an expression a string, NULL if that fails; one of bytes, for functions that know of no
 * collation.
 */
object AsText {

  def apply(e: Expression): Expression =
    Cast(e, StringType, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.TRY)
}
