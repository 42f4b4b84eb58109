package io.matchrecognize.plans

import java.util.{Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.partitioning._
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * A source of the rows (k, ts, v) with k of 0 to 2 and ts of 0 to 9, partitioned by k as tables of
 * Iceberg are: each k has two splits, with the even ts and the odd ones. The scan reports this
 * unless the option `reports` is false; with the option `pairs`, v is 0 for even ts and 1 for odd
 * ones, the table is partitioned by k and v, and each k and v has two splits.
 */
class GroupedRows extends TableProvider {
  override def inferSchema(options: CaseInsensitiveStringMap): StructType = GroupedRows.schema

  override def getTable(s: StructType, p: Array[Transform], o: JMap[String, String]): Table =
    if ("true" == o.get("pairs")) GroupedRows.byPair else GroupedRows.byKey
}

object GroupedRows {
  val schema: StructType =
    new StructType().add("k", IntegerType).add("ts", IntegerType).add("v", IntegerType)

  /** A split that has its rows. */
  trait SplitOfRows extends HasPartitionKey {
    def rows: Iterator[InternalRow]
  }

  /** The rows of a k with these ts, which are all even or all odd. */
  final case class Split(k: Int, times: Seq[Int], pairs: Boolean) extends SplitOfRows {
    private val odd = times.head % 2

    override def partitionKey: InternalRow = if (pairs) InternalRow(k, odd) else InternalRow(k)

    override def rows: Iterator[InternalRow] = times.iterator.map { ts =>
      InternalRow(k, ts, if (pairs) odd else ts * 7 % 5 + k)
    }
  }

  final class GroupedTable(pairs: Boolean) extends SupportsRead {
    override def name: String = "grouped"
    override def schema: StructType = GroupedRows.schema
    override val partitioning: Array[Transform] =
      (if (pairs) Array("k", "v") else Array("k")).map(Expressions.identity(_): Transform)
    override def capabilities: JSet[TableCapability] = Set(TableCapability.BATCH_READ).asJava
    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
      () => new GroupedScan(options.getBoolean("reports", true), partitioning)
  }

  // A table is equal to itself only.
  val byKey = new GroupedTable(pairs = false)
  val byPair = new GroupedTable(pairs = true)

  final class GroupedScan(reports: Boolean, keys: Array[Transform])
      extends SupportsReportPartitioning
      with Batch {
    override def readSchema: StructType = schema
    override def toBatch: Batch = this
    override def outputPartitioning: Partitioning =
      if (reports) new KeyGroupedPartitioning(keys.toArray, 3 * keys.length)
      else new UnknownPartitioning(6)
    override def planInputPartitions: Array[InputPartition] =
      (for {
        odd <- 0 to 1
        times <- (odd to 9 by 2).grouped(if (keys.length > 1) 3 else 5)
        k <- 0 to 2
      } yield Split(k, times, keys.length > 1)).toArray
    override def createReaderFactory: PartitionReaderFactory = Readers
  }

  object Readers extends PartitionReaderFactory {
    override def createReader(partition: InputPartition): PartitionReader[InternalRow] = {
      val rows = partition.asInstanceOf[SplitOfRows].rows
      new PartitionReader[InternalRow] {
        private var row: InternalRow = _
        override def next(): Boolean = {
          val more = rows.hasNext
          if (more) row = rows.next()
          more
        }
        override def get(): InternalRow = row
        override def close(): Unit = ()
      }
    }
  }
}
