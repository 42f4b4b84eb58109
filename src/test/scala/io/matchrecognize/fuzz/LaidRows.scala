package io.matchrecognize.fuzz

import java.util.{Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions._
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.partitioning.{KeyGroupedPartitioning, Partitioning}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, Row}

import io.matchrecognize.plans.GroupedRows.{Readers, SplitOfRows}

/**
 * A source of the rows that [[LaidRows.view]] keeps, which says how they are laid out, as tables of
 * Iceberg do: each split has one value of the columns of the option `keys`, several splits have the
 * same one, and the rows of a split are in the order of the option `order`, descending, which the
 * scan reports if it is not empty.
 */
class LaidRows extends TableProvider {
  override def inferSchema(options: CaseInsensitiveStringMap): StructType = LaidRows.schema

  override def getTable(s: StructType, p: Array[Transform], options: JMap[String, String]): Table =
    new LaidRows.LaidTable(
      LaidRows.names(options.get("keys")),
      LaidRows.names(options.get("order"))
    )
}

object LaidRows {
  @volatile private var rows: Seq[Row] = Nil
  @volatile private var schema = new StructType

  private def names(text: String): Seq[String] = text.split(",").toSeq.filter(_.nonEmpty)

  /** Keeps rows of numbers and texts, and makes a view over them. */
  def view(frame: DataFrame, name: String, keys: String, order: String): Unit = {
    rows = frame.collect().toSeq
    schema = frame.schema
    frame.sparkSession.read
      .format(classOf[LaidRows].getName)
      .options(Map("keys" -> keys, "order" -> order))
      .load()
      .createOrReplaceTempView(name)
  }

  final case class Split(partitionKey: InternalRow, all: Seq[InternalRow]) extends SplitOfRows {
    override def rows: Iterator[InternalRow] = all.iterator
  }

  final class LaidTable(keys: Seq[String], order: Seq[String]) extends SupportsRead {
    private val (of, kept) = (LaidRows.schema, LaidRows.rows)
    override def name: String = "laid"
    override def schema: StructType = of
    override val partitioning: Array[Transform] =
      keys.map(Expressions.identity(_): Transform).toArray
    override def capabilities: JSet[TableCapability] = Set(TableCapability.BATCH_READ).asJava
    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
      () => new LaidScan(of, kept, keys, order, partitioning)
  }

  final class LaidScan(
      of: StructType,
      kept: Seq[Row],
      keys: Seq[String],
      order: Seq[String],
      transforms: Array[Transform]
  ) extends SupportsReportPartitioning
      with SupportsReportOrdering
      with Batch {
    private val toInternal = CatalystTypeConverters.createToCatalystConverter(of)
    private val splits: Seq[Split] = kept.zipWithIndex
      .groupBy { case (row, i) => (keys.map(row.getAs[Any]), i % 2) }
      .toSeq
      .sortBy { case (key, _) => key.hashCode }
      .map { case ((key, _), rows) =>
        val sorted = rows.map(_._1).sortBy(row => order.map(sortKey(row, _)).mkString(","))
        val values = StructType(keys.map(of(_)))
        val internal = CatalystTypeConverters.createToCatalystConverter(values)(Row(key: _*))
        Split(
          internal.asInstanceOf[InternalRow],
          sorted.reverse.map(row => toInternal(row).asInstanceOf[InternalRow].copy())
        )
      }

    // NULL is less than any value.
    private def sortKey(row: Row, column: String): String = row.getAs[Any](column) match {
      case null => ""
      case number: Long => f"$number%010d"
      case other => other.toString
    }

    override def readSchema: StructType = of
    override def toBatch: Batch = this
    override def outputPartitioning: Partitioning =
      new KeyGroupedPartitioning(transforms.toArray, splits.length)
    override def outputOrdering: Array[SortOrder] = order
      .map(column => Expressions.sort(Expressions.column(column), SortDirection.DESCENDING))
      .toArray
    override def planInputPartitions: Array[InputPartition] = splits.toArray
    override def createReaderFactory: PartitionReaderFactory = Readers
  }
}
