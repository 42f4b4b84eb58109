package io.matchrecognize.execution.sort

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BinaryType, StringType}

import io.matchrecognize.expressions.GroupingKey

/**
 * Numbers the partitions of rows densely, in the order in which they first appear: an open hash
 * table of pairs (key, number). Two rows are in one partition if GROUP BY would group them.
 *
 * The key is the value itself for a column of fixed width and for a string of at most seven bytes,
 * so that a lookup touches one pair; otherwise it is a hash of 64 bits, and the bytes of keys with
 * equal hashes are compared.
 */
final class GroupIds(partitionSpec: Seq[Expression], columns: Seq[Attribute]) {
  import GroupIds._

  private val (mode, ordinal) = partitionSpec match {
    case Seq() => (Single, -1)
    case Seq(a: Attribute) if GroupingKey.isBinaryStable(a.dataType) =>
      val place = columns.indexWhere(_.exprId == a.exprId)
      if (UnsafeRow.isFixedLength(a.dataType)) (Fixed, place)
      else if (a.dataType == StringType || a.dataType == BinaryType) (Bytes, place)
      else (Projected, -1)
    case _ => (Projected, -1)
  }
  private val projection: UnsafeProjection =
    if (mode != Projected) null
    else
      UnsafeProjection.create(
        partitionSpec.map(e => GroupingKey.normalize(BindReferences.bindReference(e, columns)))
      )
  // The bytes of hashed keys.
  private val keyBytes = new HeldBlocks(0, Array.emptyIntArray)

  private var bits = FirstBits
  private var table = new Array[Long](2 << bits)
  private var places = new Array[Int](FirstGroups)
  private var rowCounts = new Array[Int](FirstGroups)
  private var count = 0
  // Of rows whose only key is NULL; of all rows without PARTITION BY.
  private var nullId = -1
  private var projected: UnsafeRow = _

  def size: Int = count

  /** Number of rows of a partition. */
  def rows(id: Int): Int = rowCounts(id)

  /** Bytes to be acquired before `more` partitions are added. */
  def growth(more: Int): Long = {
    val slots = if (isTableFull(more)) table.length * 8L else 0L
    slots + (if (count + more > places.length) places.length * 8L else 0L)
  }

  /** Makes the space that `growth(more)` asked for; `more` is at most `Batch`. */
  def grow(more: Int): Unit = {
    if (isTableFull(more)) rehash()
    if (count + more > places.length) {
      places = Arrays.copyOf(places, places.length * 2)
      rowCounts = Arrays.copyOf(rowCounts, rowCounts.length * 2)
    }
  }

  /** Bytes to be acquired before `of(row)`. */
  def growth(row: UnsafeRow): Long = {
    val length = hashedLength(row)
    if (length == 0) 0L else keyBytes.growth(length)
  }

  def grow(row: UnsafeRow): Unit = {
    val length = hashedLength(row)
    if (length > 0) keyBytes.grow(length)
  }

  private def isTableFull(more: Int) = (count + more) * 2 > (1 << bits)

  /** The bytes of the row's key; 0 if it is not hashed. */
  private def hashedLength(row: UnsafeRow): Int =
    if (mode == Projected) {
      projected = projection(row)
      projected.getSizeInBytes
    } else if (mode == Bytes && !row.isNullAt(ordinal)) {
      val length = row.getLong(ordinal).toInt
      if (length > PackedKey.ShortBytes) length else 0
    } else 0

  /**
   * The number of the row's partition, after `growth` of the same row; [[Pending]] if `resolve` is
   * to find it by `pendingKey`: lookups of many rows at once overlap their cache misses.
   */
  def of(row: UnsafeRow): Int =
    if (mode == Fixed && !row.isNullAt(ordinal)) {
      pendingKey = row.getLong(ordinal)
      Pending
    } else if (mode == Bytes && !row.isNullAt(ordinal)) {
      val place = row.getLong(ordinal)
      if (place.toInt <= PackedKey.ShortBytes) {
        pendingKey = PackedKey.packBytes(row, place)
        Pending
      } else counted(hashed(row.getBaseObject, row.getBaseOffset + (place >>> 32), place.toInt))
    } else if (mode == Projected)
      counted(hashed(projected.getBaseObject, projected.getBaseOffset, projected.getSizeInBytes))
    else {
      if (nullId < 0) nullId = add(0)
      counted(nullId)
    }

  var pendingKey: Long = 0L

  /** The number of the partition of a pending row. */
  def resolve(key: Long): Int = counted(plain(key))

  private def counted(id: Int): Int = {
    rowCounts(id) += 1
    id
  }

  private def plain(key: Long): Int = {
    val mask = (1 << bits) - 1
    var slot = slotOf(key)
    while (table(2 * slot + 1) != 0 && table(2 * slot) != key) slot = (slot + 1) & mask
    val known = table(2 * slot + 1).toInt
    if (known != 0) known - 1 else put(slot, key, 0)
  }

  private def hashed(base: AnyRef, offset: Long, length: Int): Int = {
    // The last byte of a packed string is its length.
    val key = XXH64.hashUnsafeBytes(base, offset, length, Seed) | 0xff
    val mask = (1 << bits) - 1
    var slot = slotOf(key)
    while (
      table(2 * slot + 1) != 0 && !(table(2 * slot) == key &&
        keyBytes.isEqual(places(table(2 * slot + 1).toInt - 1), base, offset, length))
    ) slot = (slot + 1) & mask
    val known = table(2 * slot + 1).toInt
    if (known != 0) known - 1 else put(slot, key, keyBytes.append(base, offset, length))
  }

  private def put(slot: Int, key: Long, place: Int): Int = {
    table(2 * slot) = key
    table(2 * slot + 1) = count + 1L
    add(place)
  }

  private def add(place: Int): Int = {
    places(count) = place
    rowCounts(count) = 0
    count += 1
    count - 1
  }

  private def slotOf(key: Long): Int = ((key * GoldenRatio) >>> (64 - bits)).toInt

  private def rehash(): Unit = {
    val old = table
    bits += 1
    table = new Array[Long](2 << bits)
    val mask = (1 << bits) - 1
    var i = 0
    while (i < old.length) {
      if (old(i + 1) != 0) {
        var slot = slotOf(old(i))
        while (table(2 * slot + 1) != 0) slot = (slot + 1) & mask
        table(2 * slot) = old(i)
        table(2 * slot + 1) = old(i + 1)
      }
      i += 2
    }
  }

  /** Forgets all partitions. */
  def clear(): Unit = {
    keyBytes.clear()
    bits = FirstBits
    table = new Array[Long](2 << bits)
    places = new Array[Int](FirstGroups)
    rowCounts = new Array[Int](FirstGroups)
    count = 0
    nullId = -1
  }
}

object GroupIds {

  /** Largest number of partitions that `grow` makes space for. */
  final val Batch = 256

  /** Number of a row whose partition is looked up later. */
  final val Pending: Int = -1

  // What the key of the table is made of.
  private final val Single = 0
  private final val Fixed = 1
  private final val Bytes = 2
  private final val Projected = 3

  private final val FirstBits = 9
  private final val FirstGroups = Batch
  private final val Seed = 42L
  private final val GoldenRatio = 0x9e3779b97f4a7c15L
}
