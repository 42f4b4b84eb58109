package io.matchrecognize.execution.explain

import scala.collection.mutable

import org.apache.spark.unsafe.types.UTF8String

/**
 * How often values occur that a condition did not want, each cut to `MostCharacters` before it is
 * kept. Of more than `MostValues` values none is counted: what would be known of them depends on
 * the order of the rows and tasks, but not that they are more.
 */
final class ValueCounts extends Serializable {
  import ValueCounts._

  @transient private lazy val found = new java.util.HashMap[UTF8String, Array[Long]]
  private var merged = Map.empty[String, Long]

  private var isOver = false

  /** Whether there are too many values to be counted. */
  def isPartial: Boolean = isOver

  def add(value: UTF8String): Unit = if (!isOver) {
    val key = cut(value)
    val known = found.get(key)
    if (known != null) known(0) += 1
    else if (found.size < MostValues) {
      // A value may be a view of a row that is read again.
      found.put(if (key eq value) value.clone() else key, Array(1L))
    } else giveUp()
  }

  private def giveUp(): Unit = {
    isOver = true
    found.clear()
    merged = Map.empty
  }

  /** Makes the counts ready to be sent. */
  def finish(): Unit = {
    val counts = mutable.Map.empty[String, Long]
    found.forEach { (value, count) =>
      Tally.add(counts, value.toString, count(0))
    }
    merged = counts.toMap
  }

  def merge(other: ValueCounts): Unit = {
    val counts = mutable.Map.empty[String, Long] ++ merged
    other.merged.foreach { case (value, count) => Tally.add(counts, value, count) }
    merged = counts.toMap
    if (isOver || other.isOver || counts.size > MostValues) giveUp()
  }

  def counts: Map[String, Long] = merged
}

private[explain] object ValueCounts {

  /** The value itself if it is short. */
  private def cut(value: UTF8String): UTF8String =
    if (value.numBytes <= MostCharacters || value.numChars <= MostCharacters) value
    else UTF8String.concat(value.substring(0, MostCharacters), Cut)

  private val Cut = UTF8String.fromString("...")
  final val MostValues = 1000
  private final val MostCharacters = 100
}
