package io.matchrecognize.execution.shuffle

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import io.matchrecognize.execution.rows.RowsOnDemand

/**
 * Unpacks the rows of blocks that [[BlockWriteExec]] has packed.
 *
 * Input: blocks, those of equal numbers in one partition. Output: their rows, partitioned by `keys`
 * as Spark's own exchange would have done it, for the operators above that rely on that.
 *
 * Adaptive execution may coalesce partitions of the exchange, which keeps equal numbers together;
 * it reads no partition in pieces, because the required distribution forbids it.
 *
 * @param keys
 *   what the rows are partitioned by; empty if all of them are in one partition
 * @param output
 *   the columns of the rows that were packed
 */
final case class BlockReadExec(keys: Seq[Expression], output: Seq[Attribute], child: SparkPlan)
    extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  @transient override lazy val references: AttributeSet = child.outputSet

  override def requiredChildDistribution: Seq[Distribution] =
    if (keys.isEmpty) AllTuples :: Nil
    else ClusteredDistribution(child.output.take(1)) :: Nil

  override def outputPartitioning: Partitioning = child.outputPartitioning match {
    case SinglePartition => SinglePartition
    case hash: HashPartitioning => hash.copy(expressions = keys)
    case coalesced: CoalescedHashPartitioning =>
      coalesced.copy(from = coalesced.from.copy(expressions = keys))
    case other => UnknownPartitioning(other.numPartitions)
  }

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows")
  )

  /** The blocks, for an operator that reads their columns. */
  def blocks(): RDD[ColumnBlock] = {
    val (columns, rowMetric) = (output, longMetric("numOutputRows"))
    child.execute().mapPartitions { rows =>
      val schema = BlockWriteExec.schemaOf(columns)
      rows.map { row =>
        val block = ColumnBlock.of(schema, row.asInstanceOf[UnsafeRow])
        rowMetric += block.length.toLong
        block
      }
    }
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val columns = output.length
    blocks().mapPartitions(new RowsOfBlocks(_, columns))
  }

  // The columns are not those of the child, by whose places the keys would be normalised.
  override protected def doCanonicalize(): SparkPlan = {
    val columns = AttributeSeq(output)
    copy(
      keys.map(QueryPlan.normalizeExpressions(_, columns)),
      output.map(QueryPlan.normalizeExpressions(_, columns)),
      child.canonicalized
    )
  }

  override protected def withNewChildInternal(newChild: SparkPlan): BlockReadExec =
    copy(child = newChild)
}

/** The rows of blocks, one after the other. A row is valid until `hasNext`. */
private[shuffle] final class RowsOfBlocks(blocks: Iterator[ColumnBlock], columns: Int)
    extends RowsOnDemand {
  private val row = new BlockRow(Array.range(0, columns))
  private var block: ColumnBlock = _
  private var at = 0

  override protected def make(): InternalRow = {
    while ((block == null || at == block.length) && blocks.hasNext) {
      block = blocks.next()
      at = 0
    }
    at += 1
    if (block == null || at > block.length) null else row.of(block, at - 1)
  }
}
