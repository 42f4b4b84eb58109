package io.matchrecognize.execution.sort

import java.util.Arrays

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  RowOrdering,
  SortOrder,
  UnsafeRow
}

import io.matchrecognize.matcher.WorkMeter

/**
 * How rows are ordered.
 *
 * @param partitionOrder
 *   the order of the partitions: an order of each of the different keys of `partitionSpec`, in any
 *   sequence
 * @param orderSpec
 *   the order of the rows of a partition
 */
final case class SortSpec(
    columns: Seq[Attribute],
    partitionSpec: Seq[Expression],
    partitionOrder: Seq[SortOrder],
    orderSpec: Seq[SortOrder]
)

/**
 * Rows in memory in the order of their arrival, with what sorting needs beside each: the number of
 * its partition and its packed ORDER BY keys.
 *
 * Sorting compares no PARTITION BY keys of rows: partitions are sorted, one entry for each, then a
 * counting sort moves the rows' entries to their partitions, and each partition is sorted by
 * itself. All steps are stable, so ties keep the order of arrival.
 *
 * With very many partitions a lookup of a number is a cache miss for each row, and costs more than
 * a radix sort of the packed PARTITION BY keys of all rows; then these are kept instead, if they
 * are exact.
 *
 * @param held
 *   where the rows are
 * @param checkCancelled
 *   called regularly
 * @param manyPartitions
 *   beyond how many partitions they are not numbered
 */
