package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf

/** Since 4.1 Spark's parser itself replaces parameter markers with their values. */
trait ParserWithParameters extends ParserWithMarkers {
  override def parsePlanWithParameters(sqlText: String, context: ParameterContext): LogicalPlan = {
    val legacy = SQLConf.get.legacyParameterSubstitutionConstantsOnly
    val all = valuesOf(context)
    val values = if (legacy) StatementParameters.none else all
    parseWith(sqlText, values, !all.isEmpty) { (text, markers) =>
      val own = if (legacy) context else slice(context, markers)
      delegate.parsePlanWithParameters(text, own)
    }
  }

  private def valuesOf(context: ParameterContext): StatementParameters = context match {
    case named: NamedParameterContext => StatementParameters(named.params, Nil)
    case positional: PositionalParameterContext =>
      StatementParameters(Map.empty, positional.params)
    case hybrid: HybridParameterContext =>
      val named = hybrid.paramNames.zip(hybrid.args).filter(_._1.nonEmpty).toMap
      StatementParameters(named, hybrid.args)
    case _ => StatementParameters.none
  }

  private def slice(context: ParameterContext, markers: Seq[Int]): ParameterContext =
    context match {
      case positional: PositionalParameterContext =>
        new PositionalParameterContext(pick(positional.params, markers))
      case hybrid: HybridParameterContext if markers.nonEmpty =>
        new HybridParameterContext(pick(hybrid.args, markers), pick(hybrid.paramNames, markers))
      case other => other
    }

  private def pick[T](items: Seq[T], places: Seq[Int]): Seq[T] = places.flatMap(items.lift(_))
}
