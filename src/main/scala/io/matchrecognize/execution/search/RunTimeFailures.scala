package io.matchrecognize.execution.search

import org.apache.spark.sql.matchrecognize.LocatedExceptions

import io.matchrecognize.errors.{RuntimeErrors, SearchPlace, UserText}
import io.matchrecognize.execution.compile.FailureTexts
import io.matchrecognize.execution.pointer.{
  ExpressionFailure,
  FailurePlace,
  PointerRow,
  PointerSource
}
import io.matchrecognize.execution.rows.{RowStoreFull, Rows}
import io.matchrecognize.matcher.{
  PathMemoryExceeded,
  SkipToFirstRow,
  SkipToMissingRow,
  StepLimitExceeded,
  TimeLimitExceeded
}

/**
 * Maps engine failures to user-facing conditions.
 *
 * @param source
 *   for the current partition
 */
final class RunTimeFailures(texts: FailureTexts, source: PointerSource, rows: Rows) {

  /** Runs a part of the search; `start` is the first row of the attempt or match. */
  def guard[T](start: => Long)(body: => T): T =
    try body
    catch {
      case e: StepLimitExceeded =>
        throw RuntimeErrors.steps(e.limit, texts.pattern, place(start), e)
      case e: TimeLimitExceeded =>
        throw RuntimeErrors.time(e.limit, texts.pattern, place(start), e)
      case e: PathMemoryExceeded =>
        throw RuntimeErrors.pathMemory(e.limit, texts.pattern, place(start), e)
      case e: RowStoreFull => throw inExpression(e, start)
      case e: SkipToFirstRow =>
        throw RuntimeErrors.skipToFirstRow(texts.skipTarget, place(e.matchStart), e)
      case e: SkipToMissingRow =>
        val at = place(e.matchStart)
        throw RuntimeErrors.skipToMissingRow(texts.skipTarget, texts.skipVariable, at, e)
    }

  def traceTooLong(limit: Int, start: Long): Throwable =
    RuntimeErrors.traceSteps(limit, place(start))

  private def place(start: Long): SearchPlace = SearchPlace(row(start), partition)

  /**
   * An error of a condition or measure, with a line that says what was evaluated, for which row,
   * and where the search began; any other error as it is.
   */
  def inExpression(error: Throwable, start: => Long): Throwable = error match {
    case failure: ExpressionFailure =>
      LocatedExceptions(failure.getCause, s"${text(failure.place, start)} in partition $partition")
    case full: RowStoreFull if full.isForRows =>
      RuntimeErrors.rowMemory(full.bytes, place(rows.length), full)
    case full: RowStoreFull =>
      RuntimeErrors.taskMemory(full.bytes, texts.pattern, place(start), full)
    case other =>
      LocatedExceptions(other, s"in the search from ${row(start)} in partition $partition")
  }

  private def text(place: FailurePlace, start: Long): String = {
    def search = s", in the search from ${row(start)}"
    def as(row: String, variable: String) = s"$row as ${UserText.quoted(variable)}"
    def measure(name: Option[String]) =
      name.map(n => s"the measure ${UserText.quoted(n)}").getOrElse("a measure")
    def matched(number: Long) =
      if (number == 0) s"the match that timed out and starts at ${row(start)},"
      else s"match $number, which starts at ${row(start)},"
    place match {
      case FailurePlace.Condition(tested, variable) =>
        s"while testing ${as(row(tested), variable)}$search"
      case FailurePlace.Aggregate(added, variable) =>
        s"while adding ${as(row(added), variable)} to an aggregate$search"
      case FailurePlace.Measure(name, shown, number) =>
        val ofRow = shown.map(r => s" for ${row(r)}").getOrElse("")
        s"while computing ${measure(name)}$ofRow of ${matched(number)}"
      case FailurePlace.MeasuredAggregate(name, added, variable, number) =>
        s"while adding ${as(row(added), variable)} to ${measure(name)} of ${matched(number)}"
    }
  }

  private def partition: String = texts.partitionOf(source.keys)

  private def row(number: Long): String = {
    val value = texts.order.filter(_ => number < rows.length).map { order =>
      val pointerRow = new PointerRow(texts.orderFields, 1, rows, source)
      pointerRow.pointers(0) = number
      // The row may be on disk, and the error be that there is no memory to read one.
      try s" (${UserText.cut(order.eval(pointerRow))})"
      catch { case _: RowStoreFull => "" }
    }
    s"row ${number + 1}${value.getOrElse("")}"
  }
}
