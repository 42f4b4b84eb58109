package io.matchrecognize.execution

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.compile.{SummaryProgram, TaskProgram}
import io.matchrecognize.execution.evaluate.{
  ConditionEvaluator,
  MeasureEvaluator,
  ResultRows,
  RunTimeFailures,
  TruthBits
}
import io.matchrecognize.execution.rows.{PartitionReader, RowStore}
import io.matchrecognize.execution.within.WithinWindow
import io.matchrecognize.matcher.search.{Search, TableSearch}
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.matcher.twopass.TwoPassMatcher
import io.matchrecognize.matcher.{Matcher, SkipStrategy}

/** SQL metrics of the operator, by their names. */
final class MatchMetrics(metric: String => SQLMetric) extends Serializable {
  val inputRows: SQLMetric = metric("numInputRows")
  val outputRows: SQLMetric = metric("numOutputRows")
  val matches: SQLMetric = metric("numMatches")
  val partitions: SQLMetric = metric("numPartitions")
  val matchTime: SQLMetric = metric("matchTime")
  val peakMemory: SQLMetric = metric("peakMemory")
  val spillSize: SQLMetric = metric("spillSize")
}

/**
 * The output rows of one task: loads a partition, searches it as far as rows are asked for, and
 * goes on to the next one. A LIMIT above stops the search between two matches.
 *
 * The rows of a match come as [[ResultRows]] says, an unmatched row at its own place.
 */
final class MatchIterator(
    task: TaskProgram,
    reader: PartitionReader,
    store: RowStore,
    resources: TaskResources,
    partitionIndex: Int,
    metrics: MatchMetrics
) extends Iterator[InternalRow] {
  import task.{clause => program, limits, mode, skip}

  private val input = new ConditionEvaluator(
    program,
    store,
    resources,
    new TruthBits(program.automaton.symbols.size, store.reserve),
    store.reserve
  )
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
  private val failures = new RunTimeFailures(task.failureTexts, input, store)
  input.keys = reader.firstRow
  measures.keys = reader.firstRow
  private val window = program.window.map(new WithinWindow(_, store, input))
  private val results = new ResultRows(
    measures,
    mode,
    program.automaton.hasExclusion,
    () => resources.checkCancelled()
  )

  private var search: TableSearch = _
  private var nextRow: UnsafeRow = _
  private var exhausted = false
  private var reportedRows = 0L

  private def threads: Matcher = new PikeMatcher(
    program.automaton,
    program.conditions.registers,
    input,
    limits,
    mode.timeouts
  )

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
    while (nextRow == null && !exhausted) {
      if (search != null) nextOfResult()
      if (nextRow == null && !(search != null && advance()) && !nextPartition()) {
        exhausted = true
        search = null
      }
    }

  private def nextOfResult(): Unit =
    try nextRow = results.next()
    catch { case NonFatal(e) => throw failures.inExpression(e, search.start) }

  private def nextPartition(): Boolean = {
    val loaded = failures.guard(0L)(reader.next())
    metrics.inputRows += reader.rowsRead - reportedRows
    reportedRows = reader.rowsRead
    if (loaded) {
      metrics.partitions += 1
      input.reset()
      window.foreach(_.reset(0L))
      search = failures.guard(0L) {
        new TableSearch(
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
    if (isFound) takeUp()
    isFound
  }

  private def takeUp(): Unit = {
    if (search.kind == Search.Match) metrics.matches += 1
    try results.begin(search)
    catch { case NonFatal(e) => throw failures.inExpression(e, search.start) }
  }
}
