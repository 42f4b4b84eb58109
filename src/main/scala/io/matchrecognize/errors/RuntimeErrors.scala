package io.matchrecognize.errors

import java.io.InterruptedIOException
import java.nio.channels.ClosedByInterruptException

import scala.util.control.NonFatal

import org.apache.spark.TaskKilledException
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.UserText.quoted

/** Texts of the row where a search or match begins and of its partition. */
final case class SearchPlace(row: String, partition: String)

/** One method for each condition that ends a running query. */
object RuntimeErrors {
  private def error(condition: String, parameters: (String, String)*) =
    caused(condition, null, parameters: _*)

  private def caused(condition: String, cause: Throwable, parameters: (String, String)*) =
    new MatchRecognizeRuntimeException(s"MATCH_RECOGNIZE_$condition", parameters.toMap, cause)

  /** Of a stream that is searched as its rows arrive. */
  val orderOfArrival: String =
    setting(MatchRecognizeConf.InputOrder.key, s""""${MatchRecognizeConf.Arrival}"""")

  /** Raises an error if a session has raised a limit above the one that Spark was started with. */
  def checkLimits(conf: SQLConf): Unit =
    MatchRecognizeConf.raised(conf).foreach { case (key, most) =>
      throw error(
        "LIMIT_EXCEEDED.SESSION",
        "config" -> s""""$key"""",
        "value" -> conf.getConfString(key),
        "limit" -> most
      )
    }

  private def setting(key: String, value: Any): String = s""""$key" = $value"""

  private def inSearch(condition: String, at: SearchPlace, cause: Throwable)(
      parameters: (String, String)*
  ): Throwable = {
    val all = parameters ++ Seq("row" -> at.row, "partition" -> at.partition)
    caused(condition, cause, all: _*)
  }

  def steps(limit: Long, pattern: String, at: SearchPlace, cause: Throwable): Throwable = {
    val config = setting(MatchRecognizeConf.MaxStepsPerMatch.key, limit)
    limited("LIMIT_EXCEEDED.STEPS", limit.toString, config, pattern, at, cause)
  }

  def time(limit: Long, pattern: String, at: SearchPlace, cause: Throwable): Throwable = {
    val config = setting(MatchRecognizeConf.MaxSearchTime.key, s"${limit}ms")
    limited("LIMIT_EXCEEDED.TIME", s"$limit ms", config, pattern, at, cause)
  }

  def pathMemory(limit: Long, pattern: String, at: SearchPlace, cause: Throwable): Throwable = {
    val config = setting(MatchRecognizeConf.MaxPathBytes.key, limit)
    limited("MEMORY_EXCEEDED.PATHS", s"$limit bytes", config, pattern, at, cause)
  }

  /** @param bytes those that the task has */
  def taskMemory(bytes: Long, pattern: String, at: SearchPlace, cause: Throwable): Throwable = {
    val limit = s"Spark has left for the task ($bytes bytes for rows and paths)"
    limited("MEMORY_EXCEEDED.PATHS", limit, "\"spark.memory.fraction\"", pattern, at, cause)
  }

  /** @param at the row for which there is no memory */
  def rowMemory(bytes: Long, at: SearchPlace, cause: Throwable): Throwable =
    inSearch("MEMORY_EXCEEDED.ROWS", at, cause)("bytes" -> bytes.toString)

  private def limited(
      condition: String,
      limit: String,
      config: String,
      pattern: String,
      at: SearchPlace,
      cause: Throwable
  ): Throwable =
    inSearch(condition, at, cause)(
      "limit" -> limit,
      "pattern" -> quoted(pattern),
      "config" -> config
    )

  /** @param limit the argument max_rows */
  def traceRows(limit: Int): Throwable =
    error("LIMIT_EXCEEDED.TRACE_ROWS", "limit" -> limit.toString)

  def traceSteps(limit: Int, at: SearchPlace): Throwable =
    inSearch("LIMIT_EXCEEDED.TRACE_STEPS", at, null)("limit" -> limit.toString)

  def skipToFirstRow(target: String, at: SearchPlace, cause: Throwable): Throwable =
    inSearch("SKIP_TO_FIRST_ROW", at, cause)("target" -> target)

  def skipToMissingRow(
      target: String,
      variable: String,
      at: SearchPlace,
      cause: Throwable
  ): Throwable =
    inSearch("SKIP_TO_MISSING_ROW", at, cause)("target" -> target, "variable" -> quoted(variable))

  // Rows and state of a stream

  def nullTime(column: String): Throwable =
    error(
      "INVALID_EVENT_TIME.NULL_VALUE",
      "column" -> quoted(column),
      "config" -> setting(MatchRecognizeConf.NullEventTime.key, "\"drop\"")
    )

  /**
   * @param row
   *   the ORDER BY values of a row that arrived after one with those of `last`
   */
  def outOfOrder(row: String, last: String, partition: String): Throwable =
    error(
      "OUT_OF_ORDER",
      "partition" -> partition,
      "row" -> row,
      "last" -> last,
      "order" -> orderOfArrival,
      "config" -> setting(MatchRecognizeConf.OutOfOrder.key, "\"drop\"")
    )

  def partitionRows(count: Long, limit: Long, pattern: String, partition: String): Throwable =
    error(
      "LIMIT_EXCEEDED.PARTITION_ROWS",
      "pattern" -> quoted(pattern),
      "count" -> count.toString,
      "partition" -> partition,
      "limit" -> limit.toString,
      "config" -> setting(MatchRecognizeConf.MaxHeldRows.key, limit)
    )

  /** @param construct the part of the clause that keeps state forever */
  def stateKeys(count: Long, limit: Long, construct: String): Throwable =
    error(
      "LIMIT_EXCEEDED.STATE_KEYS",
      "construct" -> construct,
      "count" -> count.toString,
      "limit" -> limit.toString,
      "config" -> setting(MatchRecognizeConf.MaxStateKeys.key, limit)
    )

  def stateEncoding(key: String, found: String): Throwable =
    error("UNSUPPORTED_IN_STREAM.STATE_ENCODING", "config" -> setting(key, found))

  /** @param clock what reads the current time */
  def realTimeClock(clock: String): Throwable =
    error("UNSUPPORTED_IN_STREAM.REAL_TIME_CLOCK", "clock" -> clock)

  /**
   * @param check
   *   the setting by which Spark refuses operators that are not on its list
   * @param partitions
   *   of the shuffle
   */
  def realTimeMode(check: String, partitions: Int): Throwable =
    error(
      "UNSUPPORTED_IN_STREAM.REAL_TIME_MODE",
      "order" -> orderOfArrival,
      "check" -> setting(check, "false"),
      "partitions" -> s"""$partitions for "spark.sql.shuffle.partitions""""
    )

  /** @param writer version of the plugin that wrote the state, empty if unknown */
  def stateFormat(found: Int, supported: Int, writer: String): Throwable =
    error(
      "CHECKPOINT_MISMATCH.FORMAT",
      "found" -> found.toString,
      "supported" -> supported.toString,
      "version" -> (if (writer.isEmpty) "unknown" else writer)
    )

  def changedQuery(changed: String): Throwable =
    error("CHECKPOINT_MISMATCH.QUERY", "changed" -> changed)

  /** @param written how many clauses each operator of the checkpoint has */
  def changedPatterns(written: Seq[Int], found: Seq[Int]): Throwable =
    error(
      "CHECKPOINT_MISMATCH.PATTERNS",
      "written" -> written.sorted.mkString(" + "),
      "found" -> found.sorted.mkString(" + ")
    )

  def changedConf(key: String, found: String, expected: String): Throwable =
    error(
      "CHECKPOINT_MISMATCH.SESSION_CONF",
      "config" -> s""""$key"""",
      "found" -> found,
      "expected" -> expected
    )

  // Errors that are raised while an expression is evaluated

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
