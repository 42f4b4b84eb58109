package io.matchrecognize.execution.explain

import scala.collection.mutable

import org.apache.spark.unsafe.types.UTF8String

/**
 * How often values occur that a condition did not want: at most `MostValues` of them, the first
 * ones, each cut to `MostBytes`.
 */
final class ValueCounts extends Serializable {
  import ValueCounts._

  @transient private lazy val found = new java.util.HashMap[UTF8String, Array[Long]]
  private var merged = Map.empty[String, Long]

  /** Whether there are more values than are counted. */
  var isPartial = false

  def add(value: UTF8String): Unit = {
    val known = found.get(value)
    if (known != null) known(0) += 1
    else if (found.size < MostValues) {
      // A value may be a view of a row that is read again.
      found.put(value.clone(), Array(1L))
    } else isPartial = true
  }

  /** Makes the counts ready to be sent. */
  def finish(): Unit = {
    val counts = mutable.Map.empty[String, Long]
    found.forEach { (value, count) =>
      Findings.add(counts, value.substring(0, MostCharacters).toString, count(0))
    }
    merged = counts.toMap
  }

  def merge(other: ValueCounts): Unit = {
    val counts = mutable.Map.empty[String, Long] ++ merged
    other.merged.foreach { case (value, count) =>
      if (counts.contains(value) || counts.size < MostValues) Findings.add(counts, value, count)
      else isPartial = true
    }
    isPartial ||= other.isPartial
    merged = counts.toMap
  }

  def counts: Map[String, Long] = merged
}

private object ValueCounts {
  private final val MostValues = 1000
  private final val MostCharacters = 100
}
