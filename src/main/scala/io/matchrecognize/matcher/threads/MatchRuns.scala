package io.matchrecognize.matcher.threads

import java.util.Arrays

import io.matchrecognize.matcher.{MatchSummary, MemoryAccount, SummaryPlan}
import io.matchrecognize.pattern.Automaton

/**
 * A match as the runs of its path, each a position and how many rows it maps, after the committed
 * prefix of the tree. Answers a `SummaryPlan` without folds, at a cost per run, if it is complete.
 */
private[threads] final class MatchRuns(
    automaton: Automaton,
    tree: PathTree,
    plan: SummaryPlan,
    account: MemoryAccount
) extends MatchSummary {
  private var positions = new Array[Int](16)
  // Offsets of the first rows, and after the last run that of the row after the match.
  private var offsets = new Array[Long](17)
  private var count = 0
  private var start = 0L
  private var current = 0

  /** Takes the path of `length` rows that ends in `node`. */
  def take(node: Int, first: Long, length: Long): Unit = {
    start = first
    current = 0
    count = 0
    var at = node
    while (at != PathTree.Root) {
      count += 1
      at = tree.parent(at)
    }
    if (count > positions.length) {
      val length = account.grown(positions.length, count)
      account.charge((length - positions.length) * RunBytes)
      positions = new Array[Int](length)
      offsets = new Array[Long](positions.length + 1)
    }
    offsets(count) = length
    at = node
    var run = count - 1
    while (run >= 0) {
      positions(run) = tree.position(at)
      offsets(run) = tree.offset(at)
      at = tree.parent(at)
      run -= 1
    }
  }

  /** Whether the runs have all rows of the match. */
  def isComplete: Boolean = tree.prefix == 0

  def positionAt(offset: Long): Int = if (offset < tree.prefix) tree.committedAt(offset)
  else {
    // Rows are mostly asked for in order.
    if (offset < offsets(current) || offset >= offsets(current + 1)) {
      if (current + 2 <= count && offset >= offsets(current + 1) && offset < offsets(current + 2))
        current += 1
      else {
        val found = Arrays.binarySearch(offsets, 0, count, offset)
        current = if (found >= 0) found else -found - 2
      }
    }
    positions(current)
  }

  override def row(register: Int): Long = {
    val wanted = plan.rows(register)
    var rest = wanted.offset.toLong
    var run = if (wanted.fromFirst) 0 else count - 1
    var row = -1L
    while (row < 0 && run >= 0 && run < count) {
      if (wanted.symbols.contains(automaton.symbolOf(positions(run)))) {
        val rows = offsets(run + 1) - offsets(run)
        if (rest >= rows) rest -= rows
        else if (wanted.fromFirst) row = start + offsets(run) + rest
        else row = start + offsets(run + 1) - 1 - rest
      }
      run += (if (wanted.fromFirst) 1 else -1)
    }
    row
  }

  override def count(index: Int): Long = {
    var sum = 0L
    var run = 0
    while (run < count) {
      if (plan.counts(index).contains(automaton.symbolOf(positions(run)))) {
        sum += offsets(run + 1) - offsets(run)
      }
      run += 1
    }
    sum
  }

  override def fold(index: Int): AnyRef =
    throw new IllegalStateException("Runs answer no folds.")

  private final val RunBytes = 12L
}
