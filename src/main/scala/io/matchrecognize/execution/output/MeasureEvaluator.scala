package io.matchrecognize.execution.output

import java.util.Arrays

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{
  BasePredicate,
  BoundReference,
  Expression,
  UnsafeRow
}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.aggregate.{AggregateState, PatternAggregator}
import io.matchrecognize.execution.compile.{ClauseProgram, SummaryProgram}
import io.matchrecognize.execution.pointer._
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.expressions.ConditionPredicate
import io.matchrecognize.matcher.search.{FrameSearch, Search}
import io.matchrecognize.matcher.{MatchSummary, SummaryFolds, WorkMeter}

/**
 * Makes the output rows of one match after the other: measures and columns by one generated
 * projection over a [[PointerRow]]. Rows are walked in order, updating registers and aggregates; a
 * match with FINAL measures under ALL ROWS is walked twice. A row that the filter drops is null.
 *
 * Edge cases: an empty match has no rows to navigate, returns the columns of its start row, and its
 * aggregates are over no rows; an unmatched row has NULL in all measures.
 *
 * @param interpretedRows
 *   after how many rows the generated projection pays
 */
final class MeasureEvaluator(
    program: ClauseProgram,
    summaries: Option[SummaryProgram],
    store: Rows,
    partitionIndex: Int,
    interpretedRows: Int
) extends PointerSource {

  private val measures = program.measures
  private val names: Array[UTF8String] =
    program.automaton.symbols.map(UTF8String.fromString).toArray
  private val pointerRow = new PointerRow(measures.fields, measures.pointerCount, store, this)
  private val projection = newProjection(measures.output)
  private lazy val unmatchedProjection = newProjection(measures.unmatchedOutput)
  private val filter = measures.filter.map(ConditionPredicate(_)).orNull
  private lazy val unmatchedFilter = measures.unmatchedFilter.map(ConditionPredicate(_)).orNull
  private val running = new RegisterFile(measures.registers, names.length, store.reserve)
  private val finals = new RegisterFile(measures.registers, names.length, store.reserve)
  private val aggregators = measures.aggregates.map(new PatternAggregator(_, pointerRow))
  private val states = new Array[AggregateState](aggregators.length)
  private val results = new Array[Any](aggregators.length)
  private val evaluated = new Array[Boolean](aggregators.length)
  private val work = new WorkMeter(store.checkCancelled _)
  private val walksRows = measures.registers.nonEmpty || aggregators.nonEmpty
  // Functions over a row pattern window have values where there is no match.
  private val hasFunctions = measures.unmatchedOutput.exists(_.exists {
    case BoundReference(ordinal, _, _) =>
      measures.fields(ordinal).isInstanceOf[PointerField.Aggregate]
    case _ => false
  })
  private val allAggregates: IndexedSeq[Int] = measures.aggregates.indices
  private val everyAggregate = bySymbol(allAggregates)
  private val (finalAggregates, runningAggregates) = {
    val (finals, runnings) = allAggregates.partition(measures.aggregates(_).isFinal)
    (bySymbol(finals), bySymbol(runnings))
  }

  private def newProjection(output: Seq[Expression]): OutputProjection =
    OutputProjection(
      output,
      measures.fields,
      program.schema.variable.length,
      store,
      partitionIndex,
      interpretedRows
    )

  private var matched: Search = _
  private var end = 0L
  private var evaluatesOnLastRow = false

  // Rows are walked without any output.
  private var isTrial = false

  /** Whether a measure of the rows of `walk` reads a row that has not arrived yet (NEXT). */
  def readsAhead(walk: => Unit): Boolean = {
    pointerRow.isAhead = false
    isTrial = true
    try walk
    finally isTrial = false
    pointerRow.isAhead
  }

  var keys: UnsafeRow = _
  var matchNumber: Long = 0L

  /** What summaries of matches fold; null if matches are not summarised. */
  val folds: SummaryFolds =
    summaries.map(new SummaryAggregates(_, aggregators, pointerRow)).orNull
  // Where summaries have each aggregate.
  private val countOf: Array[Int] = summaries.map(_.countOf).orNull
  private val foldOf: Array[Int] = summaries.map(_.foldOf).orNull

  /** The one row of a match under ONE ROW PER MATCH. */
  def oneRow(found: Search, number: Long): UnsafeRow = {
    begin(found, number)
    takeMatch()
    evaluatesOnLastRow = true
    project(found.start, found.start + found.length - 1)
  }

  /** The row of a row pattern window that has a match. */
  def windowRow(found: FrameSearch): UnsafeRow = {
    if (!found.isRepeated) {
      begin(found, found.matchNumber)
      takeMatch()
    }
    pointerRow.limit(found.row, found.frameEnd)
    project(found.row, found.start + found.length - 1)
  }

  /** Sets registers and aggregates of the whole match. */
  private def takeMatch(): Unit = if (walksRows) {
    val summary = matched.summary
    if (summary == null || !takeSummary(summary)) {
      reset()
      takeAll(running, everyAggregate)
    }
  }

  /** The same from a summary; false if a fold failed. */
  private def takeSummary(summary: MatchSummary): Boolean = {
    var register = 0
    while (register < running.rows.length) {
      running.rows(register) = summary.row(register)
      register += 1
    }
    var isKnown = true
    var i = 0
    while (isKnown && i < aggregators.length) {
      evaluated(i) = countOf(i) >= 0
      if (evaluated(i)) results(i) = summary.count(countOf(i))
      else {
        val state = summary.fold(foldOf(i))
        isKnown = state ne SummaryAggregates.Failed
        // Other matches have it, too: it is read, not updated.
        if (isKnown) states(i) = state.asInstanceOf[AggregateState]
      }
      i += 1
    }
    isKnown
  }

  /** For each symbol those of the aggregates that its rows belong to. */
  private def bySymbol(aggregates: Seq[Int]): Array[Array[Int]] = Array.tabulate(names.length) {
    symbol => aggregates.filter(measures.aggregates(_).symbols.contains(symbol)).toArray
  }

  /** Begins a match under ALL ROWS PER MATCH; `nextRow` follows for each of its rows in order. */
  def beginRows(found: Search, number: Long): Unit = {
    begin(found, number)
    reset()
    if (measures.hasFinal) {
      finals.reset()
      takeAll(finals, finalAggregates)
    }
  }

  /** The output row of the match's `offset`-th row; registers advance even if it is not shown. */
  def nextRow(offset: Long, isShown: Boolean): UnsafeRow = {
    if (walksRows) take(running, runningAggregates, offset)
    if (isShown) project(matched.start + offset, matched.start + offset) else null
  }

  /** The row of an empty match under ALL ROWS PER MATCH. */
  def emptyMatch(found: Search, number: Long): UnsafeRow = {
    beginRows(found, number)
    project(found.start, found.start - 1)
  }

  def unmatchedRow(row: Long): UnsafeRow = {
    Arrays.fill(pointerRow.pointers, -1L)
    if (hasFunctions) resetAggregates()
    pointerRow.pointers(PointerBindings.Row) = row
    if (isKept(unmatchedFilter)) unmatchedProjection(pointerRow) else null
  }

  private def isKept(filter: BasePredicate): Boolean = filter == null || filter.eval(pointerRow)

  private def begin(found: Search, number: Long): Unit = {
    matched = found
    evaluatesOnLastRow = false
    end = found.start + found.length - 1
    matchNumber = number
  }

  /** Before the first row of a match that is walked. */
  private def reset(): Unit = {
    running.reset()
    resetAggregates()
  }

  private def resetAggregates(): Unit = {
    var i = 0
    while (i < aggregators.length) {
      states(i) = aggregators(i).newState()
      evaluated(i) = false
      i += 1
    }
  }

  private def takeAll(registers: RegisterFile, aggregates: Array[Array[Int]]): Unit = {
    val length = matched.length
    var offset = 0L
    while (offset < length) {
      val next = length.min(offset + WorkMeter.BetweenChecks)
      work.add(next - offset)
      while (offset < next) {
        take(registers, aggregates, offset)
        offset += 1
      }
    }
  }

  private def take(registers: RegisterFile, aggregates: Array[Array[Int]], offset: Long): Unit = {
    val symbol = matched.symbolAt(offset)
    val row = matched.start + offset
    registers.update(symbol, row)
    val touched = aggregates(symbol)
    var i = 0
    while (i < touched.length) {
      val aggregate = touched(i)
      pointerRow.pointers(PointerBindings.Row) = row
      try aggregators(aggregate).update(states(aggregate))
      catch {
        case e: Throwable if ExpressionFailure.isOfExpression(e) =>
          val (name, variable) = (measures.readerOf(aggregate), names(symbol).toString)
          throw new ExpressionFailure(
            FailurePlace.MeasuredAggregate(name, row, variable, matchNumber),
            e
          )
      }
      evaluated(aggregate) = false
      i += 1
    }
  }

  /**
   * @param shown
   *   row whose columns are returned
   * @param current
   *   row for which measures are evaluated, before the start for an empty match
   */
  private def project(shown: Long, current: Long): UnsafeRow = {
    pointerRow.pointInMatch(measures.pointers, matched.start, current, end)
    pointerRow.pointers(PointerBindings.Row) = shown
    try if (isTrial || !isKept(filter)) null else projection(pointerRow)
    catch {
      case e: Throwable if ExpressionFailure.isOfExpression(e) =>
        val row = if (evaluatesOnLastRow) None else Some(shown)
        throw new ExpressionFailure(FailurePlace.Measure(failing, row, matchNumber), e)
    }
  }

  /** After a failure of the projection: the measure that fails. */
  private def failing: Option[String] =
    measures.output.zip(measures.outputNames).collectFirst {
      case (m, Some(name)) if m.deterministic && Try(m.eval(pointerRow)).isFailure =>
        name
    }

  override def aggregate(index: Int): Any = {
    if (!evaluated(index)) {
      results(index) = aggregators(index).evaluate(states(index))
      evaluated(index) = true
    }
    results(index)
  }

  override def register(number: Int, isFinal: Boolean): Long =
    (if (isFinal) finals else running).rows(number)

  override def label(row: Long): UTF8String =
    if (row < matched.start || row > end) null
    else names(matched.symbolAt(row - matched.start))
}
