package io.matchrecognize.execution.truth

import java.util.{Arrays, HashMap}

import scala.collection.mutable

import org.apache.spark.sql.types.{ByteType, DateType, IntegerType, ShortType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.compile.LookedUpConditions
import io.matchrecognize.execution.pointer.PointerRow
import io.matchrecognize.execution.rows.{RowChunk, Rows}
import io.matchrecognize.matcher.MatchInput

/**
 * Finds by [[LookedUpConditions]] for all rows of a block which conditions are not TRUE, and which
 * of the others are.
 *
 * @param count
 *   how many conditions the task has
 * @param row
 *   over the store
 */
private[truth] final class ConstantLookups(
    programs: Seq[LookedUpConditions],
    count: Int,
    row: PointerRow,
    store: Rows
) {
  private val lookups = programs.map(new ConstantLookup(_, row)).toArray
  private val bytesPerRow = MatchInput.truthBytes(count)
  private val found = new Array[Boolean](count)
  // The truths of a row whose columns have none of the constants.
  private val template: Array[Byte] = {
    val bytes = new Array[Byte](bytesPerRow)
    programs
      .flatMap(_.ids)
      .foreach(id => bytes(id >> 2) = (bytes(id >> 2) | 1 << (id & 3) * 2).toByte)
    bytes
  }

  /** Begins a partition. */
  def reset(): Unit = Arrays.fill(found, false)

  /** Whether a condition may be TRUE on a row for which truths were found. */
  def isFound(id: Int): Boolean = found(id)

  /** Finds the truths on the rows of a block. */
  def find(block: Int, truths: Array[Byte]): Unit = {
    val first = block.toLong << RowChunk.Shift
    val rows = math.min(RowChunk.MaxRows.toLong, store.length - first).toInt
    fill(truths, rows * bytesPerRow)
    lookups.foreach { lookup =>
      var i = 0
      while (i < rows) {
        val hits = lookup.conditions(first + i)
        if (hits != null) mark(hits, lookup, truths, i * bytesPerRow)
        i += 1
      }
    }
  }

  private def fill(truths: Array[Byte], length: Int): Unit = {
    System.arraycopy(template, 0, truths, 0, bytesPerRow)
    var filled = bytesPerRow
    while (filled < length) {
      val copied = math.min(filled, length - filled)
      System.arraycopy(truths, 0, truths, filled, copied)
      filled += copied
    }
  }

  private def mark(hits: Array[Int], lookup: ConstantLookup, truths: Array[Byte], at: Int): Unit = {
    var i = 0
    while (i < hits.length) {
      val id = hits(i)
      val (byte, bits) = (at + (id >> 2), 3 << (id & 3) * 2)
      found(id) = true
      truths(byte) =
        (if (lookup.whole.contains(id)) truths(byte) | bits else truths(byte) & ~bits).toByte
      i += 1
    }
  }
}

/** One lookup. */
private final class ConstantLookup(program: LookedUpConditions, row: PointerRow) {
  private val (ordinal, field) = program.field
  private val texts = new HashMap[UTF8String, Array[Int]]
  private val numbers = mutable.LongMap.empty[Array[Int]]
  program.byValue.foreach {
    case (text: UTF8String, ids) => texts.put(text, ids)
    case (number, ids) => numbers(number.asInstanceOf[Number].longValue) = ids
  }

  // Neither a Set nor, below, a function: they would box a number for each row.
  val whole: mutable.BitSet = mutable.BitSet.empty ++= program.whole

  /** The conditions that may be TRUE on a row, null if there are none. */
  def conditions(number: Long): Array[Int] = {
    row.pointers(field.pointer) = number
    if (row.isNullAt(ordinal)) null
    else
      field.dataType match {
        case StringType => texts.get(row.getUTF8String(ordinal))
        case ByteType => numbers.getOrNull(row.getByte(ordinal).toLong)
        case ShortType => numbers.getOrNull(row.getShort(ordinal).toLong)
        case IntegerType | DateType => numbers.getOrNull(row.getInt(ordinal).toLong)
        case _ => numbers.getOrNull(row.getLong(ordinal))
      }
  }
}
