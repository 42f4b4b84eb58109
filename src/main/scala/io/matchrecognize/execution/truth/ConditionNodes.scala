package io.matchrecognize.execution.truth

/** A part of a condition, for the start row that `AnchoredConditions` is asked about. */
private[truth] abstract class Node {

  /** Begins a partition. */
  def reset(rows: Long): Unit = ()

  /** `Zones.No`, `Some` or `All`. */
  def state(level: Int, zone: Int): Int

  /** Those of some rows of a zone of level 1, one bit each, where it may be TRUE or fail. */
  def possible(zone: Int, among: Long): Long

  /** Those where it is certainly TRUE. */
  def certain(zone: Int, among: Long): Long

  /** Whether a part that may fail may do so on a row of a zone. */
  def mayFailIn(level: Int, zone: Int): Boolean = true
}

private[truth] final class TestNode(test: TestZones) extends Node {
  override def reset(rows: Long): Unit = test.reset(rows)
  override def state(level: Int, zone: Int): Int = test.state(level, zone)
  override def possible(zone: Int, among: Long): Long = among & test.possibleIn(zone)
  override def certain(zone: Int, among: Long): Long = among & test.certainIn(zone)
}

private[truth] object OpaqueNode extends Node {
  override def state(level: Int, zone: Int): Int = Zones.Some
  override def possible(zone: Int, among: Long): Long = among
  override def certain(zone: Int, among: Long): Long = 0L
}

/**
 * Parts that are evaluated in order: once one is not TRUE (in AND) or TRUE (in OR), those after it
 * are not. So what one part says of some rows counts if no part before it may fail there.
 *
 * @param fallible
 *   for each part whether it may fail where nothing is known about it
 */
private[truth] abstract class GroupNode(parts: Array[Node], fallible: Array[Boolean]) extends Node {
  override def reset(rows: Long): Unit = parts.foreach(_.reset(rows))

  override def mayFailIn(level: Int, zone: Int): Boolean =
    parts.indices.exists(mayFail(_, level, zone))

  protected final def mayFail(part: Int, level: Int, zone: Int): Boolean =
    fallible(part) && parts(part).mayFailIn(level, zone)

  /** The state of the parts if one that is `deciding` hides those after it. */
  protected final def state(level: Int, zone: Int, deciding: Int): Int = {
    val other = Zones.No + Zones.All - deciding
    var known = other
    var i = 0
    while (i < parts.length) {
      val part = parts(i).state(level, zone)
      if (part == deciding) return deciding
      if (part == Zones.Some) {
        if (mayFail(i, level, zone)) return Zones.Some
        known = Zones.Some
      }
      i += 1
    }
    known
  }
}

private[truth] final class AllNode(parts: Array[Node], fallible: Array[Boolean])
    extends GroupNode(parts, fallible) {
  override def state(level: Int, zone: Int): Int = state(level, zone, Zones.No)

  override def possible(zone: Int, among: Long): Long = {
    var rows = among
    var failing = 0L
    var i = 0
    while (i < parts.length && rows != 0) {
      rows = parts(i).possible(zone, rows)
      if (rows != 0 && mayFail(i, 1, zone)) {
        val certain = parts(i).certain(zone, rows)
        failing |= rows & ~certain
        rows = certain
      }
      i += 1
    }
    rows | failing
  }

  override def certain(zone: Int, among: Long): Long = {
    var rows = among
    var i = 0
    while (i < parts.length && rows != 0) {
      rows = parts(i).certain(zone, rows)
      i += 1
    }
    rows
  }
}

private[truth] final class AnyNode(parts: Array[Node], fallible: Array[Boolean])
    extends GroupNode(parts, fallible) {
  override def state(level: Int, zone: Int): Int = state(level, zone, Zones.All)

  override def possible(zone: Int, among: Long): Long =
    parts.foldLeft(0L)((rows, part) => rows | part.possible(zone, among))

  override def certain(zone: Int, among: Long): Long = {
    var rows = among
    var found = 0L
    var i = 0
    while (i < parts.length && rows != 0) {
      val certain = parts(i).certain(zone, rows)
      found |= certain
      rows &= ~certain
      if (rows != 0 && mayFail(i, 1, zone)) rows &= ~parts(i).possible(zone, rows)
      i += 1
    }
    found
  }
}
