package io.matchrecognize.matcher.threads

import java.util.Arrays

import io.matchrecognize.matcher.state.{StateReader, StateWriter}
import io.matchrecognize.matcher.{MemoryAccount, WorkMeter}
import io.matchrecognize.pattern.Automaton

/**
 * The paths of one attempt as a tree of parent pointers: a node is a position and the node of the
 * row before it. Rows common to all open paths move from the tree to a `PositionBuffer`, the
 * committed prefix, so that a single long path costs no nodes.
 *
 * Node `Root` is the end of the committed prefix. A node's parent has a smaller number.
 */
private[matcher] final class PathTree(positions: Int, account: MemoryAccount, firstNodes: Int) {
  import PathTree._

  private val committed = new PositionBuffer(positions, account)
  private var parents = new Array[Int](firstNodes)
  private var nodePositions = new Array[Int](firstNodes)
  // While compacting: marked children per node, then the new number of a marked node.
  private var marks = new Array[Int](firstNodes)
  private var used = 0
  private var prefix = 0L
  private var threshold = firstNodes
  account.charge(firstNodes * NodeBytes)

  def clear(): Unit = {
    used = 0
    prefix = 0
    threshold = firstNodes
  }

  def add(parent: Int, position: Int): Int = {
    val node = used
    if (node == parents.length) grow()
    parents(node) = parent
    nodePositions(node) = position
    used = node + 1
    node
  }

  def parent(node: Int): Int = parents(node)

  def position(node: Int): Int = nodePositions(node)

  /** Position of row `offset` of a path that is `length` rows long and ends in `node`. */
  def positionAt(offset: Long, node: Int, length: Long): Int =
    if (offset < prefix) committed(offset)
    else {
      var at = node
      var back = length - 1 - offset
      while (back > 0) {
        at = parents(at)
        back -= 1
      }
      nodePositions(at)
    }

  /** Whether two paths of equal length have the same labels. */
  def sameLabels(left: Int, right: Int, automaton: Automaton, work: WorkMeter): Boolean = {
    var a = left
    var b = right
    while (a != b && automaton.symbolOf(nodePositions(a)) == automaton.symbolOf(nodePositions(b))) {
      a = parents(a)
      b = parents(b)
      work.add(1)
    }
    a == b
  }

  /** Position of row `offset` of the committed prefix. */
  def committedAt(offset: Long): Int = committed(offset)

  /** Makes the path that ends in `node` the committed prefix. */
  def commit(node: Int, length: Long): Unit = {
    committed.ensure(length)
    var at = node
    var offset = length - 1
    while (at != Root) {
      committed(offset) = nodePositions(at)
      at = parents(at)
      offset -= 1
    }
    prefix = length
  }

  /** Whether enough nodes were added since the last compaction for another one to pay off. */
  def wantsCompaction: Boolean = used >= threshold

  /**
   * Drops the nodes that no open path needs and commits the rows common to all open paths. The
   * caller marks the last node of each path, calls this, and then renumbers each of them.
   */
  def compact(): Unit = {
    var next = 0
    var tail = Root
    var tailChildren = rootChildren
    var node = 0
    while (node < used) {
      val children = marks(node)
      if (children != Unmarked) {
        if (parents(node) == tail && tailChildren == 1) {
          committed.ensure(prefix + 1)
          committed(prefix) = nodePositions(node)
          prefix += 1
          tail = node
          tailChildren = children
          marks(node) = Root
        } else {
          val parent = parents(node)
          parents(next) = if (parent == Root) Root else marks(parent)
          nodePositions(next) = nodePositions(node)
          marks(node) = next
          next += 1
        }
      }
      node += 1
    }
    used = next
    threshold = firstNodes.max(next * 2)
  }

  private var rootChildren = 0

  def startMarking(): Unit = {
    Arrays.fill(marks, 0, used, Unmarked)
    rootChildren = 0
  }

  /** Marks a node and those before it; marked nodes count their marked children. */
  def mark(last: Int): Unit = {
    var node = last
    if (node != Root && marks(node) == Unmarked) {
      marks(node) = 0
      var up = parents(node)
      while (up != Root && marks(up) == Unmarked) {
        marks(up) = 1
        node = up
        up = parents(up)
      }
      if (up == Root) rootChildren += 1 else marks(up) += 1
    }
  }

  /** The number that a marked node has after compaction. */
  def renumber(node: Int): Int = if (node == Root) Root else marks(node)

  /** Saves the committed prefix and the tree, best after a compaction. */
  def save(out: StateWriter): Unit = {
    out.putLong(prefix)
    var offset = 0L
    while (offset < prefix) {
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
    prefix = in.getLong()
    committed.ensure(prefix)
    var offset = 0L
    while (offset < prefix) {
      committed(offset) = in.getInt()
      offset += 1
    }
    (0 until in.getInt()).foreach(_ => add(used - in.getInt(), in.getInt()))
    threshold = firstNodes.max(used * 2)
  }

  private def grow(): Unit = {
    val capacity = account.grown(parents.length, used + 1)
    account.charge((capacity - parents.length) * NodeBytes)
    parents = Arrays.copyOf(parents, capacity)
    nodePositions = Arrays.copyOf(nodePositions, capacity)
    marks = Arrays.copyOf(marks, capacity)
  }
}

private[matcher] object PathTree {
  final val Root = -1
  private final val Unmarked = -2
  private final val NodeBytes = 12L
}
