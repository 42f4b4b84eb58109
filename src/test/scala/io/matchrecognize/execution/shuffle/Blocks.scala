package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}

/** Blocks of given rows, as a reader gets them. */
object Blocks {
  def of(columns: Seq[Attribute], rows: Seq[UnsafeRow], size: Int): Seq[ColumnBlock] = {
    val schema = BlockWriteExec.schemaOf(columns)
    rows
      .grouped(size)
      .map { some =>
        val buffer = new BlockBuffer(schema, 1)
        some.foreach { row =>
          buffer.grow(row)
          buffer.add(row, 0)
        }
        buffer.sort()
        ColumnBlock.of(schema, buffer.nextBlock(Array(0)))
      }
      .toSeq
  }
}
