package io.matchrecognize.execution.output

import java.util.Arrays

import io.matchrecognize.execution.rows.RowStoreFull
import io.matchrecognize.matcher.RowRegister

/**
 * Row registers of one completed match while its rows are walked in order: after `update` of a row
 * each register holds the row that RUNNING FIRST or LAST gives there.
 *
 * LAST with an offset takes eight bytes for each of as many rows, or of those of its variable in
 * the longest match so far if they are fewer.
 *
 * @param reserve
 *   accounts for bytes before they are allocated; not for the first 128 bytes of a register
 */
final class RegisterFile(registers: IndexedSeq[RowRegister], symbols: Int, reserve: Long => Unit) {
  // For each symbol the registers that its rows change.
  private val bySymbol: Array[Array[Int]] = Array.tabulate(symbols) { symbol =>
    registers.indices.filter(registers(_).symbols.contains(symbol)).toArray
  }
  private val fromFirst: Array[Boolean] = registers.map(_.fromFirst).toArray
  private val offsets: Array[Int] = registers.map(_.offset).toArray

  // The last offset + 1 rows of a LAST register, as a ring; as long as the match is shorter than
  // that, the ring grows with it.
  private val rings: Array[Array[Long]] = registers.map { r =>
    if (!r.fromFirst && r.offset > 0) new Array[Long](r.offset.min(FirstLength - 1) + 1) else null
  }.toArray
  private val counts = new Array[Long](registers.length)

  /** Row of each register, -1 for none. */
  val rows: Array[Long] = new Array[Long](registers.length)

  def reset(): Unit = {
    Arrays.fill(rows, -1L)
    Arrays.fill(counts, 0L)
  }

  def update(symbol: Int, row: Long): Unit = {
    val touched = bySymbol(symbol)
    var i = 0
    while (i < touched.length) {
      val r = touched(i)
      if (fromFirst(r)) {
        if (counts(r) == offsets(r)) rows(r) = row
        counts(r) += 1
      } else if (offsets(r) == 0) rows(r) = row
      else {
        if (counts(r) == rings(r).length && counts(r) <= offsets(r)) grow(r)
        val ring = rings(r)
        ring((counts(r) % ring.length).toInt) = row
        counts(r) += 1
        if (counts(r) > offsets(r)) rows(r) = ring((counts(r) % ring.length).toInt)
      }
      i += 1
    }
  }

  private def grow(register: Int): Unit = {
    val before = rings(register).length
    val length = (before * 2L).min(offsets(register) + 1L).min(MaxLength.toLong)
    // More rows than an array has elements.
    if (length == before) throw new RowStoreFull((before + 1L) * 8)
    reserve((length - before) * 8)
    rings(register) = Arrays.copyOf(rings(register), length.toInt)
  }

  private final val FirstLength = 16
  private final val MaxLength = Int.MaxValue - 16
}
