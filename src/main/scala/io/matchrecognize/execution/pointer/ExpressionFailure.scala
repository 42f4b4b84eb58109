package io.matchrecognize.execution.pointer

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.execution.rows.RowStoreFull

/**
 * An error of a condition or measure on its way to [[RunTimeFailures]], with the row under test.
 * Made where the error occurs, since an engine raises it only once no better path is left, perhaps
 * many rows later.
 */
final class ExpressionFailure(val place: FailurePlace, cause: Throwable)
    extends RuntimeException(null, cause, false, false)

object ExpressionFailure {

  /** The failure with the place where it first occurred. */
  def apply(error: Throwable)(place: => FailurePlace): ExpressionFailure = error match {
    case known: ExpressionFailure => known
    case other => new ExpressionFailure(place, other)
  }

  /** Whether an error is one of the expression, not of the task that evaluates it. */
  def isOfExpression(error: Throwable): Boolean = error match {
    case _: RowStoreFull => false
    case other => RuntimeErrors.isOfExpression(other)
  }
}

/** What was being evaluated. Rows are numbered within the partition. */
sealed trait FailurePlace

object FailurePlace {

  /** The condition of `variable`, tested on `row`. */
  final case class Condition(row: Long, variable: String) extends FailurePlace

  /** An aggregate in a condition added `row`, mapped to `variable`. */
  final case class Aggregate(row: Long, variable: String) extends FailurePlace

  /**
   * A measure.
   *
   * @param name
   *   None if it is not known which
   * @param row
   *   the row that is returned, None with ONE ROW PER MATCH
   * @param matchNumber
   *   0 for a match that timed out
   */
  final case class Measure(name: Option[String], row: Option[Long], matchNumber: Long)
      extends FailurePlace

  /** An aggregate of a measure added `row`, mapped to `variable`. */
  final case class MeasuredAggregate(
      name: Option[String],
      row: Long,
      variable: String,
      matchNumber: Long
  ) extends FailurePlace
}
