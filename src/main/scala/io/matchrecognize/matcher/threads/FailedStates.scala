package io.matchrecognize.matcher.threads

import java.util.Arrays

import io.matchrecognize.matcher.{MatchInput, MatcherTuning, SpareMemory, WorkMeter}

/**
 * Remembers, across the attempts of one partition, what no match can be reached from: a row, the
 * state after it, and the registers that decide the future there. A later attempt that comes to
 * such a state need not go on, unless something else decides that differs from attempt to attempt
 * (`RegisterSet.isShared`). `FailureMemo` is the same for states without such registers, in a bit
 * for each row.
 *
 * States are remembered once failed attempts have taken many steps, and only young ones: later
 * attempts come to a state soon after the rows in its registers, or after the path turned to its
 * state. The others would be more by a factor of the rows.
 *
 * It is a cache, bounded and of `SpareMemory`: an attempt that finds no room in it is searched to
 * its end.
 */
private[threads] final class FailedStates(
    layout: RegisterLayout,
    input: MatchInput,
    positions: Int,
    tuning: MatcherTuning,
    memory: SpareMemory,
    work: WorkMeter
) {
  import FailedStates._

  private val maxAge = 2L * tuning.firstRemembered + 2
  // Of a failed attempt that is too short to be remembered.
  private val fewSteps = 4L * tuning.firstRemembered

  // Of each state: row and state; hash and the next one of its bucket; registers; with folds,
  // the place of the first one.
  private var words = new Array[Long](0)
  private var folds = new Array[AnyRef](0)
  private var buckets = new Array[Int](0)
  private var used = 0
  private var usedFolds = 0
  // Those of failed attempts; the others are of the open one.
  private var known = 0
  private var knownFolds = 0
  private var wasted = 0L
  private var lastStart = -1L
  private var fullAt = NotFull

  /** Begins an attempt, after the last one unless it is in another partition. */
  def begin(start: Long): Unit = {
    used = known
    usedFolds = knownFolds
    // The next attempts are beyond most of what is remembered.
    if (start <= lastStart || start >= fullAt - maxAge) clear()
    lastStart = start
  }

  /** Forgets the partition. */
  def reset(): Unit = {
    wasted = 0
    lastStart = -1
    clear()
  }

  private def clear(): Unit = {
    if (known > 0) Arrays.fill(buckets, 0)
    Arrays.fill(folds, 0, usedFolds, null)
    used = 0
    usedFolds = 0
    known = 0
    knownFolds = 0
    fullAt = NotFull
  }

  /** Whether states are worth remembering. */
  def isOn: Boolean = wasted > tuning.firstWaste

  /** Whether the state of a thread, which may be the candidate, is known to have failed. */
  def contains(list: ThreadList, thread: Int, of: Int, row: Long): Boolean = known > 0 && {
    val future = layout.future(of)
    val state = row * positions + of
    val hash = hashOf(list.hashes(thread), row)
    var next = buckets(hash & (buckets.length - 1))
    var isFound = false
    while (next > 0 && !isFound) {
      val at = next - 1
      isFound = words(at) == state && (words(at + 1) >>> 32).toInt == hash &&
        same(list, thread, at, future)
      next = words(at + 1).toInt
      work.add(1)
    }
    isFound
  }

  private def same(list: ThreadList, thread: Int, at: Int, future: RegisterSet): Boolean = {
    var i = 0
    while (
      i < future.slots.length &&
      words(at + 2 + i) == list.rows(thread * layout.slots + future.slots(i))
    ) i += 1
    val sameSlots = i == future.slots.length
    i = 0
    while (
      sameSlots && i < future.folds.length && input.sameFold(
        future.folds(i),
        folds(words(at + 2 + future.slots.length).toInt + i),
        list.folds(thread * layout.folds + future.folds(i))
      )
    ) i += 1
    sameSlots && i == future.folds.length
  }

  /**
   * Notes the state of a thread in the open attempt.
   *
   * @param run
   *   the row at which the path turned to the state
   */
  def visit(list: ThreadList, thread: Int, of: Int, row: Long, run: Long): Unit = {
    val future = layout.future(of)
    if (fullAt == NotFull && (row - run < maxAge || isRecent(list, thread, future, row))) {
      val end = used + sizeOf(future)
      val endFolds = usedFolds + future.folds.length
      if (hasRoom(end, endFolds)) {
        words(used) = row * positions + of
        words(used + 1) = hashOf(list.hashes(thread), row).toLong << 32
        var i = 0
        while (i < future.slots.length) {
          words(used + 2 + i) = list.rows(thread * layout.slots + future.slots(i))
          i += 1
        }
        if (future.folds.nonEmpty) words(end - 1) = usedFolds.toLong
        i = 0
        while (i < future.folds.length) {
          folds(usedFolds + i) = list.folds(thread * layout.folds + future.folds(i))
          i += 1
        }
        used = end
        usedFolds = endFolds
      } else fullAt = row
    }
  }

  private def isRecent(list: ThreadList, thread: Int, future: RegisterSet, row: Long): Boolean =
    future.folds.isEmpty && {
      var i = 0
      def value = list.rows(thread * layout.slots + future.slots(i))
      while (i < future.slots.length && (value < 0 || row - value < maxAge)) i += 1
      i == future.slots.length
    }

  private def sizeOf(future: RegisterSet): Int =
    2 + future.slots.length + (if (future.folds.isEmpty) 0 else 1)

  private def hasRoom(end: Int, endFolds: Int): Boolean = {
    val size = sizeFor(words.length, end, MaxWords)
    val foldSize = sizeFor(folds.length, endFolds, MaxFolds)
    val more = (size - words.length) * WordBytes + (foldSize - folds.length) * FoldBytes
    val isRoom = end <= size && endFolds <= foldSize && (more == 0 || memory.take(more))
    if (isRoom && more > 0) {
      folds = Arrays.copyOf(folds, foldSize)
      if (size > words.length) {
        words = Arrays.copyOf(words, size)
        buckets = new Array[Int](size / BucketWords)
        enter(0, known)
      }
    }
    isRoom
  }

  private def sizeFor(length: Int, needed: Int, most: Int): Int =
    if (needed <= length) length else (length * 2).max(256).min(most)

  /** Remembers the states of the open attempt: it has failed, after some steps. */
  def record(steps: Long): Unit = {
    wasted = (wasted + steps - fewSteps).max(0)
    enter(known, used)
    known = used
    knownFolds = usedFolds
  }

  private def enter(from: Int, until: Int): Unit = {
    var at = from
    while (at < until) {
      val hash = words(at + 1) >>> 32
      val bucket = hash.toInt & (buckets.length - 1)
      words(at + 1) = hash << 32 | buckets(bucket)
      buckets(bucket) = at + 1
      at += sizeOf(layout.future((words(at) % positions).toInt))
    }
  }

  private def hashOf(registers: Int, row: Long): Int = {
    val mixed = (registers + row) * 0x9e3779b97f4a7c15L
    (mixed ^ (mixed >>> 32)).toInt
  }
}

private[threads] object FailedStates {
  private final val NotFull = Long.MaxValue
  private final val MaxWords = 1 << 21
  private final val MaxFolds = 1 << 17

  /** A state takes about as many of `words`, so that a bucket has about one. */
  private final val BucketWords = 4

  /** With the share of a bucket. */
  private final val WordBytes = 9L

  /** The assumed size of a fold's value: a row of some fields and what holds it. */
  private final val FoldBytes = 160L
}