final class ArrivedRows(
    spec: SortSpec,
    held: HeldBlocks,
    checkCancelled: () => Unit,
    manyPartitions: Int
) {
  import ArrivedRows._
  import RowEntries._

  private val groups = new GroupIds(spec.partitionSpec, spec.columns)
  private val groupKey = new PackedKey(spec.partitionOrder, spec.columns)
  private val rowKey = new PackedKey(spec.orderSpec, spec.columns)
  private val work = new WorkMeter(checkCancelled)
  private lazy val groupTies = new RowOrder(spec.partitionOrder, spec.columns, held, work)
  private lazy val rowTies = new RowOrder(spec.orderSpec, spec.columns, held, work)
  private lazy val allTies =
    new RowOrder(spec.partitionOrder ++ spec.orderSpec, spec.columns, held, work)

  private val chunks = mutable.ArrayBuffer.empty[RowEntries]
  private var chunk: RowEntries = _
  private var count = 0
  private var groupKeys = new Array[Long](FirstGroups)
  private var groupRows = new Array[Int](FirstGroups)
  private var knownGroups = 0
  private lazy val groupRow = held.cursor()
  // Rows whose partition is known; the keys of the others.
  private var resolved = 0
  private val pendingKeys = new Array[Long](Batch)
  // Whether chunks have the rows' PARTITION BY keys instead of numbers.
  private var hasKeys = false

  def length: Int = count

  def isFull: Boolean = count == MaxRows

  /** Bytes to be acquired before `add(row)`: for its entry, and for sorting the rows later. */
  def growth(row: UnsafeRow): Long = batchGrowth() + (if (hasKeys) 0L else groups.growth(row))

  private def batchGrowth(): Long =
    if ((count & BatchMask) != 0) 0L
    else {
      resolve()
      val newChunks = if (needsChunk) 1 else 0
      val entries = newChunks * ChunkRows * EntryBytes
      if (hasKeys) entries + newChunks * ChunkRows * KeyBytes
      else if (wantsKeys) entries + (newChunks + chunks.size) * ChunkRows * KeyBytes
      else
        entries + groups.growth(Batch) +
          (if (needsGroups) groupKeys.length * GroupBytes else 0L)
    }

  /** Makes the space that `growth` asked for. */
  def grow(row: UnsafeRow): Unit = {
    if ((count & BatchMask) == 0) {
      if (wantsKeys) keepKeys()
      if (needsChunk) {
        chunk = new RowEntries(ChunkRows)
        if (hasKeys) chunk.partitionKeys = new Array[Long](ChunkRows)
        chunks += chunk
      }
      if (!hasKeys) {
        if (needsGroups) {
          groupKeys = Arrays.copyOf(groupKeys, groupKeys.length * 2)
          groupRows = Arrays.copyOf(groupRows, groupRows.length * 2)
        }
        groups.grow(Batch)
      }
    }
    if (!hasKeys) groups.grow(row)
  }

  private def wantsKeys = !hasKeys && groups.size > manyPartitions && groupKey.isExact

  private def keepKeys(): Unit = {
    chunks.foreach { chunk =>
      chunk.partitionKeys = new Array[Long](ChunkRows)
      var i = 0
      while (i < ChunkRows) {
        chunk.partitionKeys(i) = groupKeys(chunk.groups(i))
        i += 1
      }
    }
    hasKeys = true
    clearGroups()
  }

  private def needsGroups = groups.size + Batch > groupKeys.length
  private def needsChunk = (count & ChunkMask) == 0

  /**
   * @param row
   *   its columns that the keys are bound to
   * @param place
   *   its address
   */
  def add(row: UnsafeRow, place: Int): Unit = {
    val i = count & ChunkMask
    if (hasKeys) chunk.partitionKeys(i) = groupKey.pack(row)
    else {
      val group = groups.of(row)
      if (group == GroupIds.Pending) pendingKeys(count & BatchMask) = groups.pendingKey
      else if (group == knownGroups) addGroup(row, place)
      chunk.groups(i) = group
    }
    chunk.places(i) = place
    chunk.keys(i) = rowKey.pack(row)
    count += 1
  }

  private def addGroup(row: UnsafeRow, place: Int): Unit = {
    groupKeys(knownGroups) = groupKey.pack(row)
    groupRows(knownGroups) = place
    knownGroups += 1
  }

  /** Finds the partitions of the pending rows, which are at the end of the last chunk. */
  private def resolve(): Unit = {
    checkCancelled()
    var at = if (hasKeys) count else resolved
    while (at < count) {
      val i = at & ChunkMask
      if (chunk.groups(i) == GroupIds.Pending) {
        val group = groups.resolve(pendingKeys(at & BatchMask))
        chunk.groups(i) = group
        if (group == knownGroups) {
          addGroup(groupRow(chunk.places(i)), chunk.places(i))
        }
      }
      at += 1
    }
    resolved = count
  }

  /** Sorts the rows; no more can be added until `clear`. */
  def sorted(): BlocksInOrder = {
    resolve()
    val keys = new Array[Long](count)
    val places = new Array[Int](count)
    val ends = if (hasKeys) sortByKeys(keys, places) else sortByGroups(keys, places)
    chunks.clear()
    chunk = null
    clearGroups()
    held.inOrder(places, ends)
  }

  /** Returns where the partitions end. */
  private def sortByGroups(keys: Array[Long], places: Array[Int]): Array[Int] = {
    val order = groupsInOrder()
    val starts = new Array[Int](groups.size)
    var at = 0
    order.foreach { group =>
      starts(group) = at
      at += groups.rows(group)
    }
    scatter(starts, keys, places)
    // `starts` are now the ends.
    val sort = new KeyedSort(checkCancelled)
    order.foreach { group =>
      sortPartition(sort, keys, places, starts(group) - groups.rows(group), starts(group))
    }
    order.map(starts)
  }

  /** Returns where the partitions end; null if that is not known. */
  private def sortByKeys(keys: Array[Long], places: Array[Int]): Array[Int] = {
    val partitionKeys = new Array[Long](count)
    var at = 0
    chunks.foreach { from =>
      val rows = math.min(count - at, ChunkRows)
      System.arraycopy(from.partitionKeys, 0, partitionKeys, at, rows)
      at += rows
    }
    val rows = Array.range(0, count)
    val sort = new KeyedSort(checkCancelled)
    val order = if (groupKey.isExact) null else allTies.by(placeOf(_))
    sort.sort(partitionKeys, rows, 0, count, order)
    at = 0
    while (at < count) {
      keys(at) = chunks(rows(at) >>> ChunkShift).keys(rows(at) & ChunkMask)
      places(at) = placeOf(rows(at))
      at += 1
    }
    if (order != null) null
    else {
      val ends = mutable.ArrayBuilder.make[Int]
      var start = 0
      while (start < count) {
        var end = start + 1
        while (end < count && partitionKeys(end) == partitionKeys(start)) end += 1
        sortPartition(sort, keys, places, start, end)
        ends += end
        start = end
      }
      ends.result()
    }
  }

  private def placeOf(row: Int): Int = chunks(row >>> ChunkShift).places(row & ChunkMask)

  private def sortPartition(
      sort: KeyedSort,
      keys: Array[Long],
      places: Array[Int],
      start: Int,
      end: Int
  ): Unit = {
    // Most partitions of some inputs have one row.
    if (end - start > 1) sort.sort(keys, places, start, end, if (rowKey.isExact) null else rowTies)
    work.add(end - start.toLong)
  }

  /** The numbers of the partitions in the order of their keys. */
  private def groupsInOrder(): Array[Int] = {
    val order = Array.range(0, groups.size)
    val ties = if (groupKey.isExact) null else groupTies.by(groupRows(_))
    new KeyedSort(checkCancelled).sort(groupKeys, order, 0, groups.size, ties)
    order
  }

  /** Moves the entries to their partitions, in the order of arrival; `starts` become ends. */
  private def scatter(starts: Array[Int], keys: Array[Long], places: Array[Int]): Unit = {
    var left = count
    chunks.foreach { from =>
      val rows = math.min(left, ChunkRows)
      var i = 0
      while (i < rows) {
        val group = from.groups(i)
        val to = starts(group)
        starts(group) = to + 1
        keys(to) = from.keys(i)
        places(to) = from.places(i)
        i += 1
      }
      left -= rows
    }
    // Their memory serves the sorting of partitions.
    chunks.clear()
  }

  /** Forgets all rows. */
  def clear(): Unit = {
    held.clear()
    clearGroups()
    groupKey.reset()
    rowKey.reset()
    chunks.clear()
    chunk = null
    count = 0
    resolved = 0
    hasKeys = false
  }

  private def clearGroups(): Unit = {
    groups.clear()
    groupKeys = new Array[Long](FirstGroups)
    groupRows = new Array[Int](FirstGroups)
    knownGroups = 0
  }
}

