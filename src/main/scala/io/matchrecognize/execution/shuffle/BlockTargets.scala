package io.matchrecognize.execution.shuffle

import org.apache.spark.unsafe.hash.Murmur3_x86_32

/**
 * Numbers that Spark's hash partitioning sends to given partitions: so an exchange of Spark's own
 * divides blocks as a task has divided their rows, on every minor.
 */
private[shuffle] object BlockTargets {

  /** For each of `partitions` partitions an INT whose hash is of that partition. */
  def numbers(partitions: Int): Array[Int] = {
    val numbers = new Array[Int](partitions)
    val isKnown = new Array[Boolean](partitions)
    var found = 0
    var number = 0
    while (found < partitions) {
      val partition = Math.floorMod(Murmur3_x86_32.hashInt(number, Seed), partitions)
      if (!isKnown(partition)) {
        isKnown(partition) = true
        numbers(partition) = number
        found += 1
      }
      number += 1
    }
    numbers
  }

  // That of HashPartitioning.
  private final val Seed = 42
}
