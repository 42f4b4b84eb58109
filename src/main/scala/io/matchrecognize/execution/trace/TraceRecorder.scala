package io.matchrecognize.execution.trace

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.pointer.{ExpressionFailure, PointerRow}
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.search.RunTimeFailures
import io.matchrecognize.execution.truth.ClauseInput
import io.matchrecognize.matcher.{Matcher, MatcherTuning, Path, SearchProbe}

/**
 * Writes down what a search does, as rows of `TraceMatchRecognize.schema`. Steps are numbered
 * within an attempt; a thread of the search is known by the step that kept it.
 */
private[trace] final class TraceRecorder(
    program: TraceProgram,
    rows: Rows,
    input: ClauseInput,
    failures: RunTimeFailures,
    toUnsafe: UnsafeProjection
) extends AttemptWatch(rows) {
  import TraceRecorder._

  private val automaton = program.task.clause.automaton
  private val shown = new ConditionDisplay(program.conditions, input)
  private val columnRow = {
    val measures = program.task.clause.measures
    new PointerRow(measures.fields, measures.pointerCount, rows, input)
  }
  private val recorded = mutable.Queue.empty[InternalRow]

  private var partition: UTF8String = _
  private var attempt = 0L

  // Those of the current attempt; what is kept of a thread is the step that kept it.
  private val steps = mutable.ArrayBuffer.empty[Step]
  private var furthest: Failure = _

  // A pruned path hides the condition that it fails on.
  override def tuning: MatcherTuning = MatcherTuning(firstWaste = Long.MaxValue / 2)

  override def next(): UnsafeRow = if (recorded.isEmpty) null else toUnsafe(recorded.dequeue())

  /** Writes down the rows of a partition. */
  override def beginPartition(): Unit = {
    super.beginPartition()
    partition =
      if (program.task.partitionSpec.isEmpty) null
      else UTF8String.fromString(program.task.clause.failureTexts.partitionOf(input.keys))
    attempt = 0
    val names = program.columns.map { case (name, _) => UTF8String.fromString(name) }
    var row = 0L
    while (row < rows.length) {
      columnRow.pointers(0) = row
      val values = program.columns.map { case (_, value) => value.eval(columnRow) }
      record(Line("row", row, reads = ConditionDisplay.mapOf(names.zip(values))), inAttempt = false)
      row += 1
    }
  }

  override def begin(startRow: Long, endRow: Long): Unit = {
    super.begin(startRow, endRow)
    attempt += 1
    steps.clear()
    furthest = null
  }

  override def tried(
      thread: Int,
      position: Int,
      row: Long,
      path: Path,
      fate: SearchProbe.Fate
  ): Unit = {
    val symbol = automaton.symbolOf(position)
    val isTested = fate != SearchProbe.Taken && fate != SearchProbe.Hopeless
    val test = if (isTested) shown.test(symbol, row, path) else ConditionDisplay.Untested
    val previous = if (row == start) NoStep else before(thread)
    val result = fate match {
      case SearchProbe.Kept => "kept"
      case SearchProbe.Refused | SearchProbe.Stuck => "dropped"
      case SearchProbe.Merged | SearchProbe.Taken => "better path"
      case SearchProbe.Hopeless => "failed before"
      case SearchProbe.Error => "error"
    }
    record(Line("test", row, symbol, test, test.reads, result, previous))
    if (fate == SearchProbe.Kept) after += steps.length
    steps += Step(symbol, previous)
    if (isFurther(position, row, fate)) furthest = Failure(row, symbol, test, previous)
  }

  override def completed(length: Long, thread: Int, threads: Int): Unit = {
    // On the way through a row the threads are those before it.
    val kept = if (length == rowsFed) after else before
    def step(number: Int) = if (length == 0) NoStep else kept(number)
    val row = start + length - 1
    record(Line("complete", row, result = "kept", previous = step(thread)))
    steps += Step(-1, NoStep)
    (thread + 1 until threads).foreach { worse =>
      record(Line("cut", row, result = "better path", previous = step(worse)))
      steps += Step(-1, NoStep)
    }
  }

  override def end(outcome: Matcher.Outcome, matcher: Matcher): Unit =
    if (outcome == Matcher.Failed) recordEnd(reason)
    else {
      val symbols = (0L until matcher.length).map(matcher.symbolAt)
      val result = if (outcome == Matcher.Matched) "match" else AttemptWatch.TimedOut
      val last = if (symbols.isEmpty) -1L else start + symbols.length - 1
      val number = if (outcome == Matcher.Matched) input.matchNumber else 0L
      record(Line("end", last, result = result, number = number, path = text(symbols)))
    }

  override def fail(error: Throwable): Unit = error match {
    case failure: ExpressionFailure =>
      val message = failures.inExpression(failure, start).getMessage
      recordEnd("error", message.linesIterator.next())
    case _ => ()
  }

  /** The attempt's last row does. */
  override def tells(error: Throwable, start: Long): Boolean = error.isInstanceOf[ExpressionFailure]

  private def recordEnd(result: String, message: String = null): Unit =
    if (furthest == null) record(Line("end", -1, result = result))
    else {
      val path = mutable.ArrayBuffer.empty[Int]
      var step = furthest.previous
      while (step != NoStep) {
        path += steps(step).symbol
        step = steps(step).previous
      }
      val Failure(row, symbol, test, _) = furthest
      val told =
        if (message == null) test else test.copy(evaluated = UTF8String.fromString(message))
      record(
        Line("end", row, symbol, told, told.reads, result, furthest.previous, 0, text(path.reverse))
      )
    }

  /** The variables of a path. Equal ones in a row are written once, as in `A B{3}`. */
  private def text(path: collection.Seq[Int]): String = {
    val text = new StringBuilder
    var i = 0
    while (i < path.length) {
      var next = i + 1
      while (next < path.length && path(next) == path(i)) next += 1
      if (i > 0) text.append(' ')
      text.append(program.variables(path(i)))
      if (next - i > 1) text.append(s"{${next - i}}")
      i = next
    }
    text.toString
  }

  private def record(line: Line, inAttempt: Boolean = true): Unit = {
    if (steps.length >= MaxSteps) throw failures.traceTooLong(MaxSteps, start)
    def string(text: String) = if (text == null) null else UTF8String.fromString(text)
    def number(value: Long, isKnown: Boolean): Any = if (isKnown) value else null
    recorded += InternalRow(
      partition,
      number(attempt, inAttempt),
      number(start + 1, inAttempt),
      number(steps.length + 1L, inAttempt),
      string(line.event),
      number(line.row + 1, line.row >= 0 && line.row >= (if (inAttempt) start else 0)),
      if (line.row >= 0 && (!inAttempt || line.row >= start)) orderKey(line.row) else null,
      if (line.symbol < 0) null else string(automaton.symbols(line.symbol)),
      line.test.truth,
      line.test.condition,
      line.test.evaluated,
      line.reads,
      string(line.result),
      number(line.previous + 1L, line.previous != NoStep),
      number(line.number, line.number > 0),
      string(line.path)
    )
  }

  private def orderKey(row: Long): UTF8String =
    if (program.orderKeys.isEmpty) null
    else {
      columnRow.pointers(0) = row
      val keys = program.orderKeys.map(_.eval(columnRow))
      UTF8String.fromString(keys.map(key => if (key == null) "NULL" else key).mkString(", "))
    }
}

private object TraceRecorder {
  private final val NoStep = -1
  // Steps are kept until their attempt ends.
  private final val MaxSteps = 200000

  /** A step of an attempt; `symbol` is -1 if it maps no row. */
  private final case class Step(symbol: Int, previous: Int)

  /** A test that a path failed. */
  private final case class Failure(
      row: Long,
      symbol: Int,
      test: ConditionDisplay.Test,
      previous: Int
  )

  /** The columns of a row that depend on the event; rows and steps are numbered from 0. */
  private final case class Line(
      event: String,
      row: Long,
      symbol: Int = -1,
      test: ConditionDisplay.Test = ConditionDisplay.Untested,
      reads: ArrayBasedMapData = null,
      result: String = null,
      previous: Int = NoStep,
      number: Long = 0,
      path: String = null
  )
}
