package io.matchrecognize.execution

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.matcher._

/** SQL metrics of the operator. */
final case class MatchMetrics(
    inputRows: SQLMetric,
    outputRows: SQLMetric,
    matches: SQLMetric,
    partitions: SQLMetric,
    matchTime: SQLMetric,
    peakMemory: SQLMetric,
    spillSize: SQLMetric
)

/** How a clause answers what a search finds. */
final case class OutputMode(
    oneRow: Boolean,
    showEmpty: Boolean,
    unmatchedRows: Boolean,
    timeouts: Boolean
)

/**
 * The output rows of one task: loads a partition, searches it as far as rows are asked for, and
 * goes on to the next one. A LIMIT above stops the search between two matches.
 *
 * Rows of a match come in order; an unmatched row at its own place. A path that timed out (SHOW
 * TIMEOUT MATCHES) gives the row of a match without a number. The row given is reused.
 */
final class MatchIterator(
    program: ClauseProgram,
    reader: PartitionReader,
    store: RowStore,
    resources: TaskResources,
    skip: SkipStrategy,
    limits: MatcherLimits,
    mode: OutputMode,
    partitionIndex: Int,
    metrics: MatchMetrics,
    failures: RunTimeFailures
) extends Iterator[InternalRow]
    with MatchedRows {
  import MatchIterator._

  private val input = new ConditionInput(program, store, resources)
  private val summaries =
    if (program.isTwoPass && mode.oneRow && skip != SkipStrategy.PastLastRow)
      SummaryProgram.of(program.measures, skip)
    else None
  private val measures = new MeasureEvaluator(program, summaries, store, partitionIndex)
  // Its first arrays count for the limit: made where a failure can name the partition.
  private lazy val matcher: Matcher =
    if (program.isTwoPass) {
      val summaryFolds = summaries.map(s => (s.plan, measures))
      new TwoPassMatcher(program.automaton, input, limits, threads, summaryFolds)
    } else threads
  private val window = program.window.map(new WithinWindow(_, store, input))
  private val hasExclusion = program.automaton.hasExclusion

  private var search: MatchSearch = _
  private var nextRow: UnsafeRow = _
  private var offset = 0L
  private var inMatch = false
  private var exhausted = false
  private var reportedRows = 0L

  private def threads: Matcher = new ThreadedMatcher(
    program.automaton,
    program.conditions.registers,
    input,
    limits,
    mode.timeouts
  )

  override def matchStart: Long = search.start
  override def matchLength: Long = search.length
  override def symbolAt(at: Long): Int = search.symbolAt(at)
  override def summary: MatchSummary = search.summary

  override def hasNext: Boolean = {
    findRow()
    nextRow != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    val row = nextRow
    nextRow = null
    metrics.outputRows += 1
    row
  }

  private def findRow(): Unit =
    while (nextRow == null && !exhausted)
      if (inMatch || (search != null && advance())) show()
      else if (!nextPartition()) {
        exhausted = true
        search = null
      }

  private def show(): Unit =
    try if (inMatch) nextRowOfMatch() else found()
    catch { case NonFatal(e) => throw failures.inExpression(e, search.start) }

  private def nextPartition(): Boolean = {
    val loaded = failures.guard(0L)(reader.next())
    metrics.inputRows += reader.rowsRead - reportedRows
    reportedRows = reader.rowsRead
    if (loaded) {
      metrics.partitions += 1
      input.reset(reader.firstRow)
      measures.keys = reader.firstRow
      window.foreach(_.reset())
      search = failures.guard(0L) {
        new MatchSearch(
          store.length,
          matcher,
          skip,
          window,
          mode.unmatchedRows,
          summaries.fold(-1)(_.plan.skipTarget)
        )
      }
    }
    loaded
  }

  private def advance(): Boolean = {
    // MATCH_NUMBER() in DEFINE: `advance` may make attempts for one number only, until it matches.
    input.matchNumber = search.currentMatchNumber
    val begin = System.nanoTime()
    val isFound =
      try failures.guard(search.start)(search.advance())
      catch { case NonFatal(e) => throw failures.inExpression(e, search.start) }
    metrics.matchTime += System.nanoTime() - begin
    isFound
  }

  private def found(): Unit =
    if (search.kind == MatchSearch.Unmatched) nextRow = measures.unmatchedRow(search.start)
    else if (search.kind == MatchSearch.TimedOut) nextRow = measures.oneRow(this, NoNumber)
    else {
      metrics.matches += 1
      val number = search.matchNumber
      if (mode.oneRow) nextRow = measures.oneRow(this, number)
      else if (search.length == 0) {
        if (mode.showEmpty) nextRow = measures.emptyMatch(this, number)
      } else {
        measures.beginRows(this, number)
        offset = 0
        inMatch = true
      }
    }

  private def nextRowOfMatch(): Unit = {
    val last = search.length
    while (nextRow == null && offset < last) {
      val isShown = !(hasExclusion && search.excludedAt(offset))
      nextRow = measures.nextRow(offset, isShown)
      offset += 1
      if ((offset & 0xfff) == 0) resources.checkCancelled()
    }
    if (offset == last) inMatch = false
  }
}

private object MatchIterator {

  /** MATCH_NUMBER() is NULL. */
  private final val NoNumber = 0L
}
