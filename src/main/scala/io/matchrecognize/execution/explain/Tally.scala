package io.matchrecognize.execution.explain

import scala.collection.mutable

/** Counts by keys. */
private[explain] object Tally {

  def add[K](counts: mutable.Map[K, Long], key: K, count: Long): Unit =
    counts(key) = counts.getOrElse(key, 0L) + count
}
