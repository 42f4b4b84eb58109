package io.matchrecognize.matcher.liveness

import java.util.Arrays

import scala.collection.mutable

import io.matchrecognize.matcher.{MatchInput, SpareMemory}

/** The states that precede a state, by the truths of the conditions it asks for. */
private[liveness] abstract class Transitions {

  /** Bytes of an empty one. */
  def bytes: Long

  /** Bytes that one more transition takes. */
  def growth: Long
  def apply(truths: Long): Int
  def update(truths: Long, state: Int): Unit
}

private[liveness] object Transitions {
  private final val MaxTableBits = 8

  def apply(symbols: Int): Transitions =
    if (symbols <= MaxTableBits) new Table(1 << symbols) else new Sparse

  private final class Table(size: Int) extends Transitions {
    private val states = new Array[Int](size)
    Arrays.fill(states, IntMemo.Unknown)
    override def bytes: Long = size * 4L
    override def growth: Long = 0
    override def apply(truths: Long): Int = states(truths.toInt)
    override def update(truths: Long, state: Int): Unit = states(truths.toInt) = state
  }

  /** Rare: more conditions than a table has room for. */
  private final class Sparse extends Transitions {
    private val states = mutable.LongMap.empty[Int]
    override def bytes: Long = 512
    override def growth: Long = 48
    override def apply(truths: Long): Int = states.getOrElse(truths, IntMemo.Unknown)
    override def update(truths: Long, state: Int): Unit = states(truths) = state
  }
}

/** Computed numbers by their indices, a lossy cache: what has no room in it is computed again. */
private[liveness] final class IntMemo(memory: SpareMemory) {
  import IntMemo._

  private var numbers = new Array[Int](0)

  /** The array that the numbers are in now, for loops. */
  def array: Array[Int] = numbers

  def apply(index: Long): Int =
    if (index < numbers.length) numbers(index.toInt) else Unknown

  def update(index: Long, number: Int): Unit =
    if (index < numbers.length || grow(index)) numbers(index.toInt) = number

  private def grow(index: Long): Boolean = index < MaxLength && {
    val length = numbers.length
    val larger = (index.toInt + 1).max(length * 2).max(FirstLength)
    val hasRoom = memory.take((larger - length) * 4L)
    if (hasRoom) {
      numbers = Arrays.copyOf(numbers, larger)
      Arrays.fill(numbers, length, larger, Unknown)
    }
    hasRoom
  }

  def clear(): Unit = Arrays.fill(numbers, Unknown)
}

private[liveness] object IntMemo {

  /** Not computed yet; no state and no target has this number. */
  final val Unknown = -4

  private final val FirstLength = 1 << 11
  private final val MaxLength = 1 << 18
}

/**
 * The truths of all conditions on a row as one number below 256, read from
 * `MatchInput.knownTruths`.
 *
 * @param isTested
 *   for each symbol whether it has a condition that is tested; at most `MaxSymbols`
 */
private[liveness] final class TruthCodes(isTested: Array[Boolean]) {
  private val hasTwoBytes = MatchInput.truthBytes(isTested.length) > 1
  private val low = codesOfByte(0)
  private val high = codesOfByte(1)

  /** Bit s is set iff the condition of symbol s is TRUE; negative if some truth is unknown. */
  def apply(known: Array[Byte], index: Int): Int =
    if (hasTwoBytes) low(known(index * 2) & 0xff) | high(known(index * 2 + 1) & 0xff)
    else low(known(index) & 0xff)

  private def codesOfByte(number: Int): Array[Int] = Array.tabulate(256) { byte =>
    isTested.indices.slice(number * 4, number * 4 + 4).filter(isTested).foldLeft(0) { (code, s) =>
      val bits = byte >> ((s & 3) * 2)
      if ((bits & 1) == 0) -1 else code | (bits >> 1 & 1) << s
    }
  }
}

private[liveness] object TruthCodes {
  final val MaxSymbols = 8
}
