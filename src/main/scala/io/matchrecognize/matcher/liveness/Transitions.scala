package io.matchrecognize.matcher.liveness

import java.util.Arrays

import scala.collection.mutable

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
