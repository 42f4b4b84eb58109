package io.matchrecognize.execution.sort

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{BaseOrdering, UnsafeRow}
import org.apache.spark.sql.matchrecognize.SpillFile
import org.apache.spark.unsafe.Platform

import io.matchrecognize.execution.rows.RowChunk

/** Rows in order, read once. */
trait SortedRows {

  /** The next row, valid until the next call; null after the last one. */
  def next(): UnsafeRow
}

/**
 * A sorted run in a file: records of about 128 KiB that hold rows, each after its size.
 *
 * @param positions
 *   those of the records
 * @param largest
 *   bytes of the largest record, which a reader of the run holds
 */
final class SpilledRun private (positions: Array[Long], val largest: Int) {

  def read(file: SpillFile, fields: Int): SortedRows = new SortedRows {
    private val row = new UnsafeRow(fields)
    private var record = Array.emptyByteArray
    private var nextRecord = 0
    private var at = 0
    private var end = 0

    override def next(): UnsafeRow =
      if (at == end && nextRecord == positions.length) null
      else {
        if (at == end) load()
        val offset = Platform.BYTE_ARRAY_OFFSET.toLong + at
        val size = Platform.getLong(record, offset).toInt
        row.pointTo(record, offset + SpilledRun.HeaderBytes, size)
        at += SpilledRun.HeaderBytes + size
        row
      }

    private def load(): Unit = {
      if (record.length == 0) record = new Array[Byte](largest)
      file.read(positions(nextRecord)) { (in, _) =>
        end = in.readInt()
        in.readFully(record, 0, end)
      }
      nextRecord += 1
      at = 0
    }
  }
}

object SpilledRun {
  private final val RecordBytes = 1 << 17
  private final val HeaderBytes = 8

  def write(rows: SortedRows, file: SpillFile, checkCancelled: () => Unit): SpilledRun = {
    val positions = mutable.ArrayBuilder.make[Long]
    var record = new Array[Byte](RecordBytes)
    var end = 0
    var largest = 0
    def flush(): Unit = if (end > 0) {
      checkCancelled()
      largest = math.max(largest, end)
      val (bytes, size) = (record, end)
      positions += file.write { (out, _) =>
        out.writeInt(size)
        out.write(bytes, 0, size)
      }
      end = 0
    }
    var row = rows.next()
    while (row != null) {
      val size = recordBytes(row.getSizeInBytes)
      if (end > 0 && end + size.toLong > RecordBytes) flush()
      if (end == 0) record = resized(record, size)
      Platform.putLong(record, Platform.BYTE_ARRAY_OFFSET.toLong + end, row.getSizeInBytes.toLong)
      row.writeToMemory(record, Platform.BYTE_ARRAY_OFFSET.toLong + end + HeaderBytes)
      end += size
      row = rows.next()
    }
    flush()
    new SpilledRun(positions.result(), largest)
  }

  /** Bytes of a row in a record. */
  def recordBytes(row: Int): Int = RowChunk.checked(HeaderBytes + row.toLong).toInt

  /** An array for `size` bytes: a large one only as long as a large row needs it. */
  private def resized(record: Array[Byte], size: Int): Array[Byte] =
    if (size > record.length || (size <= RecordBytes && record.length > RecordBytes))
      new Array[Byte](math.max(size, RecordBytes))
    else record
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
