package io.matchrecognize.execution.shuffle

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
import org.apache.spark.sql.matchrecognize.BlockSums
import org.apache.spark.sql.types.{BinaryType, IntegerType}

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
 * @param wholeStage
 *   whether it may take part in whole-stage code
 * @param output
 *   the number and the block
 */
final case class BlockWriteExec(
    keys: Seq[Expression],
    numPartitions: Int,
    wholeStage: Boolean,
    output: Seq[Attribute],
    child: SparkPlan
) extends UnaryExecNode
    with PackCodegen {

  override def producedAttributes: AttributeSet = outputSet

  override def outputPartitioning: Partitioning =
    UnknownPartitioning(child.outputPartitioning.numPartitions)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numInputRows" -> SQLMetrics.createMetric(sparkContext, "number of input rows"),
    "numBlocks" -> SQLMetrics.createMetric(sparkContext, "number of blocks")
  )

  override protected def stringArgs: Iterator[Any] = Iterator(keys, numPartitions, output)

  override def supportCodegen: Boolean = wholeStage && isSupported

  override protected lazy val blockSchema: StoreSchema = BlockWriteExec.schemaOf(child.output)

  override protected def partitionOf: Option[Expression] =
    Option.when(numPartitions > 1)(HashPartitioning(keys, numPartitions).partitionIdExpression)

  // On the driver, once: Spark's expression is not generated code here.
  @transient private lazy val numbers = BlockTargets.numbers(numPartitions)

  override protected def stageProgram: BlockProgram = new BlockProgram(
    blockSchema,
    child.output,
    partitionOf,
    numbers,
    BlockSums.areRead(conf),
    longMetric("numInputRows"),
    longMetric("numBlocks")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val program = stageProgram
    child.execute().mapPartitions(program.blocks)
  }

  override protected def withNewChildInternal(newChild: SparkPlan): BlockWriteExec =
    copy(child = newChild)
}

object BlockWriteExec {
  def apply(
      keys: Seq[Expression],
      numPartitions: Int,
      wholeStage: Boolean,
      child: SparkPlan
  ): BlockWriteExec = {
    val output = Seq(
      AttributeReference("target", IntegerType, nullable = false)(),
      AttributeReference("block", BinaryType, nullable = false)()
    )
    BlockWriteExec(keys, numPartitions, wholeStage, output, child)
  }

  private[shuffle] def schemaOf(columns: Seq[Attribute]): StoreSchema =
    StoreSchema.of(columns.indices, columns(_).dataType, columns(_).nullable)
}
