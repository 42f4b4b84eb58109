package io.matchrecognize.matcher.threads

import java.util.Arrays

import io.matchrecognize.matcher.{MatchInput, MemoryAccount, WorkMeter}

/**
 * Finds a thread of the row under test that has the candidate's state and registers that decide the
 * future. It was added earlier, so it is preferred and makes the candidate redundant.
 *
 * @param mapsAlike
 *   whether a thread and the candidate have the same labels
 */
private[matcher] final class MergeTable(
    layout: RegisterLayout,
    input: MatchInput,
    work: WorkMeter,
    account: MemoryAccount,
    mapsAlike: Int => Boolean
) {
  private var heads = new Array[Int](64)
  private var stamps = new Array[Long](64)

  /**
   * Whether there is such a thread. The candidate is after the last thread of the list.
   *
   * @param fedRow
   *   counts the rows fed so far; entries of other rows are void
   */
  def find(list: ThreadList, state: Int, future: RegisterSet, fedRow: Long): Boolean = {
    val candidate = list.size
    val hash = hashOf(list, candidate, state, future)
    list.hashes(candidate) = hash
    val bucket = hash & (heads.length - 1)
    var thread = if (stamps(bucket) == fedRow) heads(bucket) else -1
    var isFound = false
    while (thread >= 0 && !isFound) {
      isFound = list.hashes(thread) == hash && list.states(thread) == state &&
        same(list, thread, candidate, future)
      thread = list.links(thread)
      work.add(1)
    }
    isFound
  }

  /** Enters the candidate, which was not found. */
  def enter(list: ThreadList, fedRow: Long): Unit = {
    if (list.size >= heads.length) rebuild(list, fedRow)
    enter(list, list.size, fedRow)
  }

  private def enter(list: ThreadList, thread: Int, fedRow: Long): Unit = {
    val bucket = list.hashes(thread) & (heads.length - 1)
    list.links(thread) = if (stamps(bucket) == fedRow) heads(bucket) else -1
    heads(bucket) = thread
    stamps(bucket) = fedRow
  }

  private def hashOf(list: ThreadList, thread: Int, state: Int, future: RegisterSet): Int = {
    var hash = state.toLong
    if (future.labels) {
      hash = mix(hash, list.labelHashes(thread))
    } else {
      var i = 0
      while (i < future.slots.length) {
        hash = mix(hash, list.rows(thread * layout.slots + future.slots(i)))
        i += 1
      }
      i = 0
      while (i < future.folds.length) {
        val fold = future.folds(i)
        hash = mix(hash, input.foldHash(fold, list.folds(thread * layout.folds + fold)).toLong)
        i += 1
      }
    }
    (hash ^ (hash >>> 32)).toInt
  }

  private def mix(hash: Long, value: Long): Long = {
    val mixed = (hash + value) * 0x9e3779b97f4a7c15L
    mixed ^ (mixed >>> 29)
  }

  /** Paths with the same labels agree in every register; other paths may differ in one. */
  private def same(list: ThreadList, a: Int, b: Int, future: RegisterSet): Boolean =
    if (future.labels) list.labelHashes(a) == list.labelHashes(b) && mapsAlike(a)
    else sameSlots(list, a, b, future.slots) && sameFolds(list, a, b, future.folds)

  private def sameSlots(list: ThreadList, a: Int, b: Int, slots: Array[Int]): Boolean = {
    val width = layout.slots
    var i = 0
    while (i < slots.length && list.rows(a * width + slots(i)) == list.rows(b * width + slots(i)))
      i += 1
    i == slots.length
  }

  private def sameFolds(list: ThreadList, a: Int, b: Int, folds: Array[Int]): Boolean = {
    val width = layout.folds
    var i = 0
    var equal = true
    while (equal && i < folds.length) {
      val left = list.folds(a * width + folds(i))
      val right = list.folds(b * width + folds(i))
      equal = (left eq right) || input.sameFold(folds(i), left, right)
      i += 1
    }
    equal
  }

  private def rebuild(list: ThreadList, fedRow: Long): Unit = {
    val length = account.grown(heads.length * 2, heads.length * 4)
    account.charge((length - heads.length) * BucketBytes)
    heads = new Array[Int](length)
    stamps = new Array[Long](heads.length)
    Arrays.fill(stamps, -1L)
    var thread = 0
    while (thread < list.size) {
      if (!layout.future(list.states(thread)).isEmpty) enter(list, thread, fedRow)
      thread += 1
    }
  }

  private final val BucketBytes = 12L
}
