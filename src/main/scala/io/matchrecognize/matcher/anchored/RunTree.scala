package io.matchrecognize.matcher.anchored

import java.util.Arrays

import io.matchrecognize.matcher.MemoryAccount

/**
 * The paths of one attempt as a tree of runs: a node is a position, the offset of the first row
 * that it maps, and the node of the run before. A run ends where the next one of its path begins,
 * so a loop over one position takes one node, however many rows it maps.
 *
 * A node's parent has a smaller number.
 */
private[anchored] final class RunTree(account: MemoryAccount, firstNodes: Int) {
  import RunTree._

  private var parents = new Array[Int](firstNodes)
  private var nodePositions = new Array[Int](firstNodes)
  private var offsets = new Array[Long](firstNodes)
  private var marks = new Array[Int](firstNodes)
  private var used = 0
  private var threshold = firstNodes
  account.charge(firstNodes * NodeBytes)

  def size: Int = used

  def clear(): Unit = {
    used = 0
    threshold = firstNodes
  }

  def add(parent: Int, position: Int, offset: Long): Int = {
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

  /** Whether enough nodes were added since the last compaction for another one to pay off. */
  def wantsCompaction: Boolean = used >= threshold

  /** Drops the nodes of no path: `mark` the ends of all paths, `compact`, `renumber` them. */
  def startMarking(): Unit = Arrays.fill(marks, 0, used, Unmarked)

  def mark(last: Int): Unit = {
    var node = last
    while (node != Root && marks(node) == Unmarked) {
      marks(node) = 0
      node = parents(node)
    }
  }

  def compact(): Unit = {
    var next = 0
    var node = 0
    while (node < used) {
      if (marks(node) != Unmarked) {
        val parent = parents(node)
        parents(next) = if (parent == Root) Root else marks(parent)
        nodePositions(next) = nodePositions(node)
        offsets(next) = offsets(node)
        marks(node) = next
        next += 1
      }
      node += 1
    }
    used = next
    threshold = firstNodes.max(next * 2)
  }

  def renumber(node: Int): Int = if (node == Root) Root else marks(node)

  private def grow(): Unit = {
    val capacity = account.grown(parents.length, used + 1)
    account.charge((capacity - parents.length) * NodeBytes)
    parents = Arrays.copyOf(parents, capacity)
    nodePositions = Arrays.copyOf(nodePositions, capacity)
    offsets = Arrays.copyOf(offsets, capacity)
    marks = Arrays.copyOf(marks, capacity)
  }
}

private[anchored] object RunTree {
  final val Root = -1
  private final val Unmarked = -2
  private final val NodeBytes = 20L
}
