package io.matchrecognize.errors

import scala.util.control.NonFatal

import org.apache.spark.TaskKilledException

/** Errors that are raised while an expression is evaluated. */
object EvaluationErrors {

  /** Whether an error is one of the expression, not of the task that evaluates it. */
  def isOfExpression(error: Throwable): Boolean = error match {
    case _: TaskKilledException => false
    case NonFatal(_) => true
    case _ => false
  }
}
