package io.matchrecognize.execution

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.anchored.AnchoredConditions
import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.rows.{PartitionReader, RowStore}
import io.matchrecognize.execution.sort.{SortSpec, SortedInput, SortingBuffer}
import io.matchrecognize.execution.within.{DeadlineWindow, WithinWindow}
import io.matchrecognize.matcher.anchored.AnchoredMatcher
import io.matchrecognize.matcher.search.{CompleteSearch, FrameSearch, Search, TableSearch}
import io.matchrecognize.matcher.twopass.TwoPassMatcher
import io.matchrecognize.matcher.{MatchWindow, Matcher}
import io.matchrecognize.plans.RowsPerMatch

/** SQL metrics of the operator, by their names. */
final class MatchMetrics(metric: String => SQLMetric) extends Serializable {
  val inputRows: SQLMetric = metric("numInputRows")
  val outputRows: SQLMetric = metric("numOutputRows")
  val matches: SQLMetric = metric("numMatches")
  val partitions: SQLMetric = metric("numPartitions")
  val sortTime: SQLMetric = metric("sortTime")
  val matchTime: SQLMetric = metric("matchTime")
  val peakMemory: SQLMetric = metric("peakMemory")
  val spillSize: SQLMetric = metric("spillSize")
}

/**
 * The output rows of one task: loads a partition, searches it no further than rows are requested,
 * and continues with the next one. A LIMIT above stops the search between two matches.
 *
 * `ResultRows` makes the rows of a match; an unmatched row is between those of matches.
 */
final class MatchIterator(
    task: TaskProgram,
    inputRows: Iterator[InternalRow],
    store: RowStore,
    resources: TaskResources,
    partitionIndex: Int,
    metrics: MatchMetrics
) extends ClauseRunner(task, store, resources, partitionIndex, isStream = false)
    with Iterator[InternalRow] {
  private val reader = new PartitionReader(inputRows, task.input, task.partitionSpec, store)
  begin(reader.firstRow)
  private val within = task.clause.window.map(new WithinWindow(_, store, input))
  private val deadlines = task.clause.conditions.deadlines.map { program =>
    new DeadlineWindow(program, task.clause.conditions, store, input)
  }
  private val anchors =
    task.clause.anchored.map(new AnchoredConditions(task.clause, _, store, input))
  // The anchored engine asks for the deadlines of the start rows that it needs them for.
  private val window: Option[MatchWindow] =
    if (anchors.isDefined) within else (within ++ deadlines).reduceOption(_.and(_))

  // Lazy, because its first arrays count against the limit and a failure names the partition.
  private lazy val matcher: Matcher =
    if (task.clause.isTwoPass) {
      val folds = summaries.map(s => (s.plan, measures))
      new TwoPassMatcher(task.clause.automaton, input, task.limits, newPikeMatcher(), folds)
    } else if (anchors.isDefined)
      new AnchoredMatcher(
        task.clause.automaton,
        task.clause.conditions.registers,
        input,
        anchors.get,
        task.limits,
        deadlines.orNull,
        summaries.map(_.plan),
        newPikeMatcher()
      )
    else newPikeMatcher()
  private lazy val nearMatcher: Matcher = newPikeMatcher()

  protected var search: Search with CompleteSearch = _
  private var row: UnsafeRow = _
  private var exhausted = false
  private var reportedRows = 0L

  override def hasNext: Boolean = {
    while (row == null && !exhausted) {
      if (search != null) row = nextRow()
      if (row == null && !nextPartition()) {
        exhausted = true
        search = null
      }
    }
    row != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    val result = row
    row = null
    metrics.outputRows += 1
    result
  }

  private def nextPartition(): Boolean = {
    val loaded = failures.guard(0L)(reader.next())
    metrics.inputRows += reader.rowsRead - reportedRows
    reportedRows = reader.rowsRead
    if (loaded) {
      metrics.partitions += 1
      input.reset()
      within.foreach(_.reset(0L))
      deadlines.foreach(_.reset())
      anchors.foreach(_.reset())
      search = failures.guard(0L)(newSearch())
    }
    loaded
  }

  private def newSearch(): Search with CompleteSearch = {
    val target = summaries.fold(-1)(_.plan.skipTarget)
    task.rowsPerMatch match {
      case RowsPerMatch.EachRow(isSeek) =>
        val rowsAfter = task.clause.frame.rows.getOrElse(Long.MaxValue)
        new FrameSearch(
          store.length,
          matcher,
          nearMatcher,
          input,
          task.skip,
          isSeek,
          rowsAfter,
          target
        )
      case other =>
        new TableSearch(store.length, matcher, task.skip, window, other.showsUnmatchedRows, target)
    }
  }

  override protected def advance(): Boolean = {
    val start = System.nanoTime()
    val isFound = search.advance()
    metrics.matchTime += System.nanoTime() - start
    isFound
  }

  override protected def count(result: Search.Result): Unit =
    if (result == Search.Match) metrics.matches += 1
}

object MatchIterator {

  /**
   * The iterator of a task, over a store of its own.
   *
   * @param sort
   *   None if the rows are sorted
   */
  def apply(
      program: TaskProgram,
      sort: Option[SortSpec],
      rows: Iterator[InternalRow],
      partitionIndex: Int,
      metrics: MatchMetrics
  ): MatchIterator = {
    val resources = new TaskResources(TaskContext.get(), metrics.spillSize += _)
    val store = new RowStore(program.clause.schema, resources, program.spillThreshold)
    val buffer = sort.map(new SortingBuffer(_, resources, program.spillThreshold))
    resources.onCompletion { () =>
      val peak = store.peakMemory + buffer.fold(0L)(_.peakMemory)
      metrics.peakMemory.set(math.max(metrics.peakMemory.value, peak))
      resources.reportPeakMemory(peak)
      store.free()
      buffer.foreach(_.free())
    }
    val sorted = buffer.fold(rows) { b =>
      new SortedInput(rows, sort.get.columns, b, () => metrics.sortTime += b.sortNanos)
    }
    new MatchIterator(program, sorted, store, resources, partitionIndex, metrics)
  }
}
