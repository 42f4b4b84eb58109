package io.matchrecognize.matcher.twopass

import java.util.Arrays

import io.matchrecognize.matcher.liveness.{LiveStates, ReverseDfa}
import io.matchrecognize.matcher.{
  MatchInput,
  MatchSummary,
  SpareMemory,
  SummaryFolds,
  SummaryPlan,
  WorkMeter
}
import io.matchrecognize.pattern.Automaton

/**
 * Summaries of the matches from every start row of a partition, at a cost per row that does not
 * depend on the length of the matches: where matches overlap (AFTER MATCH SKIP TO NEXT ROW),
 * walking each of them could be quadratic.
 *
 * From a position and row on, the preferred path is the same whatever came before (see
 * `TwoPassMatcher`). So a backward pass keeps for each live position the summary of the preferred
 * path from there: that of the next position on the next row, with the row prepended.
 *
 * The summaries at the borders of blocks are kept; those of the rows of one block are computed when
 * the search reaches it. The arrays of a small partition stay for the next one: of partitions with
 * a hundred rows there are many, and asking the task for memory costs as much as some rows.
 */
private[matcher] final class BackwardSummaries(
    automaton: Automaton,
    reach: ReverseDfa,
    states: LiveStates,
    plan: SummaryPlan,
    folds: SummaryFolds,
    input: MatchInput,
    work: WorkMeter
) extends MatchSummary {
  import BackwardSummaries._

  private val layout = new SummaryLayout(plan, automaton.symbols.size)
  private val width = layout.width
  private val positions = automaton.positions
  private val foldCount = plan.folds.size

  private val memory = new SpareMemory(input)

  // One summary for each position, of this row and of the row after it.
  private var here: Summaries = _
  private var after: Summaries = _

  private var rows = 0L
  private var borders = new Array[Summaries](4)
  private var starts: Summaries = _
  private var block = -1L
  private var current = 0

  private final class Summaries(val size: Int) {
    val slots = new Array[Long](size * width)
    val values = new Array[AnyRef](size * foldCount)

    def take(from: Summaries): Unit = {
      System.arraycopy(from.slots, 0, slots, 0, slots.length)
      System.arraycopy(from.values, 0, values, 0, values.length)
    }

    def copy(from: Summaries, source: Int, target: Int): Unit = {
      System.arraycopy(from.slots, source * width, slots, target * width, width)
      if (foldCount > 0)
        System.arraycopy(from.values, source * foldCount, values, target * foldCount, foldCount)
    }

    /** Frees the values of the first summaries. */
    def clear(count: Int): Unit = Arrays.fill(values, 0, count * foldCount, null)
  }

  private def bytesOf(summaries: Long): Long = summaries * (width * 8L + foldCount * FoldBytes)

  /**
   * Begins with start row `from`; no earlier one will be requested.
   *
   * @return
   *   false if there is no memory
   */
  def begin(partitionRows: Long, from: Long): Boolean = {
    rows = partitionRows
    val first = (from >>> BlockBits).toInt
    val last = ((rows - 1) >>> BlockBits).toInt
    memory.retry()
    val isGranted = hasRoom(math.min(rows, BlockRows.toLong).toInt) &&
      memory.take(bytesOf(positions.toLong * (last - first)))
    if (isGranted) {
      if (last >= borders.length) borders = new Array[Summaries](last + 1)
      (last to first by -1).foreach { number =>
        // The search begins in the first one, which is computed last.
        if (number > first) {
          borders(number) = new Summaries(positions)
          borders(number).take(after)
        }
        fill(number.toLong)
      }
    } else if (starts != null) clear()
    isGranted
  }

  /** Makes room for the start rows of a block, if there is none from an earlier partition. */
  private def hasRoom(rowsOfBlock: Int): Boolean =
    (starts != null && starts.size >= rowsOfBlock) || {
      release()
      // Partitions of about the same size do not replace each other's.
      val size = Integer.highestOneBit((rowsOfBlock - 1).max(1)) * 2
      val isGranted = memory.take(bytesOf(size + 2L * positions))
      if (isGranted) {
        here = new Summaries(positions)
        after = new Summaries(positions)
        starts = new Summaries(size)
      }
      isGranted
    }

  /** Moves to the non-empty match that starts at a row. */
  def moveTo(start: Long): Unit = {
    val wanted = start >>> BlockBits
    if (wanted != block) {
      after.take(borders(wanted.toInt))
      fill(wanted)
      if (wanted > 0) borders(wanted.toInt - 1) = null
    }
    current = start.toInt & RowMask
  }

  /** The row after the match. */
  def end: Long = starts.slots(current * width + SummaryLayout.EndSlot)

  def lastPosition: Int =
    starts.slots(current * width + SummaryLayout.LastPositionSlot).toInt

  override def row(register: Int): Long = starts.slots(current * width + layout.slotOf(register))

  override def count(index: Int): Long = starts.slots(current * width + layout.countSlot(index))

  override def fold(index: Int): AnyRef = starts.values(current * foldCount + index)

  private def fill(number: Long): Unit = {
    val first = number << BlockBits
    var row = rows.min(first + BlockRows) - 1
    var stateAfter = states.stateAt(row + 1)
    while (row >= first) {
      val state = states.stateAt(row)
      summarise(row, reach.positionsOf(state), stateAfter)
      val start = reach.startTarget(row, state)
      if (start >= 0) starts.copy(here, start, row.toInt & RowMask)
      val swapped = after
      after = here
      here = swapped
      stateAfter = state
      row -= 1
    }
    block = number
  }

  /** Summarises the paths from the positions of a row. */
  private def summarise(row: Long, set: Array[Long], stateAfter: Int): Unit = {
    var word = 0
    while (word < set.length) {
      var rest = set(word)
      // Of the row and each of up to 64 positions.
      work.add(1L + java.lang.Long.bitCount(rest))
      while (rest != 0) {
        val position = (word << 6) + java.lang.Long.numberOfTrailingZeros(rest)
        val next = reach.next(position, stateAfter)
        if (next == Automaton.Accept) {
          layout.clear(here.slots, position * width, row + 1, position)
          var fold = 0
          while (fold < foldCount) {
            here.values(position * foldCount + fold) = folds.empty(fold)
            fold += 1
          }
        } else here.copy(after, next, position)
        take(position, row)
        rest &= rest - 1
      }
      word += 1
    }
  }

  private def take(position: Int, row: Long): Unit = {
    val symbol = automaton.symbolOf(position)
    layout.prepend(here.slots, position * width, symbol, row)
    val touched = layout.foldsOf(symbol)
    var i = 0
    while (i < touched.length) {
      val place = position * foldCount + touched(i)
      here.values(place) = folds.add(touched(i), here.values(place), row)
      i += 1
    }
  }

  /** Ends a partition. */
  def clear(): Unit = {
    Arrays.fill(borders.asInstanceOf[Array[AnyRef]], null)
    block = -1
    if (starts.size > KeptRows) release()
    else {
      here.clear(positions)
      after.clear(positions)
      starts.clear(math.min(rows, starts.size.toLong).toInt)
    }
  }

  private def release(): Unit = {
    here = null
    after = null
    starts = null
    memory.release()
  }
}

private[matcher] object BackwardSummaries {
  private final val BlockBits = 14
  private final val BlockRows = 1 << BlockBits
  private final val RowMask = BlockRows - 1

  // Start rows whose arrays stay for the next partition.
  private final val KeptRows = 1024

  /** Of a reference and its value, such as a sum: an object with a row of one or two numbers. */
  private final val FoldBytes = 128L

  /** The most longs that the summaries of one path and of all positions may have. */
  private final val MaxWidth = 64
  private final val MaxSlots = 4096

  def applies(automaton: Automaton, plan: SummaryPlan): Boolean = {
    val width =
      2L + plan.rows.map(_.offset + 1L).sum + plan.counts.size.toLong + plan.folds.size.toLong
    width <= MaxWidth && automaton.positions * width <= MaxSlots
  }
}
