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
import org.apache.spark.sql.matchrecognize.{BlockSums, TaskResources}
import org.apache.spark.sql.types.{BinaryType, IntegerType}

import io.matchrecognize.execution.rows.{StoreSchema, ToUnsafe}

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

  override protected def stringArgs: Iterator[Any] = Iterator(keys, numPartitions, output)

  // For each partition the number of its blocks. Found on the driver, once: Spark's expression is
  // not generated code here.
  @transient private lazy val numbers = BlockTargets.numbers(numPartitions)

  override protected def doExecute(): RDD[InternalRow] = {
    val (columns, schema) = (child.output, BlockWriteExec.schemaOf(child.output))
    val (numberOf, hasSums) = (numbers, BlockSums.areRead(conf))
    val partitionOf =
      Option.when(numPartitions > 1)(HashPartitioning(keys, numPartitions).partitionIdExpression)
    val (rowMetric, blockMetric) = (longMetric("numInputRows"), longMetric("numBlocks"))
    child.execute().mapPartitions { rows =>
      val resources = new TaskResources(TaskContext.get(), _ => ())
      val writer = new BlockWriter(
        new BlockBuffer(schema, numberOf.length, hasSums),
        partitionOf.map(e => UnsafeProjection.create(Seq(e), columns)).orNull,
        numberOf,
        resources,
        rowMetric,
        blockMetric
      )
      resources.onCompletion(() => writer.free())
      new BlocksOfRows(rows, writer, new ToUnsafe(columns))
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

/**
 * Numbers that Spark's hash partitioning sends to given partitions: so an exchange of Spark's own
 * divides blocks as a task has divided their rows, on every minor.
 */
private[shuffle] object BlockTargets {

  /** For each of `partitions` partitions an INT that is sent to that partition. */
  def numbers(partitions: Int): Array[Int] = {
    val column = BoundReference(0, IntegerType, nullable = false)
    val partitionOf = HashPartitioning(Seq(column), partitions).partitionIdExpression
    val row = new SpecificInternalRow(Seq(IntegerType))
    val numbers = new Array[Int](partitions)
    val isKnown = new Array[Boolean](partitions)
    var found = 0
    var number = 0
    while (found < partitions) {
      row.setInt(0, number)
      val partition = partitionOf.eval(row).asInstanceOf[Int]
      if (!isKnown(partition)) {
        isKnown(partition) = true
        numbers(partition) = number
        found += 1
      }
      number += 1
    }
    numbers
  }
}
