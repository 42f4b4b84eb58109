package io.matchrecognize.execution.sort

import java.io.DataOutputStream

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{BaseOrdering, UnsafeRow}
import org.apache.spark.sql.matchrecognize.SpillFile

import io.matchrecognize.execution.rows.{RowChunk, StoreSchema}

/** Rows in order, read once. */
trait SortedRows {

  /** The next row, valid until the next call; null after the last one. */
  def next(): UnsafeRow
}

/**
 * A sorted run in a file: chunks of whole rows, of about 128 KiB unless one row has more.
 *
 * @param positions
 *   those of the chunks
 * @param rows
 *   most rows of a chunk
 * @param bytes
 *   most bytes of the rows of a chunk
 * @param largestRow
 *   bytes of the largest row
 */
final class SpilledRun private (
    positions: Array[Long],
    rows: Int,
    bytes: Int,
    val largestRow: Long
) {

  /** Bytes of the chunk that a reader of the run holds. */
  def memory: Long = RowChunk.size(StoreSchema.WholeRows, rows, bytes.toLong)

  def read(file: SpillFile, fields: Int): SortedRows = new SortedRows {
    private val row = new UnsafeRow(fields)
    private lazy val chunk = new RowChunk(StoreSchema.WholeRows, rows, rows, bytes)
    private var nextChunk = 0
    private var at = 0

    override def next(): UnsafeRow =
      if (at == chunk.length && nextChunk == positions.length) null
      else {
        if (at == chunk.length) {
          file.read(positions(nextChunk))(chunk.read)
          nextChunk += 1
          at = 0
        }
        chunk.pointTo(at, row)
        at += 1
        row
      }
  }
}

object SpilledRun {
  private final val ChunkBytes = 1 << 17

  def write(rows: SortedRows, file: SpillFile, checkCancelled: () => Unit): SpilledRun = {
    val positions = mutable.ArrayBuilder.make[Long]
    val chunk = new RowChunk(StoreSchema.WholeRows, RowChunk.MaxRows, RowChunk.MaxRows, ChunkBytes)
    var (mostRows, mostBytes, largestRow) = (0, 0, 0)
    def write(rows: Int, bytes: Int)(record: (DataOutputStream, Array[Byte]) => Unit): Unit = {
      checkCancelled()
      mostRows = math.max(mostRows, rows)
      mostBytes = math.max(mostBytes, bytes)
      positions += file.write(record)
    }
    def flush(): Unit = if (chunk.length > 0) {
      write(chunk.length, chunk.usedBytes)(chunk.write)
      chunk.clear()
    }
    var row = rows.next()
    while (row != null) {
      val size = row.getSizeInBytes
      largestRow = math.max(largestRow, size)
      if (chunk.isFull || chunk.usedBytes > ChunkBytes - size) flush()
      if (size <= ChunkBytes) chunk.putWhole(row)
      // Not copied first: there may be no space for another one of its size.
      else {
        val large = row
        write(1, size)(RowChunk.writeWhole(large, _, _))
      }
      row = rows.next()
    }
    flush()
    new SpilledRun(positions.result(), mostRows, mostBytes, largestRow.toLong)
  }
}

/** Merges sorted rows by a binary heap; ties are in the order of the sources. */
final class MergedRows(sources: IndexedSeq[SortedRows], ordering: BaseOrdering) extends SortedRows {
  private val heads = new Array[UnsafeRow](sources.length)
  // Numbers of the sources that have rows left, least head first.
  private val heap = new Array[Int](sources.length)
  private var size = 0
  private var isStarted = false

  override def next(): UnsafeRow = {
    if (!isStarted) start()
    else if (size > 0) advance()
    if (size == 0) null else heads(heap(0))
  }

  private def start(): Unit = {
    isStarted = true
    sources.indices.foreach { i =>
      heads(i) = sources(i).next()
      if (heads(i) != null) {
        heap(size) = i
        size += 1
      }
    }
    (size / 2 - 1 to 0 by -1).foreach(siftDown)
  }

  private def advance(): Unit = {
    val first = heap(0)
    heads(first) = sources(first).next()
    if (heads(first) == null) {
      size -= 1
      heap(0) = heap(size)
    }
    if (size > 1) siftDown(0)
  }

  private def siftDown(from: Int): Unit = {
    var at = from
    var isPlaced = false
    while (!isPlaced) {
      var least = 2 * at + 1
      if (least + 1 < size && isBefore(heap(least + 1), heap(least))) least += 1
      isPlaced = least >= size || isBefore(heap(at), heap(least))
      if (!isPlaced) {
        val moved = heap(at)
        heap(at) = heap(least)
        heap(least) = moved
        at = least
      }
    }
  }

  private def isBefore(a: Int, b: Int): Boolean = {
    val order = ordering.compare(heads(a), heads(b))
    order < 0 || (order == 0 && a < b)
  }
}
