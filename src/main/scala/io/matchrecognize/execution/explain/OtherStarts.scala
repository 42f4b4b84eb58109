package io.matchrecognize.execution.explain

import java.math.BigDecimal

import org.apache.spark.sql.catalyst.util.IntervalStringStyles.ANSI_STYLE
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.types._

import io.matchrecognize.execution.pointer.{ExpressionFailure, PointerRow, PointerSource}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.matcher.{AttemptLimit, Matcher, MatcherException}

/**
 * Attempts that the query does not make: at rows that it skips, since they lie inside a match, and
 * beyond the bound of WITHIN. They cost at most a few passes over the partition.
 *
 * @param limit
 *   that of WITHIN
 * @param inside
 *   for the rows that are skipped
 * @param beyond
 *   for attempts without WITHIN
 */
private final class OtherStarts(
    program: ExplainProgram,
    rows: Rows,
    source: PointerSource,
    limit: Option[AttemptLimit],
    findings: Findings,
    budget: RowBudget,
    inside: PikeMatcher,
    beyond: PikeMatcher,
    partition: () => PartitionName
) {
  import OtherStarts._

  private val limitOrNull = limit.orNull
  private val key = program.task.clause.within.map { within =>
    val row = new PointerRow(within.fields, 1, rows, source)
    (number: Long) => {
      row.pointers(0) = number
      valueOf(within.key.eval(row), within.key.dataType)
    }
  }
  private val keyType = program.task.clause.within.map(_.key.dataType)

  private var next = 0L
  private var roomInside = 0L
  private var roomBeyond = 0L

  def beginPartition(): Unit = {
    next = 0
    roomInside = MostPasses * rows.length + LeastRoom
    roomBeyond = roomInside
    inside.beginPartition(rows.length)
    beyond.beginPartition(rows.length)
  }

  /** The search goes on at a row; those between lie inside a match. */
  def skipTo(row: Long): Unit = {
    while (next < row) {
      skip(next)
      next += 1
    }
    next = row + 1
  }

  /** The search has ended, and no error has ended it. */
  def endPartition(): Unit = skipTo(rows.length)

  private def skip(row: Long): Unit = {
    findings.skipped += 1
    if (roomInside > 0 && !budget.isSpent) {
      findings.skippedTried += 1
      val end = if (limitOrNull == null) rows.length else limitOrNull.end(row)
      val isFound = isMatch(inside.attempt(row, end) == Matcher.Matched && inside.length > 0)
      roomInside -= 1 + inside.rowsFed
      budget.spend(inside.rowsFed)
      if (isFound) findings.skippedMatches += 1
    }
  }

  /** An attempt from a row was ended by WITHIN. */
  def widen(start: Long): Unit = if (roomBeyond > 0 && !budget.isSpent) {
    findings.widened += 1
    var length = -1L
    val isFound = isMatch {
      length = beyond.shortest(start, rows.length)
      // It does not know where the rows end, for `$`.
      if (length < 0 && beyond.attempt(start, rows.length) == Matcher.Matched)
        length = beyond.length
      length > 0
    }
    roomBeyond -= 1 + beyond.rowsFed
    budget.spend(beyond.rowsFed)
    if (isFound) {
      findings.widenedMatches += 1
      span(start, start + length - 1).foreach(findings.offer)
    }
  }

  private def span(start: Long, end: Long): Option[Span] = for {
    read <- key
    from <- read(start)
    to <- read(end)
  } yield {
    val difference = to.subtract(from)
    Span(
      scala.BigDecimal(difference),
      text(difference, keyType.get),
      Place(partition(), start, end)
    )
  }

  private def isMatch(body: => Boolean): Boolean =
    try body
    catch {
      // Of an attempt that the query does not make.
      case _: ExpressionFailure | _: MatcherException => false
    }
}

private object OtherStarts {
  private final val MostPasses = 8L
  private final val LeastRoom = 1000L

  /** A key as a number; None for NULL, NaN and infinite ones. */
  private def valueOf(key: Any, dataType: DataType): Option[BigDecimal] = key match {
    case null => None
    case decimal: Decimal => Some(decimal.toJavaBigDecimal)
    case float: Float => finite(float.toDouble)
    case double: Double => finite(double)
    case number: Number => Some(BigDecimal.valueOf(number.longValue))
    case other => throw new IllegalStateException(s"WITHIN on $other of ${dataType.sql}")
  }

  private def finite(value: Double): Option[BigDecimal] =
    Option.when(java.lang.Double.isFinite(value))(BigDecimal.valueOf(value))

  /** A distance of keys as a bound of WITHIN. */
  private def text(span: BigDecimal, dataType: DataType): String = dataType match {
    case TimestampType | TimestampNTZType =>
      IntervalUtils.toDayTimeIntervalString(
        span.longValue,
        ANSI_STYLE,
        DayTimeIntervalType.DAY,
        DayTimeIntervalType.SECOND
      )
    case DateType => s"INTERVAL '${span.toPlainString}' DAY"
    case _ => span.toPlainString
  }
}
