package io.matchrecognize.execution.search

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.limit.{TableDeadlines, WithinLimit}
import io.matchrecognize.execution.rows.RowStore
import io.matchrecognize.execution.truth.AnchoredConditions
import io.matchrecognize.matcher.search.{CompleteSearch, FrameSearch, Search, TableSearch}
import io.matchrecognize.matcher.twopass.TwoPassMatcher
import io.matchrecognize.matcher.{AttemptLimit, Matcher}
import io.matchrecognize.plans.RowsPerMatch

/**
 * Searches the partitions of a task on a table, each once its rows are in the store.
 *
 * @param keys
 *   where the PARTITION BY values of the current partition will be: one object for all partitions
 */
abstract class TableClauseSearch(
    task: TaskProgram,
    store: RowStore,
    resources: TaskResources,
    partitionIndex: Int,
    metrics: MatchMetrics,
    keys: UnsafeRow
) extends ClauseSearch(task, store, resources, partitionIndex, isStream = false) {
  begin(keys)
  private val within = task.clause.within.map(new WithinLimit(_, store, input))
  private val deadlines = task.clause.conditions.deadlines.map { program =>
    new TableDeadlines(program, task.clause.conditions, store, input)
  }
  private val anchors =
    task.clause.anchored.map(new AnchoredConditions(task.clause, _, store, input))
  protected val limit: Option[AttemptLimit] = within

  // Lazy, because its first arrays count against the limit and a failure names the partition.
  private lazy val matcher: Matcher =
    if (task.clause.isTwoPass) {
      val folds = summaries.map(s => (s.plan, measures.folds))
      new TwoPassMatcher(task.clause.automaton, input, task.budget, newPikeMatcher(), folds)
    } else
      newPikeMatcher(
        anchors = anchors.orNull,
        deadlines = deadlines.orNull,
        summary = summaries.map(_.plan)
      )
  private lazy val edgeMatcher: Matcher = newPikeMatcher()

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
          edgeMatcher,
          input,
          task.skip,
          isSeek,
          rowsAfter,
          target
        )
      case other =>
        new TableSearch(store.length, matcher, task.skip, limit, other.showsUnmatchedRows, target)
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

object TableClauseSearch {

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
      val peak = store.memory.peakMemory + others()
      metrics.peakMemory.set(math.max(metrics.peakMemory.value, peak))
      resources.reportPeakMemory(peak)
      store.free()
    }
    store
  }

  def newResources(metrics: MatchMetrics): TaskResources =
    new TaskResources(TaskContext.get(), metrics.spillSize += _)
}
