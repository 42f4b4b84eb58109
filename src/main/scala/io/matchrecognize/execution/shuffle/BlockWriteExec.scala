package io.matchrecognize.execution.shuffle

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{
  HashPartitioning,
  Partitioning,
  UnknownPartitioning
}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.types.{BinaryType, DataType, IntegerType}

import io.matchrecognize.execution.rows.StoreSchema

/**
 * Packs rows into blocks of columns for an exchange.
 *
 * Input: rows in any order. Output: blocks, each of rows of one shuffle partition in the order in
 * which they arrived, with a number that hash partitioning sends to that partition. The partition
 * of a row is that of Spark's own exchange by the same keys.
 *
 * It runs below an exchange that [[BlockReadExec]] reads.
 *
 * @param keys
 *   what the rows are partitioned by; empty if all of them go to one partition
 * @param numPartitions
 *   shuffle partitions of the exchange
 * @param output
 *   the number and the block
 */
final case class BlockWriteExec(
    keys: Seq[Expression],
    numPartitions: Int,
    output: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override def outputPartitioning: Partitioning =
    UnknownPartitioning(child.outputPartitioning.numPartitions)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numInputRows" -> SQLMetrics.createMetric(sparkContext, "number of input rows"),
    "numBlocks" -> SQLMetrics.createMetric(sparkContext, "number of blocks")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val columns = child.output
    val (partitions, hash) = (numPartitions, HashPartitioning(keys, numPartitions))
    val (rowMetric, blockMetric) = (longMetric("numInputRows"), longMetric("numBlocks"))
    child.execute().mapPartitions { rows =>
      val resources = new TaskResources(TaskContext.get(), _ => ())
      val writer = new BlockWriter(
        rows,
        new BlockBuffer(BlockWriteExec.schemaOf(columns), partitions),
        if (partitions == 1) null
        else UnsafeProjection.create(hash.partitionIdExpression :: Nil, columns),
        BlockTargets.numbers(partitions),
        UnsafeProjection.create(columns.map(_.dataType).toArray[DataType]),
        resources,
        rowMetric,
        blockMetric
      )
      resources.onCompletion(() => writer.free())
      writer
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): BlockWriteExec =
    copy(child = newChild)
}

object BlockWriteExec {
  def apply(keys: Seq[Expression], numPartitions: Int, child: SparkPlan): BlockWriteExec = {
    val output = Seq(
      AttributeReference("target", IntegerType, nullable = false)(),
      AttributeReference("block", BinaryType, nullable = false)()
    )
    BlockWriteExec(keys, numPartitions, output, child)
  }

  private[shuffle] def schemaOf(columns: Seq[Attribute]): StoreSchema =
    StoreSchema.of(columns.indices, columns(_).dataType, columns(_).nullable)
}
