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

private[anchored] final class AllNode(parts: Array[Node]) extends Node {
  override def reset(rows: Long): Unit = parts.foreach(_.reset(rows))

  override def state(level: Int, block: Int): Int = {
    var least = Blocks.All
    var i = 0
    while (i < parts.length && least != Blocks.No) {
      least = least.min(parts(i).state(level, block))
      i += 1
    }
    least
  }

  override def possible(block: Int, among: Long): Long = {
    var rows = among
    var i = 0
    while (i < parts.length && rows != 0) {
      rows = parts(i).possible(block, rows)
      i += 1
    }
    rows
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

private[anchored] final class AnyNode(parts: Array[Node]) extends Node {
  override def reset(rows: Long): Unit = parts.foreach(_.reset(rows))
  override def state(level: Int, block: Int): Int = parts.iterator.map(_.state(level, block)).max
  override def possible(block: Int, among: Long): Long =
    parts.foldLeft(0L)((rows, part) => rows | part.possible(block, among))
  override def certain(block: Int, among: Long): Long =
    parts.foldLeft(0L)((rows, part) => rows | part.certain(block, among))
}
