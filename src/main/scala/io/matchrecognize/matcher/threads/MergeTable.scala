package io.matchrecognize.matcher.threads

import java.util.Arrays

import io.matchrecognize.matcher.MatchInput

/**
 * Finds among the threads of the row under test one that has the candidate's position and live
 * registers. Such a thread came earlier, so it is preferred and dominates the candidate, which is
 * redundant.
 *
 * @param mapsAlike
 *   whether a thread and the candidate map all rows to the same symbols
 */
private[matcher] final class MergeTable(
    layout: RegisterLayout,
    input: MatchInput,
    mapsAlike: Int => Boolean
) {
  private var heads = new Array[Int](64)
  private var stamps = new Array[Long](64)

  /**
   * Looks for the thread; if there is none, enters the candidate, which is after the last thread of
   * the list.
   *
   * @param step
   *   number of the row's step; entries of other steps are void
   */
  def findOrEnter(list: ThreadList, position: Int, live: RegisterSet, step: Long): Boolean = {
    val candidate = list.size
    val hash = hashOf(list, candidate, position, live)
    if (candidate >= heads.length) rebuild(list, step)
    val bucket = hash & (heads.length - 1)
    var thread = if (stamps(bucket) == step) heads(bucket) else -1
    val first = thread
    while (thread >= 0) {
      if (
        list.hashes(thread) == hash && list.positions(thread) == position &&
        same(list, thread, candidate, live)
      ) {
        return true
      }
      thread = list.links(thread)
    }
    list.hashes(candidate) = hash
    list.links(candidate) = first
    heads(bucket) = candidate
    stamps(bucket) = step
    false
  }

  private def hashOf(list: ThreadList, thread: Int, position: Int, live: RegisterSet): Int = {
    var hash = position.toLong
    if (live.labels) {
      hash = mix(hash, list.labelHashes(thread))
    } else {
      var i = 0
      while (i < live.slots.length) {
        hash = mix(hash, list.rows(thread * layout.slots + live.slots(i)))
        i += 1
      }
      i = 0
      while (i < live.folds.length) {
        val fold = live.folds(i)
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

  /** Paths that map all rows alike agree in every register; other paths may differ in one. */
  private def same(list: ThreadList, a: Int, b: Int, live: RegisterSet): Boolean =
    if (live.labels) list.labelHashes(a) == list.labelHashes(b) && mapsAlike(a)
    else sameSlots(list, a, b, live.slots) && sameFolds(list, a, b, live.folds)

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

  private def rebuild(list: ThreadList, step: Long): Unit = {
    heads = new Array[Int](heads.length * 4)
    stamps = new Array[Long](heads.length)
    Arrays.fill(stamps, -1L)
    var thread = 0
    while (thread < list.size) {
      if (!layout.live(list.positions(thread)).isEmpty) {
        val bucket = list.hashes(thread) & (heads.length - 1)
        list.links(thread) = if (stamps(bucket) == step) heads(bucket) else -1
        heads(bucket) = thread
        stamps(bucket) = step
      }
      thread += 1
    }
  }
}
