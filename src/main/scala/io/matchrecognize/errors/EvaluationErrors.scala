package io.matchrecognize.errors

import java.io.InterruptedIOException
import java.nio.channels.ClosedByInterruptException

import scala.util.control.NonFatal

import org.apache.spark.TaskKilledException

/** Errors that are raised while an expression is evaluated. */
object EvaluationErrors {

  /** Whether an error is one of the expression, not of the task that evaluates it. */
  def isOfExpression(error: Throwable): Boolean = NonFatal(error) && !isOfTask(error)

  /** Spark wraps what a function of the user throws, also where that is interrupted. */
  private def isOfTask(error: Throwable): Boolean =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(MostCauses).exists {
      case _: TaskKilledException | _: ClosedByInterruptException => true
      // Its subclasses are timeouts.
      case e: InterruptedIOException => e.getClass == classOf[InterruptedIOException]
      case cause => !NonFatal(cause)
    }

  // A cause may be its own cause's cause.
  private final val MostCauses = 20
}
