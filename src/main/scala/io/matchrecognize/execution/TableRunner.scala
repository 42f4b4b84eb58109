package io.matchrecognize.execution

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.anchored.AnchoredConditions
import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.rows.{RowStore, RowThreads}
import io.matchrecognize.execution.within.{DeadlineWindow, WithinWindow}
import io.matchrecognize.matcher.anchored.AnchoredMatcher
import io.matchrecognize.matcher.liveness.StateBlocks
import io.matchrecognize.matcher.search.{CompleteSearch, FrameSearch, Search, TableSearch}
import io.matchrecognize.matcher.twopass.{TwoPassMatcher, TwoPassTuning}
import io.matchrecognize.matcher.{MatchWindow, Matcher}
import io.matchrecognize.plans.RowsPerMatch

/** SQL metrics of the operator, by their names. */
final class MatchMetrics(metric: String => SQLMetric) extends Serializable {
  val inputRows: SQLMetric = metric("numInputRows")
  val outputRows: SQLMetric = metric("numOutputRows")
  val matches: SQLMetric = metric("numMatches")
  val partitions: SQLMetric = metric("numPartitions")
  val threads: SQLMetric = metric("numThreads")
  val sortTime: SQLMetric = metric("sortTime")
  val matchTime: SQLMetric = metric("matchTime")
  val peakMemory: SQLMetric = metric("peakMemory")
  val spillSize: SQLMetric = metric("spillSize")
}

/**
 * Searches the partitions of a task on a table, each once its rows are in the store.
 *
 * @param keys
 *   where the first row of the current partition will be: one object for all partitions
 */
abstract class TableRunner(
    task: TaskProgram,
    store: RowStore,
    resources: TaskResources,
    partitionIndex: Int,
    metrics: MatchMetrics,
    keys: UnsafeRow
) extends ClauseRunner(
      task,
      store,
      resources,
      partitionIndex,
      isStream = false,
      threads = TableRunner.newThreads(task, resources, metrics)
    ) {
  begin(keys)
  private val within = task.clause.window.map(new WithinWindow(_, store, input))
  private val deadlines = task.clause.conditions.deadlines.map { program =>
    new DeadlineWindow(program, task.clause.conditions, store, input)
  }
  private val anchors =
    task.clause.anchored.map(new AnchoredConditions(task.clause, _, store, input))
  // The anchored engine asks for the deadlines of the start rows that it needs them for.
  protected val window: Option[MatchWindow] =
    if (anchors.isDefined) within else (within ++ deadlines).reduceOption(_.and(_))

  // Lazy, because its first arrays count against the limit and a failure names the partition.
  private lazy val matcher: Matcher =
    if (task.clause.isTwoPass) {
      val folds = summaries.map(s => (s.plan, measures.folds))
      val tuning = TwoPassTuning(blocks = StateBlocks.forPartitions(task.threads.minRows))
      new TwoPassMatcher(task.clause.automaton, input, task.limits, newPikeMatcher(), folds, tuning)
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

  private val searchTime = new SearchTime(metrics.matchTime)

  protected var search: Search with CompleteSearch = _

  /** Begins the search of the partition in the store. */
  protected def beginSearch(): Unit = failures.guard(0L) {
    // Small partitions may each be too little work for the other checks.
    resources.checkCancelled()
    metrics.partitions += 1
    input.reset()
    within.foreach(_.reset(0L))
    deadlines.foreach(_.reset())
    anchors.foreach(_.reset())
    searchTime.beginPartition()
    search = newSearch()
  }

  protected def newSearch(): Search with CompleteSearch = {
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
    val from = search.start
    searchTime.beginStep()
    val isFound = search.advance()
    val end = if (isFound) search.start + search.length else store.length
    searchTime.endStep(math.max(1L, end - from), isLast = !isFound)
    isFound
  }

  override protected def count(result: Search.Result): Unit =
    if (result == Search.Match) metrics.matches += 1
}

object TableRunner {

  /**
   * The store of a task, freed when the task ends.
   *
   * @param others
   *   peak memory of what the task holds beside it
   */
  def newStore(
      program: TaskProgram,
      resources: TaskResources,
      metrics: MatchMetrics,
      others: () => Long = () => 0L
  ): RowStore = {
    val store = new RowStore(program.clause.schema, resources, program.spillThreshold)
    resources.onCompletion { () =>
      val peak = store.peakMemory + others()
      metrics.peakMemory.set(math.max(metrics.peakMemory.value, peak))
      resources.reportPeakMemory(peak)
      store.free()
    }
    store
  }

  def newThreads(
      program: TaskProgram,
      resources: TaskResources,
      metrics: MatchMetrics
  ): RowThreads = {
    val count = program.threads.count.getOrElse(resources.slots)
    val threads = metrics.threads
    new RowThreads(
      count,
      program.threads.minRows,
      resources,
      () => threads.set(math.max(threads.value, count.toLong))
    )
  }

  def newResources(metrics: MatchMetrics): TaskResources =
    new TaskResources(TaskContext.get(), metrics.spillSize += _)
}
