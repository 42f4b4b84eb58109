package io.matchrecognize.execution.evaluate

/**
 * An error of a condition or measure on its way to [[RunTimeFailures]], with the row that the
 * engine was at. Made when the error is raised, since an engine raises it only once no better path
 * is left, when it has long moved on.
 */
final class ExpressionFailure(val place: FailurePlace, cause: Throwable)
    extends RuntimeException(null, cause, false, false)

object ExpressionFailure {

  /** The failure with the place where it was met first. */
  def apply(error: Throwable)(place: => FailurePlace): ExpressionFailure = error match {
    case known: ExpressionFailure => known
    case other => new ExpressionFailure(place, other)
  }
}

/** What the evaluation that failed was for. Rows are numbered within the partition. */
sealed trait FailurePlace

object FailurePlace {

  /** The condition of `variable`, tested on `row`. */
  final case class Condition(row: Long, variable: String) extends FailurePlace

  /** An aggregate in a condition took in `row`, mapped to `variable`. */
  final case class Aggregate(row: Long, variable: String) extends FailurePlace

  /**
   * A measure.
   *
   * @param name
   *   None if it is not known which
   * @param row
   *   the row that is shown, None with ONE ROW PER MATCH
   * @param matchNumber
   *   0 for a match that timed out
   */
  final case class Measure(name: Option[String], row: Option[Long], matchNumber: Long)
      extends FailurePlace

  /** An aggregate of a measure took in `row`, mapped to `variable`. */
  final case class MeasuredAggregate(
      name: Option[String],
      row: Long,
      variable: String,
      matchNumber: Long
  ) extends FailurePlace
}
