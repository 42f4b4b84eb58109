package io.matchrecognize.execution.shuffle

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  SortOrder,
  TransformExpression
}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.connector.read.SupportsReportPartitioning
import org.apache.spark.sql.connector.read.partitioning.UnknownPartitioning
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.exchange.{
  ENSURE_REQUIREMENTS,
  ReusedExchangeExec,
  ShuffleExchangeExec
}
import org.apache.spark.sql.execution.{
  ColumnarToRowExec,
  FilterExec,
  InputAdapter,
  ProjectExec,
  SparkPlan,
  WholeStageCodegenExec
}
import org.apache.spark.sql.internal.SQLConf

/**
 * What EXPLAIN says of how the input of a clause is laid out: which layout spares the exchange or
 * the sort, and why that of a table does not.
 */
object InputLayout {

  /** The keys by which a table has its rows together; None if something else has put them so. */
  def ofTable(partitioning: Partitioning): Option[String] = partitioning match {
    case _: HashPartitioning | _: CoalescedHashPartitioning | _: RangePartitioning |
        _: PartitioningCollection =>
      None
    case keys: Expression => Some(keys.children.map(text).mkString(", "))
    case _ => None
  }

  private def text(key: Expression): String = key match {
    case transform: TransformExpression =>
      (transform.numBucketsOpt.map(_.toString) ++ transform.children.map(_.toString))
        .mkString(s"${transform.function.name}(", ", ", ")")
    case _ => key.toString
  }

  /** Why a clause sorts rows that no exchange has mixed. */
  def whySort(present: Seq[SortOrder]): String =
    if (present.isEmpty) "no order of the input is known"
    else present.mkString("the input is in order of ", ", ", "")

  /**
   * The layout of the table below an exchange, and why it did not spare the exchange; None if no
   * table has one.
   *
   * @param keys
   *   names of the PARTITION BY columns
   */
  def unused(exchange: SparkPlan, keys: Set[String]): Option[String] =
    scanBelow(inputOf(exchange)).filter(_.table.partitioning.nonEmpty).map { scan =>
      val transforms = scan.table.partitioning.toSeq
      val columns = transforms.flatMap(_.references).map(_.fieldNames.mkString(".")).distinct
      val others = columns.filterNot(name => keys.exists(_.equalsIgnoreCase(name)))
      val why =
        if (others.nonEmpty) s"PARTITION BY has no ${others.mkString(", ")}"
        else if (!scan.conf.v2BucketingEnabled) s"${SQLConf.V2_BUCKETING_ENABLED.key} is false"
        else whyOfScan(scan)
      s"${scan.table.name} is partitioned by ${transforms.map(_.describe).mkString(", ")}, " +
        s"which does not help: $why"
    }

  private def whyOfScan(scan: BatchScanExec): String = scan.scan match {
    case reports: SupportsReportPartitioning
        if !reports.outputPartitioning.isInstanceOf[UnknownPartitioning] =>
      "not all rows are written so, or Spark does not know the function"
    case _ =>
      "the scan does not report it (Iceberg: " +
        "spark.sql.iceberg.planning.preserve-data-grouping is false, or rows are not written so)"
  }

  /** What an exchange of this clause reads: row by row, or in blocks. */
  private def inputOf(exchange: SparkPlan): SparkPlan = exchange match {
    case read: BlockReadExec => inputOfBlocks(read.child)
    case shuffle: ShuffleExchangeExec if shuffle.shuffleOrigin == ENSURE_REQUIREMENTS =>
      shuffle.child
    case other => other
  }

  @tailrec
  private def inputOfBlocks(plan: SparkPlan): SparkPlan = plan match {
    case write: BlockWriteExec => write.child
    case stage: QueryStageExec => inputOfBlocks(stage.plan)
    case reused: ReusedExchangeExec => inputOfBlocks(reused.child)
    case other if other.children.length == 1 => inputOfBlocks(other.children.head)
    case other => other
  }

  // Through operators that keep rows where they are, under their names: below any other one, as an
  // aggregate, it is not the table that causes the exchange.
  @tailrec
  private def scanBelow(plan: SparkPlan): Option[BatchScanExec] = plan match {
    case scan: BatchScanExec => Some(scan)
    case _: FilterExec | _: InputAdapter | _: WholeStageCodegenExec | _: ColumnarToRowExec =>
      scanBelow(plan.children.head)
    case project: ProjectExec if project.projectList.forall(_.isInstanceOf[Attribute]) =>
      scanBelow(project.child)
    case _ => None
  }
}
