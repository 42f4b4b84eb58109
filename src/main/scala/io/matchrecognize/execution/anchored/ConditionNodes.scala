package io.matchrecognize.execution.anchored

/** A part of a condition, for the start row that `AnchoredConditions` is asked about. */
private[anchored] abstract class Node {

  /** Begins a partition. */
  def reset(rows: Long): Unit = ()

  /** `Blocks.No`, `Some` or `All`. */
  def state(level: Int, block: Int): Int

  /** Those of some rows of a block of level 1, one bit each, where it may be TRUE or fail. */
  def possible(block: Int, among: Long): Long

  /** Those where it is certainly TRUE. */
  def certain(block: Int, among: Long): Long

  /** Whether a part that may fail may do so on a row of a block. */
  def mayFailIn(level: Int, block: Int): Boolean = true
}

private[anchored] final class TestNode(test: TestBlocks) extends Node {
  override def reset(rows: Long): Unit = test.reset(rows)
  override def state(level: Int, block: Int): Int = test.state(level, block)
  override def possible(block: Int, among: Long): Long = among & test.possibleIn(block)
  override def certain(block: Int, among: Long): Long = among & test.certainIn(block)
}

private[anchored] object OpaqueNode extends Node {
  override def state(level: Int, block: Int): Int = Blocks.Some
  override def possible(block: Int, among: Long): Long = among
  override def certain(block: Int, among: Long): Long = 0L
}

/**
 * Parts that are evaluated in order: once one is not TRUE (in AND) or TRUE (in OR), those after it
 * are not. So what one part says of some rows counts if no part before it may fail there.
 *
 * @param fallible
 *   for each part whether it may fail where nothing is known about it
 */
private[anchored] abstract class GroupNode(parts: Array[Node], fallible: Array[Boolean])
    extends Node {
  override def reset(rows: Long): Unit = parts.foreach(_.reset(rows))

  override def mayFailIn(level: Int, block: Int): Boolean =
    parts.indices.exists(mayFail(_, level, block))

  protected final def mayFail(part: Int, level: Int, block: Int): Boolean =
    fallible(part) && parts(part).mayFailIn(level, block)

  /** The state of the parts if one that is `deciding` hides those after it. */
  protected final def state(level: Int, block: Int, deciding: Int): Int = {
    val other = Blocks.No + Blocks.All - deciding
    var known = other
    var i = 0
    while (i < parts.length) {
      val part = parts(i).state(level, block)
      if (part == deciding) return deciding
      if (part == Blocks.Some) {
        if (mayFail(i, level, block)) return Blocks.Some
        known = Blocks.Some
      }
      i += 1
    }
    known
  }
}

private[anchored] final class AllNode(parts: Array[Node], fallible: Array[Boolean])
    extends GroupNode(parts, fallible) {
  override def state(level: Int, block: Int): Int = state(level, block, Blocks.No)

  override def possible(block: Int, among: Long): Long = {
    var rows = among
    var failing = 0L
    var i = 0
    while (i < parts.length && rows != 0) {
      rows = parts(i).possible(block, rows)
      if (rows != 0 && mayFail(i, 1, block)) {
        val certain = parts(i).certain(block, rows)
        failing |= rows & ~certain
        rows = certain
      }
      i += 1
    }
    rows | failing
  }

  override def certain(block: Int, among: Long): Long = {
    var rows = among
    var i = 0
    while (i < parts.length && rows != 0) {
      rows = parts(i).certain(block, rows)
      i += 1
    }
    rows
  }
}

private[anchored] final class AnyNode(parts: Array[Node], fallible: Array[Boolean])
    extends GroupNode(parts, fallible) {
  override def state(level: Int, block: Int): Int = state(level, block, Blocks.All)

  override def possible(block: Int, among: Long): Long =
    parts.foldLeft(0L)((rows, part) => rows | part.possible(block, among))

  override def certain(block: Int, among: Long): Long = {
    var rows = among
    var found = 0L
    var i = 0
    while (i < parts.length && rows != 0) {
      val certain = parts(i).certain(block, rows)
      found |= certain
      rows &= ~certain
      if (rows != 0 && mayFail(i, 1, block)) rows &= ~parts(i).possible(block, rows)
      i += 1
    }
    found
  }
}
