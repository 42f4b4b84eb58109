package io.matchrecognize.analysis.trace

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, RuntimeReplaceable}
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.DataType

import io.matchrecognize.shims.ParseExceptions

/** A statement that a table function gets as text. It is analysed and not run. */
private[trace] object QueryText {

  /**
   * The value of an argument, itself none if it is NULL; none for what has no such constant value.
   */
  def constant(argument: Expression, dataType: DataType): Option[Option[Any]] = {
    val replaced = argument.transform { case r: RuntimeReplaceable => r.replacement }
    Option.when(replaced.foldable && Cast.canUpCast(replaced.dataType, dataType)) {
      Option(Cast(replaced, dataType).eval())
    }
  }

  /** The analysed plan. The places in it, also those of errors, are those in the text. */
  def analyzed(parse: ParserInterface => LogicalPlan): LogicalPlan =
    CurrentOrigin.withOrigin(Origin()) {
      val state = SparkSession.active.sessionState
      try state.executePlan(parse(state.sqlParser)).analyzed
      catch { case e: ParseException => throw ParseExceptions.fixed(e) }
    }
}
