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
 * The truths of the conditions of a clause on a row as one number below 256, read from
 * `MatchInput.knownTruths`.
 *
 * @param tested
 *   which of the truths, in at most two bytes of a row
 */
private[liveness] final class TruthCodes private (tested: Seq[Int], bytesPerRow: Int) {
  private val lowByte = tested.minOption.getOrElse(0) >> 2
  private val highByte = tested.maxOption.getOrElse(0) >> 2
  private val hasTwoBytes = highByte > lowByte
  private val low = codesOfByte(lowByte)
  private val high = codesOfByte(highByte)

  /** Bit i is set iff `tested(i)` is TRUE; negative if some truth is unknown. */
  def apply(known: Array[Byte], index: Int): Int = {
    val at = index * bytesPerRow
    val code = low(known(at + lowByte) & 0xff)
    if (hasTwoBytes) code | high(known(at + highByte) & 0xff) else code
  }

  private def codesOfByte(number: Int): Array[Int] = Array.tabulate(256) { byte =>
    tested.zipWithIndex.filter(_._1 >> 2 == number).foldLeft(0) { case (code, (id, i)) =>
      val bits = byte >> ((id & 3) * 2)
      if ((bits & 1) == 0) -1 else code | (bits >> 1 & 1) << i
    }
  }
}

private[liveness] object TruthCodes {
  private final val MaxConditions = 8

  /** Null if they have no codes. */
  def apply(all: Seq[Int], truthCount: Int): TruthCodes = {
    val tested = all.distinct
    val hasCodes = tested.length <= MaxConditions && tested.forall(_ < truthCount) &&
      tested.map(_ >> 2).distinct.length <= 2
    if (hasCodes) new TruthCodes(tested, MatchInput.truthBytes(truthCount)) else null
  }
}
