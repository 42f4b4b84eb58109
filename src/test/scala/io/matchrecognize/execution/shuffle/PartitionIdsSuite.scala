package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, RowOrdering}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.{CollapseCodegenStages, SparkPlan}
import org.apache.spark.sql.matchrecognize.InternalRows
import org.apache.spark.sql.types._

import io.matchrecognize.execution.plan.ShuffleInBlocks
import io.matchrecognize.expressions.{ExtremeValues, GroupingKey}
import io.matchrecognize.{QuerySuite, Sampled}

/** Keys of every type are in the partition that Spark's own exchange puts them in. */
class PartitionIdsSuite extends QuerySuite with ExtremeValues {
  private val partitionCount = 7
  private val keyCount = 1000

  // Otherwise columns of CHAR and VARCHAR are of STRING.
  private val keepsChars = "spark.sql.preserveCharVarcharTypeInfo"

  private val types = allTypes.filter(RowOrdering.isOrderable)
  private val names = types.indices.map(i => s"k$i")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val columns = types.zip(names).map { case (t, name) => StructField(name, t) } :+
      StructField("id", IntegerType, nullable = false)
    val pools = types.map(values)
    val rows = Seq.tabulate(keyCount)(id => InternalRow(pools.map(pick) :+ id: _*): InternalRow)
    spark.conf.set(keepsChars, "true")
    InternalRows.frame(spark, StructType(columns), rows).createOrReplaceTempView("keys")
  }

  override protected def afterAll(): Unit =
    try spark.conf.unset(keepsChars)
    finally super.afterAll()

  private val noAdaptive = "spark.sql.adaptive.enabled" -> "false"

  /** The rows of each partition, by their ids. */
  private def placed(plan: SparkPlan, columns: Seq[Attribute]): Seq[(Int, Int)] = {
    val id = columns.indexWhere(_.name == "id")
    val found = plan.execute().mapPartitionsWithIndex { (partition, rows) =>
      rows.map(row => row.getInt(id) -> partition)
    }
    found.collect().sorted.toSeq
  }

  /** Whether an exchange by some keys divides rows as one of blocks does. */
  private def isSame(keys: Seq[String]): Boolean = {
    val rows = spark
      .table("keys")
      .select("id", keys: _*)
      .asInstanceOf[ClassicDataset[Row]]
      .queryExecution
      .sparkPlan
    val by = keys.map(key => GroupingKey.normalize(rows.output.find(_.name == key).get))
    val exchange = ShuffleExchangeExec(HashPartitioning(by, partitionCount), rows)
    val blocks = ShuffleInBlocks.inBlocks(exchange, by)(HashPartitioning(_, partitionCount))
    val expected = placed(CollapseCodegenStages()(exchange), rows.output)
    assert(expected.length == keyCount)
    placed(CollapseCodegenStages()(blocks), rows.output) == expected
  }

  private def typeOf(name: String): DataType = types(names.indexOf(name))

  private def check(keys: Seq[Seq[String]]): Unit =
    assert(keys.filterNot(isSame).map(_.map(typeOf(_).sql)) == Nil)

  private val nested = names.filter { name =>
    typeOf(name) match {
      case _: FloatType | _: DoubleType | _: StructType | _: ArrayType | _: StringType => true
      case _ => false
    }
  }

  test("of rows and of blocks, with one key and with several") {
    withConf(noAdaptive) {
      check(Sampled.oneIn(18, names.map(Seq(_)) ++ names.grouped(9)))
    }
  }

  test("with settings that change hashes", Slow) {
    withConf(
      noAdaptive,
      "spark.sql.legacy.collationAwareHashFunctions" -> "true",
      "spark.sql.ansi.enabled" -> "false"
    )(check(nested.map(Seq(_))))
  }

  test("of a clause and of a query with DISTRIBUTE BY") {
    val some = Seq(StringType, LongType, DecimalType(38, 18), DateType, BinaryType, interval)
    Sampled.oneIn(3, some).foreach { t =>
      val key = names(types.indexOf(t))
      withConf(noAdaptive, "spark.sql.shuffle.partitions" -> partitionCount.toString) {
        def ids(from: String) =
          rows(s"SELECT id, spark_partition_id() FROM $from").sortBy(_.getInt(0))
        val columns = s"(SELECT id, $key FROM keys"
        val ofClause = ids(
          s"$columns) MATCH_RECOGNIZE (PARTITION BY $key ALL ROWS PER MATCH PATTERN (A+))"
        )
        assert(ofClause.length == keyCount)
        assert(ofClause == ids(s"$columns DISTRIBUTE BY $key)"), t.sql)
      }
    }
  }
}
