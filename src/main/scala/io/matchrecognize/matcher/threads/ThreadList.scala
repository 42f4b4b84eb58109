package io.matchrecognize.matcher.threads

import java.util.Arrays

import io.matchrecognize.matcher.MemoryAccount
import io.matchrecognize.matcher.state.{FoldCodec, StateReader, StateWriter}

/**
 * The threads after one row, most preferred first: for each its state, the arena node of its last
 * run and its registers. Thread `t` owns the row slots from `t * layout.slots` and the folds from
 * `t * layout.folds`. The slot after the last thread is for the candidate under test.
 */
private[matcher] final class ThreadList(layout: RegisterLayout, account: MemoryAccount) {
  private val bytesPerThread: Long =
    16L + (if (layout.readsLabels) 8L else 0L) + layout.slots * 8L +
      layout.folds * (4L + FoldBytes)
  private var capacity = RegisterLayout.FirstThreads
  account.charge(capacity * bytesPerThread)

  var size = 0
  var states = new Array[Int](capacity)
  var nodes = new Array[Int](capacity)

  /** Hash of state and live registers, for merging. */
  var hashes = new Array[Int](capacity)

  /** The next thread of the same bucket of the merge table, -1 at its end. */
  var links = new Array[Int](capacity)

  /** Hash of the labels of all rows, if some condition reads them. */
  var labelHashes = new Array[Long](if (layout.readsLabels) capacity else 0)
  var rows = new Array[Long](capacity * layout.slots)
  var folds = new Array[AnyRef](capacity * layout.folds)

  /** One thread, of the start state, before the first row. */
  def begin(start: Int, initialFolds: Array[AnyRef]): Unit = {
    size = 1
    states(0) = start
    nodes(0) = PathTree.Root
    layout.initialize(rows)
    if (layout.folds > 0) System.arraycopy(initialFolds, 0, folds, 0, layout.folds)
    if (layout.readsLabels) labelHashes(0) = 0
  }

  /** Makes room for one more thread. */
  def reserve(): Unit = if (size == capacity) grow()

  /**
   * Compacts the arena to the paths of the threads and the one that ends in `kept`, which may be
   * `PathTree.Root`, after `keptLength` rows.
   *
   * @return
   *   the new number of `kept`
   */
  def compact(arena: PathTree, kept: Int, keptLength: Long): Int = {
    arena.startMarking()
    (0 until size).foreach(thread => arena.mark(nodes(thread), isOpen = true))
    arena.mark(kept, isOpen = false)
    arena.compact(kept, keptLength)
    (0 until size).foreach(thread => nodes(thread) = arena.renumber(nodes(thread)))
    arena.renumber(kept)
  }

  /** Whether all live folds can be written. */
  def isSavable(codec: FoldCodec): Boolean = (0 until size).forall { thread =>
    foldsOf(thread).forall(f => codec.canWrite(f, fold(thread, f)))
  }

  /**
   * Saves states and live registers.
   *
   * @param withPaths
   *   also the nodes of the paths, which the caller saves
   */
  def save(out: StateWriter, codec: FoldCodec, withPaths: Boolean): Unit = {
    out.putInt(size)
    (0 until size).foreach { thread =>
      out.putInt(states(thread))
      if (withPaths) out.putInt(nodes(thread))
      if (layout.readsLabels) out.putFixed(labelHashes(thread))
      val live = layout.live(states(thread))
      live.slots.foreach(slot => out.putLong(rows(thread * layout.slots + slot)))
      live.folds.foreach(f => codec.write(f, fold(thread, f), out))
    }
  }

  def restore(in: StateReader, codec: FoldCodec, withPaths: Boolean): Unit = {
    val count = in.getInt()
    size = 0
    while (size < count) {
      reserve()
      states(size) = in.getInt()
      nodes(size) = if (withPaths) in.getInt() else PathTree.Root
      if (layout.readsLabels) labelHashes(size) = in.getFixed()
      val live = layout.live(states(size))
      live.slots.foreach(slot => rows(size * layout.slots + slot) = in.getLong())
      live.folds.foreach(f => folds(size * layout.folds + f) = codec.read(f, in))
      size += 1
    }
  }

  private def foldsOf(thread: Int): Array[Int] = layout.live(states(thread)).folds

  private def fold(thread: Int, f: Int): AnyRef = folds(thread * layout.folds + f)

  private def grow(): Unit = {
    val widest = layout.slots.max(layout.folds).max(1)
    val larger = account.grown(capacity, capacity + 1)
    if (larger.toLong * widest > MemoryAccount.MaxArray) account.grown(0, Int.MaxValue)
    account.charge((larger - capacity) * bytesPerThread)
    states = Arrays.copyOf(states, larger)
    nodes = Arrays.copyOf(nodes, larger)
    hashes = Arrays.copyOf(hashes, larger)
    links = Arrays.copyOf(links, larger)
    if (layout.readsLabels) labelHashes = Arrays.copyOf(labelHashes, larger)
    rows = Arrays.copyOf(rows, larger * layout.slots)
    folds = Arrays.copyOf(folds, larger * layout.folds)
    capacity = larger
  }

  /** The assumed size of a fold's value: a small object. */
  private final val FoldBytes = 32L
}
