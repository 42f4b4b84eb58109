package io.matchrecognize.execution.sort

import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.execution.shuffle.{BlockRow, ColumnBlock}

/** Sorts the rows of blocks, which stay in the blocks. */
final class BlockSortingBuffer private (
    spec: SortSpec,
    keys: Array[Int],
    blocks: HeldBlocks,
    resources: TaskResources,
    spillThreshold: Int,
    manyPartitions: Int,
    leastRun: Long
) extends SortingBuffer(
      spec,
      keys.toSeq.map(spec.columns),
      blocks,
      resources,
      spillThreshold,
      manyPartitions,
      leastRun
    ) {
  private val key = new BlockRow(keys)
  // The block whose rows are being inserted, and the address of its first one.
  private var current: ColumnBlock = _
  private var start = 0

  def insert(block: ColumnBlock): Unit = {
    hold(block)
    current = block
    var i = 0
    while (i < block.length) {
      val row = key.of(block, i)
      prepare(row)
      arrived.add(row, start + i)
      i += 1
    }
    current = null
  }

  private def hold(block: ColumnBlock): Unit = {
    acquireOrSpill(block.size)
    start = blocks.add(block)
  }

  // The rest of the block follows.
  override protected def afterRun(): Unit = if (current != null) hold(current)

  /**
   * After `sorted`, the rows as columns; null if a run has some, or partitions are not known, or
   * they have been spilled. Who holds the buffer's lock may use them until it asks for memory.
   */
  private[sort] def columns: BlocksInOrder = inMemory match {
    case rows: BlocksInOrder if rows.hasPartitions && !hasRuns => rows
    case _ => null
  }

}

object BlockSortingBuffer {

  /** See [[SortingBuffer]]. */
  def apply(
      spec: SortSpec,
      resources: TaskResources,
      spillThreshold: Int,
      manyPartitions: Int = ArrivedRows.ManyPartitions,
      leastRun: Long = SortingBuffer.LeastRun
  ): BlockSortingBuffer = {
    val read = (spec.partitionSpec ++ spec.orderSpec).flatMap(_.references).map(_.exprId).toSet
    val keys = spec.columns.indices.filter(i => read(spec.columns(i).exprId)).toArray
    val blocks = new HeldBlocks(spec.columns.length, keys)
    new BlockSortingBuffer(
      spec,
      keys,
      blocks,
      resources,
      spillThreshold,
      manyPartitions,
      leastRun
    )
  }
}
