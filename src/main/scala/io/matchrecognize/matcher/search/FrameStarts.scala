package io.matchrecognize.matcher.search

import java.util.BitSet

import io.matchrecognize.matcher.{MatchInput, Matcher, WorkMeter}

/**
 * From which rows of a bounded frame a match may start, for SEEK: start rows are judged once, not
 * for each frame that they are in.
 *
 * A start row is open in a frame if its shortest match ends there. So it is entered when the frame
 * reaches it, in a list by the row after its shortest match, and opened when the frame's end is
 * there. The shortest match is that of [[ShortestMatches]], a lower bound; where conditions read
 * more than rows, the start row is judged by a matcher once the frame reaches that bound. What
 * cannot be judged is opened.
 *
 * It answers for start rows whose conditions do not depend on where the frame begins, those from
 * `frameReach` on. Where a condition depends on the frame's end, nothing is judged.
 *
 * Start rows and ends are kept modulo a power of two that is larger than the frame.
 *
 * @param frameRows
 *   rows of a frame
 */
private[search] final class FrameStarts(
    rowCount: Long,
    frameRows: Int,
    input: MatchInput,
    bound: Option[ShortestMatches],
    symbols: Range,
    judge: => Matcher
) {
  import FrameStarts._

  private val size = Integer.highestOneBit(frameRows + 1) * 2
  private val mask = size - 1
  input.reserve(bytes)
  // Lists of start rows, modulo `size`: the first of each end, and the next one of each.
  private val firsts = Array.fill(size)(None)
  private val nexts = new Array[Int](size)
  private val isOpen = new BitSet(size)
  private val isJudged = new BitSet(size)
  private var lastEnd = 0L

  private val isExact = bound.isDefined && symbols.forall { symbol =>
    input.alwaysTrue(symbol) || (input.rowLocal(symbol) && input.hasNecessaryInFrame(symbol))
  }
  private val judges = !isExact && !input.dependsOnFrameEnd
  private lazy val judging = judge
  private val work = new WorkMeter(input.checkCancelled _)

  private def bytes: Long = size * BytesPerRow

  /** Returns its memory to the task. */
  def free(): Unit = {
    input.release(bytes)
    bound.foreach(_.free())
  }

  /** Moves to the frame from `first` to before `end`; frames ascend, and so do their ends. */
  def moveTo(first: Long, end: Long): Unit = while (lastEnd < end) {
    lastEnd += 1
    work.add(1)
    val entered = lastEnd - 1
    isOpen.clear((entered & mask).toInt)
    isJudged.clear((entered & mask).toInt)
    if (entered >= first) enter(entered, first)
    open(first)
  }

  /** The first open row from `from` to before `end`, the frame's end; -1 if there is none. */
  def next(from: Long, end: Long): Long = {
    val distance = if (from >= end || isOpen.isEmpty) -1L else distanceToOpen((from & mask).toInt)
    if (distance >= 0 && from + distance < end) from + distance else -1L
  }

  private def distanceToOpen(from: Int): Long = {
    val found = isOpen.nextSetBit(from)
    if (found >= 0) (found - from).toLong
    else {
      val wrapped = isOpen.nextSetBit(0)
      if (wrapped < 0) -1L else (wrapped + size - from).toLong
    }
  }

  private def enter(start: Long, first: Long): Unit = {
    val rows = if (bound.isEmpty) 0 else bound.get.lengthAt(start, first)
    if (rows <= frameRows) put(start, (start + rows).max(lastEnd))
  }

  private def put(start: Long, end: Long): Unit = {
    val (slot, list) = ((start & mask).toInt, (end & mask).toInt)
    nexts(slot) = firsts(list)
    firsts(list) = slot
  }

  /** Opens those whose shortest match ends at the frame's end. */
  private def open(first: Long): Unit = {
    val list = (lastEnd & mask).toInt
    var slot = firsts(list)
    firsts(list) = None
    while (slot != None) {
      val next = nexts(slot)
      // The last row of this number.
      val start = lastEnd - ((lastEnd - slot) & mask)
      if (start >= first + input.frameReach) {
        if (judges && !isJudged.get(slot)) openJudged(start, slot) else isOpen.set(slot)
      }
      slot = next
    }
  }

  private def openJudged(start: Long, slot: Int): Unit = {
    isJudged.set(slot)
    input.limit((start - input.frameReach).max(0L), rowCount)
    val rows = judging.shortest(start, (start + frameRows).min(rowCount))
    if (rows == Matcher.UnknownRows || (rows >= 0 && start + rows <= lastEnd)) isOpen.set(slot)
    else if (rows >= 0) put(start, start + rows)
  }
}

private[search] object FrameStarts {
  private final val None = -1
  private final val BytesPerRow = 9L

  /** The most rows of a frame. */
  final val MaxRows = 1 << 18
}
