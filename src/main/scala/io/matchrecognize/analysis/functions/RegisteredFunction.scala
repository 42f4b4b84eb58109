package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}

/** A function of the plugin as Spark's registry takes it. */
private[matchrecognize] object RegisteredFunction {
  def apply[T](owner: AnyRef, name: String, usage: String, group: String, source: String)(
      build: Seq[Expression] => T
  ): (FunctionIdentifier, ExpressionInfo, Seq[Expression] => T) = {
    val className = owner.getClass.getName.stripSuffix("$")
    val info = new ExpressionInfo(className, null, name, usage, "", "", "", group, "", "", source)
    (new FunctionIdentifier(name), info, build)
  }
}
