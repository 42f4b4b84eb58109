package io.matchrecognize.matcher.threads

import java.util.Arrays

import io.matchrecognize.matcher.state.{StateReader, StateWriter}
import io.matchrecognize.matcher.{MemoryAccount, WorkMeter}
import io.matchrecognize.pattern.Automaton

/**
 * The paths of one attempt as a tree of runs: a node is a position, the offset of the first row
 * that it maps, and the node of the run before. A run ends where the next one of its path begins,
 * so a loop over one position takes one node, however many rows it maps.
 *
 * Where the tree is large, rows common to all open paths move from it to a `PositionBuffer`, the
 * committed prefix, so that one long path of short runs costs a few bytes a row.
 *
 * Node `Root` is the end of the committed prefix. A node's parent has a smaller number.
 *
 * @param isSaved
 *   whether it may be saved: each node then has one row
 */
private[matcher] final class PathTree(
    positions: Int,
    account: MemoryAccount,
    work: WorkMeter,
    firstNodes: Int,
    isSaved: Boolean
) {
  import PathTree._

  private val committed = new PositionBuffer(positions, account)
  // Most attempts are short, and a task may have a search for each of many patterns.
  private val firstRoom = firstNodes.min(MaxFirstRoom)
  private var parents = new Array[Int](firstRoom)
  private var nodePositions = new Array[Int](firstRoom)
  private var offsets = new Array[Long](firstRoom)
  // While compacting: per node its marked children and open paths, then its new number.
  private var marks = new Array[Int](firstRoom)
  private var marked = 0
  private var rootChildren = 0
  private var used = 0
  private var committedRows = 0L
  private var threshold = firstNodes
  account.charge(firstRoom * NodeBytes)

  def clear(): Unit = {
    used = 0
    committedRows = 0
    threshold = firstNodes
  }

  /** Extends the path that ends in a node by its row `offset`; returns the node of that row. */
  def extend(last: Int, position: Int, offset: Long): Int =
    if (!isSaved && last != Root && nodePositions(last) == position) last
    else add(last, position, offset)

  private def add(parent: Int, position: Int, offset: Long): Int = {
    val node = used
    if (node == parents.length) grow()
    parents(node) = parent
    nodePositions(node) = position
    offsets(node) = offset
    used = node + 1
    node
  }

  def parent(node: Int): Int = parents(node)

  def position(node: Int): Int = nodePositions(node)

  /** Offset of the run's first row from the first row of the attempt. */
  def offset(node: Int): Long = offsets(node)

  /** How many rows the committed prefix has. */
  def prefix: Long = committedRows

  /** Position of row `offset` of the committed prefix. */
  def committedAt(offset: Long): Int = committed(offset)

  /** Position of row `offset` of a path that ends in `node`. */
  def positionAt(offset: Long, node: Int): Int =
    if (offset < committedRows) committed(offset)
    else {
      var at = node
      while (offsets(at) > offset) at = parents(at)
      nodePositions(at)
    }

  /**
   * Whether two paths have the same labels on the rows before `length`, which both have and which
   * are not committed.
   */
  def sameLabels(left: Int, right: Int, length: Long, automaton: Automaton): Boolean = {
    var a = before(left, length)
    var b = before(right, length)
    while (a != b && automaton.symbolOf(nodePositions(a)) == automaton.symbolOf(nodePositions(b))) {
      val from = offsets(a).max(offsets(b))
      a = before(a, from)
      b = before(b, from)
      work.add(1)
    }
    a == b
  }

  /** The run of the row before row `offset` of a path. */
  private def before(node: Int, offset: Long): Int =
    if (node != Root && offsets(node) == offset) parents(node) else node

  /** Whether enough nodes were added since the last compaction for another one to pay off. */
  def wantsCompaction: Boolean = used >= threshold

  /**
   * Begins a compaction: call `mark` for each open path, `compact`, then `renumber` their nodes.
   */
  def startMarking(): Unit = {
    Arrays.fill(marks, 0, used, Unmarked)
    rootChildren = 0
    marked = 0
  }

  /**
   * Marks the nodes of a path that ends in `last`.
   *
   * @param isOpen
   *   whether the path goes on
   */
  def mark(last: Int, isOpen: Boolean): Unit = {
    var node = last
    var isChild = false
    while (node != Root && marks(node) == Unmarked) {
      marks(node) = if (isChild) 1 else 0
      marked += 1
      isChild = true
      node = parents(node)
    }
    if (isChild) { if (node == Root) rootChildren += 1 else marks(node) += 1 }
    if (isOpen && last != Root) marks(last) += 1
  }

  /**
   * Drops the nodes of no path that was marked.
   *
   * @param kept
   *   the end of a path that does not go on, or `Root`
   * @param keptLength
   *   its rows
   */
  def compact(kept: Int, keptLength: Long): Unit = {
    val first = if (isSaved || marked * 2 >= firstNodes) commit(kept, keptLength) else 0
    var next = 0
    var node = 0
    while (node < used) {
      if (marks(node) != Unmarked) {
        if (node < first) marks(node) = Root
        else {
          val parent = parents(node)
          parents(next) = if (parent == Root) Root else marks(parent)
          nodePositions(next) = nodePositions(node)
          offsets(next) = offsets(node)
          marks(node) = next
          next += 1
        }
      }
      node += 1
    }
    used = next
    threshold = firstNodes.max(next * 2)
  }

  /** Commits the rows common to all open paths; returns the first node that remains. */
  private def commit(kept: Int, keptLength: Long): Int = {
    var last = Root
    var children = rootChildren
    var node = 0
    var isCommon = true
    while (isCommon && node < used) {
      if (marks(node) != Unmarked) {
        // Nodes are in order, so this is the first child of the last one.
        isCommon = children == 1 && (last == Root || last != kept || offsets(node) >= keptLength)
        if (isCommon) {
          if (last != Root) commitRun(nodePositions(last), offsets(node))
          last = node
          children = marks(node)
        }
      }
      node += 1
    }
    last.max(0)
  }

  private def commitRun(position: Int, end: Long): Unit = {
    committed.ensure(end)
    while (committedRows < end) {
      committed(committedRows) = position
      committedRows += 1
      work.add(1)
    }
  }

  /** The number that a marked node has after compaction. */
  def renumber(node: Int): Int = if (node == Root) Root else marks(node)

  /** Saves the committed prefix and the tree, best after a compaction. */
  def save(out: StateWriter): Unit = {
    out.putLong(committedRows)
    var offset = 0L
    while (offset < committedRows) {
      out.putInt(committed(offset))
      offset += 1
    }
    out.putInt(used)
    (0 until used).foreach { node =>
      out.putInt(node - parents(node))
      out.putInt(nodePositions(node))
    }
  }

  def restore(in: StateReader): Unit = {
    clear()
    committedRows = in.getLong()
    committed.ensure(committedRows)
    var offset = 0L
    while (offset < committedRows) {
      committed(offset) = in.getInt()
      offset += 1
    }
    (0 until in.getInt()).foreach { node =>
      val parent = node - in.getInt()
      add(parent, in.getInt(), if (parent == Root) committedRows else offsets(parent) + 1)
    }
    threshold = firstNodes.max(used * 2)
  }

  private def grow(): Unit = {
    val capacity = account.grown(parents.length, used + 1)
    account.charge((capacity - parents.length) * NodeBytes)
    parents = Arrays.copyOf(parents, capacity)
    nodePositions = Arrays.copyOf(nodePositions, capacity)
    offsets = Arrays.copyOf(offsets, capacity)
    marks = Arrays.copyOf(marks, capacity)
  }
}

private[matcher] object PathTree {
  final val Root = -1
  private final val Unmarked = -2
  private final val NodeBytes = 20L
  private final val MaxFirstRoom = 64
}
