package io.matchrecognize.analysis.typing

import scala.util.control.NonFatal

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, Literal}

import io.matchrecognize.expressions.{ContextFunctions, MalformedBound}

/** Folds what has to be constant in a clause once parameters and variables have values. */
private[analysis] object Constants {

  /**
   * None if the expression is not constant, or has another value when the query runs; an error of
   * Spark in its arithmetic is raised.
   */
  def fold(expression: Expression): Option[Literal] = expression match {
    case _: MalformedBound => None
    // Spark resolves a bare name to this.
    case Alias(variable, _) => fold(variable)
    case _ =>
      val plain = ExpressionRewrite.rewrite(expression)
      if (!plain.foldable || plain.exists(ContextFunctions.isCurrentTime)) None
      else
        try Some(Literal(plain.eval(InternalRow.empty), plain.dataType))
        catch { case NonFatal(e) if !isOfSpark(e) => None }
  }

  /** Excludes internal errors, as of a function that only an optimizer rule can replace. */
  private def isOfSpark(error: Throwable): Boolean = error match {
    case e: SparkThrowable =>
      val condition = e.getCondition
      condition != null && !condition.startsWith("INTERNAL_ERROR") && !condition.startsWith("_")
    case _ => false
  }
}
