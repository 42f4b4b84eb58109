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
 * It is a cache, bounded and of `SpareMemory`. Where it is full it keeps the states after every
 * second row, every fourth and so on, as long as a path comes to one of them while it is young;
 * beyond that, an attempt that finds no room in it is searched to its end.
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
  private val maxStride = java.lang.Long.highestOneBit(maxAge / 2)
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
  // Where it was full, the start row from which on there may be room again.
  private var resumeAt = NotFull
  // A power of two: states after rows that it divides are remembered.
  private var stride = 1L

  /** Begins an attempt, after the last one unless it is in another partition. */
  def begin(start: Long): Unit = {
    used = known
    usedFolds = knownFolds
    if (start <= lastStart) clear()
    lastStart = start
    if (start >= resumeAt) {
      thin()
      resumeAt = NotFull
    }
  }

  /** Forgets the partition. */
  def reset(): Unit = {
    wasted = 0
    lastStart = -1
    stride = 1
    clear()
  }

  private def clear(): Unit = {
    if (known > 0) Arrays.fill(buckets, 0)
    Arrays.fill(folds, 0, usedFolds, null)
    used = 0
    usedFolds = 0
    known = 0
    knownFolds = 0
    resumeAt = NotFull
  }

  /** Whether states are worth remembering. */
  def isOn: Boolean = wasted > tuning.firstWaste

  /** Whether the state of a thread, which may be the candidate, is known to have failed. */
  def contains(list: ThreadList, thread: Int, of: Int, row: Long): Boolean =
    known > 0 && isKept(row) && isKnown(list, thread, of, row)

  private def isKnown(list: ThreadList, thread: Int, of: Int, row: Long): Boolean = {
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
    val isWanted = resumeAt == NotFull && isKept(row) &&
      (row - run < maxAge || isRecent(list, thread, future, row))
    if (isWanted && (hasRoom(future) || makeRoom(row, future))) {
      val slots = future.slots.length
      words(used) = row * positions + of
      words(used + 1) = hashOf(list.hashes(thread), row).toLong << 32
      var i = 0
      while (i < slots) {
        words(used + 2 + i) = list.rows(thread * layout.slots + future.slots(i))
        i += 1
      }
      if (future.folds.nonEmpty) words(used + 2 + slots) = usedFolds.toLong
      i = 0
      while (i < future.folds.length) {
        folds(usedFolds + i) = list.folds(thread * layout.folds + future.folds(i))
        i += 1
      }
      used += sizeOf(future)
      usedFolds += future.folds.length
    }
  }

  private def isKept(row: Long): Boolean = (row & (stride - 1)) == 0

  private def isRecent(list: ThreadList, thread: Int, future: RegisterSet, row: Long): Boolean =
    future.folds.isEmpty && {
      var i = 0
      def value = list.rows(thread * layout.slots + future.slots(i))
      while (i < future.slots.length && (value < 0 || row - value < maxAge)) i += 1
      i == future.slots.length
    }

  private def sizeOf(future: RegisterSet): Int =
    2 + future.slots.length + (if (future.folds.isEmpty) 0 else 1)

  private def hasRoom(future: RegisterSet): Boolean = {
    val end = used + sizeOf(future)
    val endFolds = usedFolds + future.folds.length
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

  /** Forgets some states; false if the row's are not remembered any more, or have no room still. */
  private def makeRoom(row: Long, future: RegisterSet): Boolean = {
    thin()
    while (isCrowded && stride < maxStride) {
      stride *= 2
      thin()
    }
    // By then the search has passed half of the rows whose states are remembered.
    if (isCrowded || !hasRoom(future))
      resumeAt = lastStart + ((row - lastStart) / 2).max(maxAge)
    resumeAt == NotFull && isKept(row)
  }

  // A quarter has to be free, so that a state is moved a few times at most.
  private def isCrowded: Boolean =
    used > words.length / 4 * 3 || usedFolds > folds.length / 4 * 3

  /** Forgets the states after rows that no later attempt comes to, or that are not kept. */
  private def thin(): Unit = {
    val (end, endFolds, endKnown) = (used, usedFolds, known)
    used = 0
    usedFolds = 0
    known = 0
    knownFolds = 0
    var at = 0
    while (at < end) {
      val row = words(at) / positions
      val future = layout.future((words(at) % positions).toInt)
      val (size, count) = (sizeOf(future), future.folds.length)
      if (row > lastStart && isKept(row)) {
        System.arraycopy(words, at, words, used, size)
        used += size
        if (count > 0) {
          System.arraycopy(folds, words(used - 1).toInt, folds, usedFolds, count)
          words(used - 1) = usedFolds.toLong
          usedFolds += count
        }
      }
      at += size
      if (at <= endKnown) {
        known = used
        knownFolds = usedFolds
      }
    }
    Arrays.fill(folds, usedFolds, endFolds, null)
    Arrays.fill(buckets, 0)
    enter(0, known)
    work.add(end)
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