object ArrivedRows {

  /** About where a lookup begins to cost more than a radix sort. */
  final val ManyPartitions: Int = 1 << 14

  private final val MaxRows = 1 << 28
  private final val Batch = GroupIds.Batch
  private final val BatchMask = Batch - 1
  private final val FirstGroups = Batch
}

/** Per-row metadata, apart from the row bytes: number of the partition, address, packed key. */
private[sort] final class RowEntries(rows: Int) {
  val groups = new Array[Int](rows)
  val places = new Array[Int](rows)
  val keys = new Array[Long](rows)

  /** The packed keys of the partitions, if these are not numbered. */
  var partitionKeys: Array[Long] = _
}

private[sort] object RowEntries {
  final val ChunkShift = 12
  final val ChunkRows: Int = 1 << ChunkShift
  final val ChunkMask: Int = ChunkRows - 1

  /** Of a row: its entry in a chunk, which makes way for the sort's own, and its sorted entry. */
  final val EntryBytes: Long = 16L + KeyedSort.EntryBytes

  /** Of a row with its PARTITION BY keys: these, two entries of their sort, a partition's end. */
  final val KeyBytes: Long = 12L + 2 * KeyedSort.EntryBytes

  /** Of a partition: key, first row, place among the others, start, end, and the sort's entry. */
  final val GroupBytes: Long = 24L + KeyedSort.EntryBytes
}

/** Compares rows by their addresses. */
private[sort] final class RowOrder(
    orders: Seq[SortOrder],
    columns: Seq[Attribute],
    held: HeldBlocks,
    work: WorkMeter
) extends ItemOrder {
  private val ordering = RowOrdering.create(orders, columns)
  private val left = held.cursor()
  private val right = held.cursor()

  override def compare(a: Int, b: Int): Int = {
    work.add(1)
    ordering.compare(left(a), right(b))
  }

  /** Compares items that have addresses. */
  def by(place: Int => Int): ItemOrder = (a, b) => compare(place(a), place(b))
}
