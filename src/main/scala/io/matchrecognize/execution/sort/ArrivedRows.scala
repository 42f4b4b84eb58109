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

/**
 * How rows are ordered.
 *
 * @param partitionOrder
 *   the order of the partitions: an order of each of `partitionSpec`, in any sequence
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
 * @param checkCancelled
 *   called regularly
 */
final class ArrivedRows(spec: SortSpec, checkCancelled: () => Unit) {
  import ArrivedRows._

  private val pages = new RowPages
  private val groups = new GroupIds(spec.partitionSpec, spec.columns)
  private val groupKey = new PackedKey(spec.partitionOrder, spec.columns)
  private val rowKey = new PackedKey(spec.orderSpec, spec.columns)
  private lazy val groupTies = new RowOrder(spec.partitionOrder)
  private lazy val rowTies = new RowOrder(spec.orderSpec)

  private val chunks = mutable.ArrayBuffer.empty[Chunk]
  private var chunk: Chunk = _
  private var count = 0
  private var groupKeys = new Array[Long](FirstGroups)
  private var groupRows = new Array[Int](FirstGroups)
  private var knownGroups = 0
  private val groupRow = new UnsafeRow(spec.columns.length)
  // Rows whose partition is known; the keys of the others.
  private var resolved = 0
  private val pendingKeys = new Array[Long](Batch)

  def length: Int = count

  def isFull: Boolean = count == MaxRows || pages.isFull

  /** Bytes to be acquired before `add(row)`: for the row, and for sorting the rows later. */
  def growth(row: UnsafeRow): Long =
    batchGrowth() + pages.growth(row.getSizeInBytes) + groups.growth(row)

  private def batchGrowth(): Long =
    if ((count & BatchMask) != 0) 0L
    else {
      resolve()
      (if (needsChunk) ChunkRows * EntryBytes else 0L) +
        (if (needsGroups) groupKeys.length * GroupBytes else 0L) + groups.growth(Batch)
    }

  /** Makes the space that `growth` asked for. */
  def grow(row: UnsafeRow): Unit = {
    if ((count & BatchMask) == 0) {
      if (needsChunk) {
        chunk = new Chunk
        chunks += chunk
      }
      if (needsGroups) {
        groupKeys = Arrays.copyOf(groupKeys, groupKeys.length * 2)
        groupRows = Arrays.copyOf(groupRows, groupRows.length * 2)
      }
      groups.grow(Batch)
    }
    pages.grow(row.getSizeInBytes)
    groups.grow(row)
  }

  private def needsGroups = groups.size + Batch > groupKeys.length

  private def needsChunk = (count & ChunkMask) == 0

  def add(row: UnsafeRow): Unit = {
    val place = pages.append(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes)
    val group = groups.of(row)
    val i = count & ChunkMask
    if (group == GroupIds.Pending) pendingKeys(count & BatchMask) = groups.pendingKey
    else if (group == knownGroups) addGroup(row, place)
    chunk.groups(i) = group
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
    var at = resolved
    while (at < count) {
      val i = at & ChunkMask
      if (chunk.groups(i) == GroupIds.Pending) {
        val group = groups.resolve(pendingKeys(at & BatchMask))
        chunk.groups(i) = group
        if (group == knownGroups) {
          pages.pointTo(chunk.places(i), groupRow)
          addGroup(groupRow, chunk.places(i))
        }
      }
      at += 1
    }
    resolved = count
  }

  /** Sorts the rows; no more can be added until `clear`. */
  def sorted(): MemoryRows = {
    resolve()
    val order = groupsInOrder()
    val starts = new Array[Int](groups.size)
    var at = 0
    order.foreach { group =>
      starts(group) = at
      at += groups.rows(group)
    }
    val keys = new Array[Long](count)
    val places = new Array[Int](count)
    scatter(starts, keys, places)
    // `starts` are now the ends.
    val sort = new KeyedSort
    val ties = if (rowKey.isExact) null else rowTies
    var sinceCheck = 0
    order.foreach { group =>
      val end = starts(group)
      val rows = groups.rows(group)
      sort.sort(keys, places, end - rows, end, ties)
      sinceCheck += rows
      if (sinceCheck >= RowsBetweenChecks) {
        sinceCheck = 0
        checkCancelled()
      }
    }
    groups.clear()
    new MemoryRows(pages, places, spec.columns.length)
  }

  /** The numbers of the partitions in the order of their keys. */
  private def groupsInOrder(): Array[Int] = {
    val order = Array.range(0, groups.size)
    val ties = if (groupKey.isExact) null else groupTies.over(groupRows)
    new KeyedSort().sort(groupKeys, order, 0, groups.size, ties)
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
    chunk = null
  }

  /** Forgets all rows. */
  def clear(): Unit = {
    pages.clear()
    groups.clear()
    groupKey.reset()
    rowKey.reset()
    chunks.clear()
    chunk = null
    count = 0
    groupKeys = new Array[Long](FirstGroups)
    groupRows = new Array[Int](FirstGroups)
    knownGroups = 0
    resolved = 0
  }

  /** Compares rows by their addresses. */
  private final class RowOrder(orders: Seq[SortOrder]) extends ItemOrder {
    private val ordering = RowOrdering.create(orders, spec.columns)
    private val left = new UnsafeRow(spec.columns.length)
    private val right = new UnsafeRow(spec.columns.length)

    override def compare(a: Int, b: Int): Int = {
      pages.pointTo(a, left)
      pages.pointTo(b, right)
      ordering.compare(left, right)
    }

    /** Compares the rows whose addresses are in `places`. */
    def over(places: Array[Int]): ItemOrder = (a, b) => compare(places(a), places(b))
  }
}

private object ArrivedRows {
  private final val ChunkShift = 12
  private final val ChunkRows = 1 << ChunkShift
  private final val ChunkMask = ChunkRows - 1
  private final val MaxRows = 1 << 28
  private final val Batch = GroupIds.Batch
  private final val BatchMask = Batch - 1
  private final val FirstGroups = Batch
  private final val RowsBetweenChecks = 1 << 16

  /** Number, address and key of each row of a chunk. */
  private final class Chunk {
    val groups = new Array[Int](ChunkRows)
    val places = new Array[Int](ChunkRows)
    val keys = new Array[Long](ChunkRows)
  }

  /** Of a row: its entry in a chunk, which makes way for the sort's own, and its sorted entry. */
  private final val EntryBytes = 16L + KeyedSort.EntryBytes

  /** Of a partition: key, first row, place among the others, start, and the sort's own entry. */
  private final val GroupBytes = 20L + KeyedSort.EntryBytes
}
