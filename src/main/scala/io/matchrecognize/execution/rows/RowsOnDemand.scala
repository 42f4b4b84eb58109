package io.matchrecognize.execution.rows

import org.apache.spark.sql.catalyst.InternalRow

/** Rows that are made one by one, none before it is asked for. */
trait RowsOnDemand extends Iterator[InternalRow] {
  private var made: InternalRow = _
  private var isEnded = false

  /** The next row; null after the last one, and then it is not called again. */
  protected def make(): InternalRow

  override def hasNext: Boolean = {
    if (made == null && !isEnded) {
      made = make()
      isEnded = made == null
    }
    made != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    val row = made
    made = null
    row
  }
}
