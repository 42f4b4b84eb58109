package io.matchrecognize.matcher.threads

import java.util.Arrays

import io.matchrecognize.matcher.MemoryAccount
import io.matchrecognize.matcher.state.{StateReader, StateWriter}

/**
 * Start rows whose attempts have the same future: after the last row their threads, most preferred
 * first, are at the same positions. Start rows ascend; each has the end of its most preferred match
 * so far.
 *
 * Consecutive start rows with the same end are kept as one run, so that a group of a million start
 * rows may take a few bytes.
 *
 * @param positions
 *   positions of the automaton, most preferred first
 */
private[matcher] final class StartRuns(var positions: Array[Int]) {
  import StartRuns._

  // Of each run: the first start row, their number and the end of their matches.
  private var starts = new Array[Long](4)
  private var counts = new Array[Long](4)
  private var ends = new Array[Long](4)
  private var from = 0
  private var to = 0
  // All runs before index `accepted` have a match that ends at `acceptedEnd`.
  private var accepted = 0
  private var acceptedEnd = NoMatch

  def isEmpty: Boolean = from == to

  /** The number of start rows. */
  def size: Long = counts.view.slice(from, to).sum

  def runs: Int = to - from

  /** About what the group takes in memory. */
  def bytes: Long = 200L + positions.length * 4L + starts.length * 24L

  def first: Long = starts(from)

  def last: Long = starts(to - 1) + counts(to - 1) - 1

  /** End of the first start row's match so far, `NoMatch` if there is none. */
  def firstEnd: Long = endAt(from)

  def dropFirst(): Unit = dropTo(first + 1)

  /** Drops the start rows before `start`. */
  def dropTo(start: Long): Unit = {
    while (!isEmpty && starts(from) + counts(from) <= start) from += 1
    if (!isEmpty && starts(from) < start) {
      counts(from) -= start - starts(from)
      starts(from) = start
    }
  }

  /** Adds start rows after the last one. */
  def add(start: Long, count: Long, end: Long): Unit =
    if (!isEmpty && last + 1 == start && endAt(to - 1) == end) counts(to - 1) += count
    else {
      if (to == starts.length) makeRoom()
      starts(to) = start
      counts(to) = count
      ends(to) = end
      to += 1
    }

  /** All start rows have a match that ends at `end`. */
  def accept(end: Long): Unit = {
    accepted = to
    acceptedEnd = end
  }

  /** Takes over the start rows of another group. */
  def take(other: StartRuns): Unit =
    if (isEmpty || last < other.first) while (!other.isEmpty) moveRun(other)
    else {
      val merged = new StartRuns(positions)
      while (!isEmpty || !other.isEmpty)
        merged.moveRun(if (other.isEmpty || (!isEmpty && first < other.first)) this else other)
      starts = merged.starts
      counts = merged.counts
      ends = merged.ends
      from = merged.from
      to = merged.to
      accepted = 0
    }

  def save(out: StateWriter): Unit = {
    out.putInt(positions.length)
    positions.foreach(out.putInt)
    out.putInt(to - from)
    var next = 0L
    (from until to).foreach { run =>
      out.putLong(starts(run) - next)
      out.putLong(counts(run))
      val end = endAt(run)
      out.putLong(if (end == NoMatch) NoMatch else end - starts(run))
      next = starts(run) + counts(run)
    }
  }

  private def endAt(run: Int): Long = if (run < accepted) acceptedEnd else ends(run)

  private def moveRun(other: StartRuns): Unit = {
    add(other.starts(other.from), other.counts(other.from), other.firstEnd)
    other.from += 1
  }

  private def makeRoom(): Unit = {
    val size = to - from
    if (size > starts.length / 2) {
      val capacity = (starts.length.toLong * 2).min(MemoryAccount.MaxArray.toLong).toInt
      starts = Arrays.copyOfRange(starts, from, from + capacity)
      counts = Arrays.copyOfRange(counts, from, from + capacity)
      ends = Arrays.copyOfRange(ends, from, from + capacity)
    } else {
      System.arraycopy(starts, from, starts, 0, size)
      System.arraycopy(counts, from, counts, 0, size)
      System.arraycopy(ends, from, ends, 0, size)
    }
    accepted = (accepted - from).max(0)
    from = 0
    to = size
  }
}

private[matcher] object StartRuns {
  final val NoMatch = -1L

  def read(in: StateReader): StartRuns = {
    val group = new StartRuns(Array.fill(in.getInt())(in.getInt()))
    var next = 0L
    (0 until in.getInt()).foreach { _ =>
      val start = next + in.getLong()
      val count = in.getLong()
      val end = in.getLong()
      group.add(start, count, if (end == NoMatch) NoMatch else start + end)
      next = start + count
    }
    group
  }
}
