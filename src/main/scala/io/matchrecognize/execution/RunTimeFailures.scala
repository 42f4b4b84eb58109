package io.matchrecognize.execution

import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeRow}
import org.apache.spark.sql.matchrecognize.LocatedExceptions

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.{MatchRecognizeRuntimeException, UserText}
import io.matchrecognize.matcher.{
  PathMemoryExceeded,
  SkipToFirstRow,
  SkipToMissingRow,
  StepLimitExceeded
}

/**
 * What the messages of run-time errors show.
 *
 * @param partition
 *   for each PARTITION BY expression its text and its value as a string over the `PartitionRow`
 * @param order
 *   the first ORDER BY key as a string over the frame `orderFields`, if the store keeps it
 * @param skipTarget
 *   `LAST A`, as AFTER MATCH SKIP TO says
 */
final case class FailureTexts(
    pattern: String,
    partition: Seq[(String, Expression)],
    order: Option[Expression],
    orderFields: Array[PointerField],
    skipTarget: String,
    skipVariable: String,
    maxSteps: Long,
    maxPathBytes: Long
)

/** The row of the partition at hand that its PARTITION BY values are read from. */
trait PartitionRow {
  def firstRow: UnsafeRow
}

/** Turns what ends a search into the errors that users see. */
final class RunTimeFailures(texts: FailureTexts, reader: PartitionRow, store: Rows) {

  /** Runs a step of the search. `start` gives the first row of the attempt or match. */
  def guard[T](start: => Long)(body: => T): T =
    try body
    catch {
      case e: StepLimitExceeded =>
        val values = Map("limit" -> texts.maxSteps.toString, "row" -> row(start))
        throw limitError("LIMIT_EXCEEDED.STEPS", MatchRecognizeConf.MaxStepsPerMatch.key, values, e)
      case e: PathMemoryExceeded =>
        val values = Map("limit" -> s"${texts.maxPathBytes} bytes", "row" -> row(start))
        throw limitError("MEMORY_EXCEEDED", MatchRecognizeConf.MaxPathBytes.key, values, e)
      case e: RowStoreFull =>
        val values = Map(
          "limit" -> s"Spark has left for the task (${e.bytes} bytes for rows and paths)",
          "row" -> row(start),
          "pattern" -> UserText.quoted(texts.pattern),
          "config" -> "\"spark.memory.fraction\""
        )
        throw error("MEMORY_EXCEEDED", values, e)
      case e: SkipToFirstRow =>
        throw error(
          "SKIP_TO_FIRST_ROW",
          Map("target" -> texts.skipTarget, "row" -> row(e.matchStart)),
          e
        )
      case e: SkipToMissingRow =>
        throw error(
          "SKIP_TO_MISSING_ROW",
          Map(
            "target" -> texts.skipTarget,
            "variable" -> UserText.quoted(texts.skipVariable),
            "row" -> row(e.matchStart)
          ),
          e
        )
    }

  /**
   * An error of a condition or measure, with a line that says what was evaluated, for which row,
   * and where the search began; any other error as it is.
   */
  def inExpression(error: Throwable, start: => Long): Throwable = error match {
    case failure: ExpressionFailure =>
      LocatedExceptions(failure.getCause, s"${text(failure.place, start)} in partition $partition")
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

  private def limitError(
      condition: String,
      key: String,
      values: Map[String, String],
      cause: Throwable
  ): Throwable = {
    val present =
      if (key == MatchRecognizeConf.MaxStepsPerMatch.key) texts.maxSteps else texts.maxPathBytes
    val all = values ++ Map(
      "pattern" -> UserText.quoted(texts.pattern),
      "config" -> s""""$key" = $present"""
    )
    error(condition, all, cause)
  }

  private def error(condition: String, values: Map[String, String], cause: Throwable): Throwable =
    new MatchRecognizeRuntimeException(
      s"MATCH_RECOGNIZE_$condition",
      values + ("partition" -> partition),
      cause
    )

  private def partition: String =
    if (texts.partition.isEmpty) "(the only one)"
    else
      texts.partition
        .map { case (name, value) => s"$name = ${shown(value.eval(reader.firstRow))}" }
        .mkString(", ")

  private def row(number: Long): String = {
    val value = texts.order.filter(_ => number < store.length).map { order =>
      val frame = new PointerRow(texts.orderFields, 1, store)
      frame.source = new PointerSource {
        override def keys: UnsafeRow = reader.firstRow
        override def matchNumber: Long = 0L
        override def label(row: Long) = null
        override def aggregate(index: Int): Any = null
      }
      frame.pointers(0) = number
      s" (${shown(order.eval(frame))})"
    }
    s"row ${number + 1}${value.getOrElse("")}"
  }

  private def shown(value: Any): String =
    if (value == null) "NULL"
    else {
      val text = value.toString
      if (text.length > RunTimeFailures.MaxText) text.take(RunTimeFailures.MaxText) + "..."
      else text
    }
}

object RunTimeFailures {
  private final val MaxText = 100
}
