package io.matchrecognize.matcher.threads

import java.util.Arrays

import io.matchrecognize.matcher.{MatchInput, MemoryAccount, WorkMeter}

/**
 * Finds a thread of the row under test that has the candidate's position and live registers. It was
 * added earlier, so it is preferred and makes the candidate redundant.
 *
 * Where a live fold has an order, the candidate only has to be better than the best thread so far
 * that agrees in the other registers. Which fold that is may change between two candidates of a
 * row: some threads are then not found, which costs time only.
 *
 * @param positions
 *   of the automaton: several threads of more are at the same one
 * @param mapsAlike
 *   whether a thread and the candidate have the same labels
 */
private[matcher] final class MergeTable(
    positions: Int,
    layout: RegisterLayout,
    input: MatchInput,
    work: WorkMeter,
    account: MemoryAccount,
    mapsAlike: Int => Boolean
) {
  import MergeTable.FewThreads

  private var heads = new Array[Int](64)
  private var stamps = new Array[Long](64)

  /**
   * Looks for the thread; if there is none, enters the candidate, which is after the last thread of
   * the list.
   *
   * @param fedRow
   *   counts the rows fed so far; entries of other rows are void
   */
  def findOrEnter(list: ThreadList, position: Int, live: RegisterSet, fedRow: Long): Boolean = {
    val candidate = list.size
    val isCrowded = candidate >= positions
    val ordered = orderedFold(live, isNeeded = isCrowded)
    // Few threads are told apart by comparing them: hashes of folds cost more than they spare.
    val unhashed =
      if (ordered < 0 && !isCrowded && candidate < FewThreads && live.orderedFolds.length > 0)
        live.orderedFolds(0)
      else ordered
    val hash = hashOf(list, candidate, position, live, unhashed)
    if (candidate >= heads.length) rebuild(list, fedRow)
    val bucket = hash & (heads.length - 1)
    val first = if (stamps(bucket) == fedRow) heads(bucket) else -1
    var thread = first
    // Of threads that a fold orders, later ones are better and come first.
    var order = 0
    while (thread >= 0 && order == 0) {
      if (
        list.hashes(thread) == hash && list.positions(thread) == position &&
        same(list, thread, candidate, live, ordered)
      ) order = if (ordered < 0) 1 else compare(list, thread, candidate, ordered)
      thread = list.links(thread)
      work.add(1)
    }
    if (order <= 0) {
      list.hashes(candidate) = hash
      list.links(candidate) = first
      heads(bucket) = candidate
      stamps(bucket) = fedRow
    }
    order > 0
  }

  /** A fold by whose order the candidate may merge, -1 for none; all else has to be equal. */
  private def orderedFold(live: RegisterSet, isNeeded: Boolean): Int = {
    val folds = live.orderedFolds
    var i = 0
    while (i < folds.length && !input.keepsOrder(folds(i), isNeeded)) i += 1
    if (i < folds.length) folds(i) else -1
  }

  private def compare(list: ThreadList, a: Int, b: Int, fold: Int): Int =
    input.compareFolds(
      fold,
      list.folds(a * layout.folds + fold),
      list.folds(b * layout.folds + fold)
    )

  private def hashOf(
      list: ThreadList,
      thread: Int,
      position: Int,
      live: RegisterSet,
      unhashed: Int
  ): Int = {
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
        if (fold != unhashed)
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
  private def same(list: ThreadList, a: Int, b: Int, live: RegisterSet, ordered: Int): Boolean =
    if (live.labels) list.labelHashes(a) == list.labelHashes(b) && mapsAlike(a)
    else sameSlots(list, a, b, live.slots) && sameFolds(list, a, b, live.folds, ordered)

  private def sameSlots(list: ThreadList, a: Int, b: Int, slots: Array[Int]): Boolean = {
    val width = layout.slots
    var i = 0
    while (i < slots.length && list.rows(a * width + slots(i)) == list.rows(b * width + slots(i)))
      i += 1
    i == slots.length
  }

  private def sameFolds(
      list: ThreadList,
      a: Int,
      b: Int,
      folds: Array[Int],
      ordered: Int
  ): Boolean = {
    val width = layout.folds
    var i = 0
    var equal = true
    while (equal && i < folds.length) {
      if (folds(i) != ordered) {
        val left = list.folds(a * width + folds(i))
        val right = list.folds(b * width + folds(i))
        equal = (left eq right) || input.sameFold(folds(i), left, right)
      }
      i += 1
    }
    equal
  }

  private def rebuild(list: ThreadList, fedRow: Long): Unit = {
    val length = account.grown(heads.length * 2, heads.length * 4)
    account.charge((length - heads.length) * MergeTable.BucketBytes)
    heads = new Array[Int](length)
    stamps = new Array[Long](heads.length)
    Arrays.fill(stamps, -1L)
    var thread = 0
    while (thread < list.size) {
      if (!layout.live(list.positions(thread)).isEmpty) {
        val bucket = list.hashes(thread) & (heads.length - 1)
        list.links(thread) = if (stamps(bucket) == fedRow) heads(bucket) else -1
        heads(bucket) = thread
        stamps(bucket) = fedRow
      }
      thread += 1
    }
  }
}

private[threads] object MergeTable {
  private final val BucketBytes = 12L
  private final val FewThreads = 64
}
