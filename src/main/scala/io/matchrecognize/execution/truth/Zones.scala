package io.matchrecognize.execution.truth

import java.util.Arrays

import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.truth.Zones._
import io.matchrecognize.matcher.{Truth, TruthWords}

/**
 * The rows of a partition in zones of 64, these in zones of 64 zones, and so on. Level 1 has the
 * zones of rows. What is known about a zone is computed when it is asked for.
 *
 * @param store
 *   accounts for bytes before they are allocated
 */
private[truth] abstract class Zones(bytesPerZone: Long, store: Rows) {
  protected var rows = 0L
  // For each level, for each zone: 0 or what `summarise` returned.
  private var known = new Array[Array[Byte]](0)

  /** Begins a partition. */
  def reset(partitionRows: Long): Unit = {
    known.indices.foreach { level =>
      Arrays.fill(known(level), 0, zonesOf(level + 1).min(known(level).length), 0.toByte)
    }
    rows = partitionRows
    var level = 0
    while (zonesOf(level + 1) > 0 && (level == 0 || zonesOf(level) > 1)) {
      val zones = zonesOf(level + 1)
      if (level == known.length) known = Arrays.copyOf(known, level + 1)
      val room = if (known(level) == null) 0 else known(level).length
      if (room < zones) {
        val larger = zones.max(room * 2)
        store.reserve((larger - room) * (bytesPerZone + 1))
        known(level) = new Array[Byte](larger)
        grow(level, larger)
      }
      level += 1
    }
  }

  /** Rows of the partition. */
  def length: Long = rows

  /** Zones of a level in the partition. */
  def zonesOf(level: Int): Int = ((rows + (1L << (level * Bits)) - 1) >>> (level * Bits)).toInt

  /** What is known about a zone, never 0. */
  final def state(level: Int, zone: Int): Int = {
    val states = known(level - 1)
    if (states(zone) == 0) {
      store.checkCancelled()
      if (level > 1) {
        var child = zone << Bits
        val end = zonesOf(level - 1).min(child + Size)
        while (child < end) {
          state(level - 1, child)
          child += 1
        }
      }
      states(zone) = summarise(level, zone).toByte
    }
    states(zone).toInt
  }

  /** Makes room for the zones of a level, numbered from 0. */
  protected def grow(level: Int, zones: Int): Unit

  /** Computes what is known about a zone from its rows or, above level 1, its known children. */
  protected def summarise(level: Int, zone: Int): Int
}

private[truth] object Zones {
  final val Bits = 6
  final val Size = 64

  /** The condition is TRUE on no row, on some or perhaps some, on all rows. */
  final val No = 1
  final val Some = 2
  final val All = 3
}

/**
 * On which rows a row-local condition is TRUE.
 *
 * @param test
 *   its [[io.matchrecognize.matcher.Truth]] on a row
 * @param words
 *   null if rows are tested one by one
 */
private[truth] final class TestZones(test: Long => Int, store: Rows, words: TruthWords = null)
    extends Zones(16, store) {
  private var possible = new Array[Long](0)
  private var certain = new Array[Long](0)

  /** Rows of a zone, one bit each, where the condition is TRUE or fails. */
  def possibleIn(zone: Int): Long = {
    state(1, zone)
    possible(zone)
  }

  /** Rows where it is TRUE. */
  def certainIn(zone: Int): Long = {
    state(1, zone)
    certain(zone)
  }

  override protected def grow(level: Int, zones: Int): Unit = if (level == 0) {
    possible = new Array[Long](zones)
    certain = new Array[Long](zones)
  }

  override protected def summarise(level: Int, zone: Int): Int =
    if (level == 1) {
      val first = zone.toLong << Bits
      val count = (rows - first).min(Size.toLong).toInt
      var may = if (words == null) 0L else words.word(zone)
      var is = may
      var i = if (words == null) 0 else count
      while (i < count) {
        val truth = test(first + i)
        if (truth != Truth.False) may |= 1L << i
        if (truth == Truth.True) is |= 1L << i
        i += 1
      }
      possible(zone) = may
      certain(zone) = is
      if (may == 0) No else if (java.lang.Long.bitCount(is) == count) All else Zones.Some
    } else {
      val first = zone << Bits
      val end = zonesOf(level - 1).min(first + Size)
      val kind = state(level - 1, first)
      var child = first + 1
      while (child < end && state(level - 1, child) == kind) child += 1
      if (child == end) kind else Zones.Some
    }
}

/** The smallest and largest value of the rows that have one. */
private[truth] final class ValueZones(
    isNull: Long => Boolean,
    value: Long => Long,
    store: Rows
) extends Zones(16, store) {
  private var minima = new Array[Array[Long]](0)
  private var maxima = new Array[Array[Long]](0)

  def isNullAt(row: Long): Boolean = isNull(row)

  def valueAt(row: Long): Long = value(row)

  /** Whether all rows of a zone have a value. */
  def isComplete(level: Int, zone: Int): Boolean = state(level, zone) == Complete

  /** The smallest value of a zone; larger than the largest if its rows have none. */
  def least(level: Int, zone: Int): Long = {
    state(level, zone)
    minima(level - 1)(zone)
  }

  def most(level: Int, zone: Int): Long = {
    state(level, zone)
    maxima(level - 1)(zone)
  }

  private final val Complete = 1
  private final val WithNulls = 2

  override protected def grow(level: Int, zones: Int): Unit = {
    if (level == minima.length) {
      minima = Arrays.copyOf(minima, level + 1)
      maxima = Arrays.copyOf(maxima, level + 1)
    }
    minima(level) = new Array[Long](zones)
    maxima(level) = new Array[Long](zones)
  }

  override protected def summarise(level: Int, zone: Int): Int = {
    var least = Long.MaxValue
    var most = Long.MinValue
    var kind = Complete
    if (level == 1) {
      var row = zone.toLong << Bits
      val end = rows.min(row + Size)
      while (row < end) {
        if (isNull(row)) kind = WithNulls
        else {
          val v = value(row)
          least = least.min(v)
          most = most.max(v)
        }
        row += 1
      }
    } else {
      var child = zone << Bits
      val end = zonesOf(level - 1).min(child + Size)
      while (child < end) {
        least = least.min(minima(level - 2)(child))
        most = most.max(maxima(level - 2)(child))
        if (state(level - 1, child) == WithNulls) kind = WithNulls
        child += 1
      }
    }
    minima(level - 1)(zone) = least
    maxima(level - 1)(zone) = most
    kind
  }
}
