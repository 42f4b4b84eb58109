package io.matchrecognize.execution.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType

/**
 * Which columns of the input rows the store keeps. Columns of fixed width (at most eight bytes) go
 * to vectors, the others to one byte area per chunk.
 *
 * @param fixed
 *   ordinals in the input row of the fixed-width columns kept
 * @param variable
 *   ordinals in the input row of the other columns kept
 */
final case class StoreSchema(
    fixed: Array[Int],
    fixedNullable: Array[Boolean],
    variable: Array[Int]
)

object StoreSchema {

  /** @param ordinals the columns to keep */
  def of(ordinals: Seq[Int], types: Int => DataType, nullable: Int => Boolean): StoreSchema = {
    val (fixed, variable) = ordinals.distinct.partition(i => UnsafeRow.isFixedLength(types(i)))
    StoreSchema(fixed.toArray, fixed.map(nullable).toArray, variable.toArray)
  }
}
