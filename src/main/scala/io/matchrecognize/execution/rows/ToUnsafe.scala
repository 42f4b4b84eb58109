package io.matchrecognize.execution.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.DataType

/** Rows as UnsafeRows, which most operators produce; others are valid until the next one. */
final class ToUnsafe(columns: Seq[Attribute]) {
  private lazy val projection =
    UnsafeProjection.create(columns.map(_.dataType).toArray[DataType])

  def apply(row: InternalRow): UnsafeRow = row match {
    case unsafe: UnsafeRow => unsafe
    case other => projection(other)
  }
}
