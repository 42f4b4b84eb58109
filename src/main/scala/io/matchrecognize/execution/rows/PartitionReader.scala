package io.matchrecognize.execution.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.unsafe.array.ByteArrayMethods

import io.matchrecognize.expressions.GroupingKey

/** Loads one partition at a time into a store. */
trait PartitionSource {

  /** The PARTITION BY values of the current partition; one object for all partitions. */
  def keys: UnsafeRow

  /** Rows read so far, of all partitions. */
  def rowsRead: Long

  /** Loads the next partition; false if there is none. */
  def next(): Boolean
}

/**
 * Splits rows that arrive partition by partition, and loads one partition at a time into the store.
 *
 * Two rows are in one partition if GROUP BY would group them: NULLs are equal, NaN = NaN, -0.0 =
 * 0.0, strings by their collation.
 */
final class PartitionReader(
    input: Iterator[InternalRow],
    columns: Seq[Attribute],
    partitionSpec: Seq[Expression],
    store: RowStore
) extends PartitionSource {
  private val toUnsafe = new ToUnsafe(columns)
  private val boundary = PartitionBoundary(partitionSpec, columns)
  // Null if the keys as GROUP BY compares them are those of the row.
  private val keysOf =
    if (boundary.isPlain) null else UnsafeProjection.create(partitionSpec, columns)
  override val keys: UnsafeRow =
    if (boundary.isPlain) boundary.keys else PartitionBoundary.emptyRow(partitionSpec.length)
  private var pending: UnsafeRow = _
  private var read = 0L

  override def rowsRead: Long = read

  override def next(): Boolean = {
    store.clear()
    if (pending == null && !fetch()) false
    else {
      begin(pending)
      store.append(pending)
      resume()
      true
    }
  }

  /** Begins a partition with its first row, which is not read here. */
  def begin(row: UnsafeRow): Unit = {
    if (keysOf != null) keys.copyFrom(keysOf(row))
    boundary.begin(row)
  }

  /** Reads further rows of the partition. */
  def resume(): Unit = while (fetch() && boundary.contains(pending)) store.append(pending)

  // A row is valid until the next one is read, so a partition's first row waits uncopied. It may be
  // so large that there is no space for a copy.
  private def fetch(): Boolean = {
    pending =
      if (!input.hasNext) null
      else {
        read += 1
        toUnsafe(input.next())
      }
    pending != null
  }
}

/**
 * Finds where a partition ends.
 *
 * @param isPlain
 *   whether GROUP BY compares the values of PARTITION BY as they are
 */
abstract class PartitionBoundary(keysOf: UnsafeProjection, length: Int, val isPlain: Boolean) {

  /** The PARTITION BY values as GROUP BY compares them. */
  val keys: UnsafeRow = PartitionBoundary.emptyRow(length)

  /** Begins a partition with its first row. */
  def begin(first: UnsafeRow): Unit = keys.copyFrom(keysOf(first))

  def contains(row: UnsafeRow): Boolean
}

object PartitionBoundary {
  def apply(partitionSpec: Seq[Expression], columns: Seq[Attribute]): PartitionBoundary = {
    val normal = UnsafeProjection.create(
      partitionSpec.map(e => GroupingKey.normalize(BindReferences.bindReference(e, columns)))
    )
    val plain = partitionSpec.collect {
      case a: AttributeReference if GroupingKey.isBinaryStable(a.dataType) => a
    }
    if (plain.length == partitionSpec.length)
      new Plain(
        normal,
        plain.map(a => columns.indexWhere(_.exprId == a.exprId)).toArray,
        plain.map(a => UnsafeRow.isFixedLength(a.dataType)).toArray
      )
    else new Normalized(normal, partitionSpec.length)
  }

  /** A row that has no values yet. */
  def emptyRow(length: Int): UnsafeRow = {
    val row = new UnsafeRow(length)
    row.pointTo(Array.emptyByteArray, 0)
    row
  }

  /** Columns that are compared as bytes; none without PARTITION BY. */
  private final class Plain(keysOf: UnsafeProjection, ordinals: Array[Int], fixed: Array[Boolean])
      extends PartitionBoundary(keysOf, ordinals.length, isPlain = true) {

    override def contains(row: UnsafeRow): Boolean = {
      var i = 0
      while (i < ordinals.length && same(row, i)) i += 1
      i == ordinals.length
    }

    private def same(row: UnsafeRow, i: Int): Boolean = {
      val ordinal = ordinals(i)
      val isNull = row.isNullAt(ordinal)
      if (isNull || keys.isNullAt(i)) isNull == keys.isNullAt(i)
      else if (fixed(i)) row.getLong(ordinal) == keys.getLong(i)
      else {
        val (a, b) = (row.getLong(ordinal), keys.getLong(i))
        val length = a.toInt
        length == b.toInt && ByteArrayMethods.arrayEquals(
          row.getBaseObject,
          row.getBaseOffset + (a >>> 32),
          keys.getBaseObject,
          keys.getBaseOffset + (b >>> 32),
          length.toLong
        )
      }
    }
  }

  /** Expressions, and types whose equal values may have different bytes. */
  private final class Normalized(keysOf: UnsafeProjection, length: Int)
      extends PartitionBoundary(keysOf, length, isPlain = false) {
    override def contains(row: UnsafeRow): Boolean = keysOf(row) == keys
  }
}
