package io.matchrecognize.execution.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  BindReferences,
  Expression,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.unsafe.array.ByteArrayMethods

import io.matchrecognize.expressions.GroupingKey

/** Loads one partition at a time into a store. */
trait PartitionSource {

  /** The first row of the current partition; one object for all partitions. */
  def firstRow: UnsafeRow

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
  private val boundary: PartitionBoundary = PartitionBoundary(partitionSpec, columns)
  private var pending: UnsafeRow = _
  private val first = new UnsafeRow(columns.length)
  first.pointTo(new Array[Byte](0), 0)
  private var read = 0L

  override def firstRow: UnsafeRow = first

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
    first.copyFrom(row)
    boundary.begin(first)
  }

  /** Reads further rows of the partition. */
  def resume(): Unit = while (fetch() && boundary.contains(pending)) store.append(pending)

  // A row is valid until the next one is read, so a partition's first row waits uncopied.
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

/** Finds where a partition ends. */
trait PartitionBoundary {

  /** Begins a partition with its first row, which must not change until the next one. */
  def begin(first: UnsafeRow): Unit
  def contains(row: UnsafeRow): Boolean
}

object PartitionBoundary {
  def apply(partitionSpec: Seq[Expression], columns: Seq[Attribute]): PartitionBoundary = {
    val plain = partitionSpec.collect {
      case a: AttributeReference if GroupingKey.isBinaryStable(a.dataType) => a
    }
    if (plain.length == partitionSpec.length)
      new Plain(
        plain.map(a => columns.indexWhere(_.exprId == a.exprId)).toArray,
        plain.map(a => UnsafeRow.isFixedLength(a.dataType)).toArray
      )
    else new Normalized(partitionSpec, columns)
  }

  /** Columns that are compared as bytes; none without PARTITION BY. */
  private final class Plain(ordinals: Array[Int], fixed: Array[Boolean]) extends PartitionBoundary {
    private var first: UnsafeRow = _

    override def begin(row: UnsafeRow): Unit = first = row

    override def contains(row: UnsafeRow): Boolean = {
      var i = 0
      while (i < ordinals.length && same(row, i)) i += 1
      i == ordinals.length
    }

    private def same(row: UnsafeRow, i: Int): Boolean = {
      val ordinal = ordinals(i)
      val isNull = row.isNullAt(ordinal)
      if (isNull || first.isNullAt(ordinal)) isNull == first.isNullAt(ordinal)
      else if (fixed(i)) row.getLong(ordinal) == first.getLong(ordinal)
      else {
        val (a, b) = (row.getLong(ordinal), first.getLong(ordinal))
        val length = a.toInt
        length == b.toInt && ByteArrayMethods.arrayEquals(
          row.getBaseObject,
          row.getBaseOffset + (a >>> 32),
          first.getBaseObject,
          first.getBaseOffset + (b >>> 32),
          length.toLong
        )
      }
    }
  }

  /** Expressions, and types whose equal values may have different bytes. */
  private final class Normalized(partitionSpec: Seq[Expression], columns: Seq[Attribute])
      extends PartitionBoundary {
    private val key = UnsafeProjection.create(
      partitionSpec.map(e => GroupingKey.normalize(BindReferences.bindReference(e, columns)))
    )
    private var first: UnsafeRow = _

    override def begin(row: UnsafeRow): Unit = first = key(row).copy()

    override def contains(row: UnsafeRow): Boolean = key(row) == first
  }
}
