package io.matchrecognize.matcher

import java.util.Arrays

/**
 * Start rows whose searches have the same future: after the last row their threads, most preferred
 * first, are at the same positions. Start rows ascend; of each it is known where its most preferred
 * match so far ends.
 *
 * @param positions
 *   positions of the automaton, most preferred first
 */
private[matcher] final class StartGroup(var positions: Array[Int]) {
  import StartGroup._

  private var starts = new Array[Long](4)
  private var ends = new Array[Long](4)
  private var from = 0
  private var to = 0
  // All start rows before place `accepted` have a match that ends at `acceptedEnd`.
  private var accepted = 0
  private var acceptedEnd = NoMatch

  def isEmpty: Boolean = from == to

  def size: Int = to - from

  /** The first start row. */
  def first: Long = starts(from)

  /** The last start row. */
  def last: Long = starts(to - 1)

  /** End of the first start row's match so far, `NoMatch` if there is none. */
  def firstEnd: Long = endAt(from)

  def dropFirst(): Unit = from += 1

  def add(start: Long, end: Long): Unit = {
    if (to == starts.length) makeRoom(1)
    starts(to) = start
    ends(to) = end
    to += 1
  }

  /** All start rows have a match that ends at `end`. */
  def accept(end: Long): Unit = {
    accepted = to
    acceptedEnd = end
  }

  /** Takes over the start rows of another group of the same positions. */
  def take(other: StartGroup): Unit =
    if (isEmpty || last < other.first) {
      if (starts.length - to < other.size) makeRoom(other.size)
      while (!other.isEmpty) {
        add(other.first, other.firstEnd)
        other.dropFirst()
      }
    } else interleave(other)

  def save(out: StateWriter): Unit = {
    out.putInt(positions.length)
    positions.foreach(out.putInt)
    out.putInt(size)
    var previous = 0L
    var i = from
    while (i < to) {
      out.putLong(starts(i) - previous)
      previous = starts(i)
      out.putLong(if (endAt(i) == NoMatch) NoMatch else endAt(i) - previous)
      i += 1
    }
  }

  private def endAt(place: Int): Long = if (place < accepted) acceptedEnd else ends(place)

  private def interleave(other: StartGroup): Unit = {
    val merged = new Array[Long](size + other.size)
    val mergedEnds = new Array[Long](merged.length)
    var i = 0
    while (!isEmpty || !other.isEmpty) {
      val next = if (other.isEmpty || (!isEmpty && first < other.first)) this else other
      merged(i) = next.first
      mergedEnds(i) = next.firstEnd
      next.dropFirst()
      i += 1
    }
    starts = merged
    ends = mergedEnds
    from = 0
    to = i
    accepted = 0
  }

  private def makeRoom(more: Int): Unit = {
    val count = size
    val source = from
    if (count + more > starts.length / 2) {
      val capacity = (starts.length.toLong * 2).max(count.toLong + more)
      val length = capacity.min(MemoryAccount.MaxArray.toLong).toInt
      starts = Arrays.copyOfRange(starts, source, source + length)
      ends = Arrays.copyOfRange(ends, source, source + length)
    } else {
      System.arraycopy(starts, source, starts, 0, count)
      System.arraycopy(ends, source, ends, 0, count)
    }
    accepted = (accepted - source).max(0)
    from = 0
    to = count
  }
}

private[matcher] object StartGroup {
  final val NoMatch = -1L

  def read(in: StateReader): StartGroup = {
    val group = new StartGroup(Array.fill(in.getInt())(in.getInt()))
    var count = in.getInt()
    var start = 0L
    while (count > 0) {
      start += in.getLong()
      val length = in.getLong()
      group.add(start, if (length == NoMatch) NoMatch else start + length)
      count -= 1
    }
    group
  }
}
