package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.catalyst.expressions.{BoundReference, SpecificInternalRow}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.types.IntegerType

/**
 * Numbers that Spark's hash partitioning sends to given partitions: so an exchange of Spark's own
 * divides blocks as a task has divided their rows, on every minor.
 */
private[shuffle] object BlockTargets {

  /** For each of `partitions` partitions an INT that is sent to that partition. */
  def numbers(partitions: Int): Array[Int] = {
    val column = BoundReference(0, IntegerType, nullable = false)
    val partitionOf = HashPartitioning(Seq(column), partitions).partitionIdExpression
    val row = new SpecificInternalRow(Seq(IntegerType))
    val numbers = new Array[Int](partitions)
    val isKnown = new Array[Boolean](partitions)
    var found = 0
    var number = 0
    while (found < partitions) {
      row.setInt(0, number)
      val partition = partitionOf.eval(row).asInstanceOf[Int]
      if (!isKnown(partition)) {
        isKnown(partition) = true
        numbers(partition) = number
        found += 1
      }
      number += 1
    }
    numbers
  }
}
