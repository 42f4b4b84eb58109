package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, HashPartitioning, SinglePartition}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeExec}
import org.apache.spark.sql.execution.joins.{BroadcastHashJoinExec, SortMergeJoinExec}
import org.apache.spark.sql.types.IntegerType
import org.apache.spark.sql.{DataFrame, Row}

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.plan.MatchRecognizeExec
import io.matchrecognize.{Interpreted, Sampled}

/** Where blocks are shuffled, and that the plans around them are those without. */
class BlockPlanSuite extends Interpreted {
  private val adaptive = "spark.sql.adaptive.enabled"
  private val shuffle = MatchRecognizeConf.Shuffle.key

  private val clause =
    """MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES LAST(A.v) AS last_v, COUNT(B.*) AS n
      |ALL ROWS PER MATCH PATTERN (A B+) DEFINE B AS v > PREV(v))""".stripMargin

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql(
        "SELECT concat('k', id % 31) AS k, id AS ts, id * 7 % 5 AS v, 'x' AS unused FROM range(900)"
      )
      .createOrReplaceTempView("input")
    spark
      .sql("SELECT concat('k', id) AS k, id AS w FROM range(40)")
      .createOrReplaceTempView("names")
  }

  /** The nodes that ran, each once, and rows in a fixed order. */
  private def run(sql: String): (Seq[SparkPlan], Seq[String]) = {
    val frame: DataFrame = spark.sql(sql)
    val found = frame.collect().map((row: Row) => row.toString).sorted.toSeq
    (nodes(executed(frame)), found)
  }

  private def exchanges(plan: Seq[SparkPlan]): Int =
    plan.count(p => p.isInstanceOf[ShuffleExchangeExec] || p.isInstanceOf[ReusedExchangeExec])

  private def blocks(plan: Seq[SparkPlan]): Int = plan.count(_.isInstanceOf[BlockReadExec])

  private val some = Seq("true", "false").take(Sampled.size(2, 1))

  /** Runs a query with blocks and without, in some kinds of plans; the plans with blocks. */
  private def compared(sql: String, confs: (String, String)*): Seq[Seq[SparkPlan]] =
    some.map { isAdaptive =>
      withConf(confs ++ Seq(adaptive -> isAdaptive, "spark.sql.shuffle.partitions" -> "7"): _*) {
        val (rowPlan, expected) = withConf(shuffle -> "spark")(run(sql))
        assert(blocks(rowPlan) == 0)
        val (plan, found) = withConf(shuffle -> "blocks")(run(sql))
        assert(found == expected && found.nonEmpty)
        assert(exchanges(plan) == exchanges(rowPlan), sql)
        plan
      }
    }

  test("the exchange by PARTITION BY is of blocks; the conf turns it off") {
    compared(s"SELECT * FROM input $clause").foreach { plan =>
      assert(blocks(plan) == 1 && exchanges(plan) == 1)
      val write = plan.collectFirst { case w: BlockWriteExec => w }.get
      val read = plan.collectFirst { case r: BlockReadExec => r }.get
      assert(write.metrics("numInputRows").value == 900)
      assert(read.metrics("numOutputRows").value == 900)
      val count = write.metrics("numBlocks").value
      assert(count >= 7 && count <= 14)
      val clauses = plan.collect { case node: MatchRecognizeExec => node }
      assert(clauses.map(_.metrics("numInputRows").value) == Seq(900))
    }
    val shown = rows(s"EXPLAIN SELECT * FROM input $clause").head.getString(0)
    assert("BlockRead \\[k#\\d+\\]".r.findFirstIn(shown).isDefined, shown)
    assert("BlockWrite \\[k#\\d+\\], 2".r.findFirstIn(shown).isDefined, shown)
    intercept[IllegalArgumentException](spark.conf.set(shuffle, "columns"))
  }

  test("adaptive execution coalesces partitions of blocks, and reads none in pieces") {
    val plan = compared(s"SELECT * FROM input $clause").head
    val read = plan.collectFirst { case r: AQEShuffleReadExec => r }.get
    assert(read.hasCoalescedPartition && !read.isLocalRead)
    val over = plan.collectFirst { case r: BlockReadExec => r }.get
    assert(over.outputPartitioning.numPartitions == read.outputPartitioning.numPartitions)
  }

  private val all = clause.replace("PARTITION BY k", "")

  test("without PARTITION BY the exchange of all rows to one task is of blocks") {
    compared(s"SELECT * FROM input $all").foreach { plan =>
      assert(blocks(plan) == 1 && exchanges(plan) == 1, plan.head)
      val write = plan.collectFirst { case w: BlockWriteExec => w }.get
      val read = plan.collectFirst { case r: BlockReadExec => r }.get
      assert(read.outputPartitioning == SinglePartition)
      assert(read.requiredChildDistribution == Seq(AllTuples))
      assert(write.metrics("numBlocks").value == 2)
      assert(read.metrics("numOutputRows").value == 900)
      val clauses = plan.collect { case node: MatchRecognizeExec => node }
      assert(clauses.map(_.metrics("numInputRows").value) == Seq(900))
      assert(clauses.map(_.outputPartitioning) == Seq(SinglePartition))
    }
    val shown = rows(s"EXPLAIN SELECT * FROM input $all").head.getString(0)
    assert(shown.contains("BlockWrite 1") || shown.contains("BlockWrite , 1"), shown)
  }

  test("all rows to one task: no rows, and no partitions of rows") {
    val counted = "(SELECT count(*) AS n, first(k) AS k FROM"
    Seq("input WHERE ts < 0", "VALUES ('a', 1L, 2L) AS v (k, ts, v) WHERE ts > 1").foreach { none =>
      compared(s"SELECT n FROM $counted (SELECT * FROM $none) $all)")
    }
  }

  test("operators above rely on the one partition", Slow) {
    val sum = s"SELECT sum(n), count(DISTINCT ts) FROM input $all"
    compared(sum).foreach(plan => assert(blocks(plan) == 1))
    val again = s"SELECT * FROM (SELECT k, ts, last_v AS v FROM input $all) $all"
    compared(again).foreach(plan => assert(blocks(plan) == 1 && exchanges(plan) == 1))
    val keyed = s"SELECT * FROM (SELECT k, ts, last_v AS v FROM input $all) $clause"
    compared(keyed).foreach(plan => assert(blocks(plan) >= 1))
    val over = s"SELECT *, row_number() OVER (ORDER BY ts) AS r FROM input $all"
    compared(over).foreach(plan => assert(blocks(plan) == 1 && exchanges(plan) == 1))
    compared(s"SELECT * FROM input $all LIMIT 1000").foreach(p => assert(blocks(p) == 1))
  }

  test("ties and rows without ORDER BY keep the order of arrival") {
    val tied =
      all.replace("ORDER BY ts", "ORDER BY v % 1").replace("MEASURES", "MEASURES B.ts AS t,")
    val arrival = all.replace("ORDER BY ts", "").replace("MEASURES", "MEASURES B.ts AS t,")
    Seq(tied, arrival).foreach { sql =>
      val found = Seq("true", "false").flatMap { isAdaptive =>
        Seq("spark", "blocks").map { how =>
          withConf(adaptive -> isAdaptive, shuffle -> how) {
            val frame = spark.sql(s"SELECT * FROM input $sql")
            val shown = frame.collect().map(_.toString).toSeq
            assert(blocks(nodes(executed(frame))) == (if (how == "blocks") 1 else 0))
            shown
          }
        }
      }
      assert(found.head.length > 100)
      assert(found.forall(_ == found.head))
    }
  }

  test("exchanges of the user and below other operators are not of blocks", Slow) {
    val asked = s"SELECT * FROM (SELECT /*+ REPARTITION(3, k) */ * FROM input) $clause"
    val one = s"SELECT * FROM (SELECT /*+ REPARTITION(1) */ * FROM input) $all"
    val few = s"SELECT * FROM (SELECT /*+ COALESCE(1) */ * FROM input) $all"
    Seq(asked, one, few).flatMap(compared(_)).foreach(plan => assert(blocks(plan) == 0))
    compared(s"SELECT * FROM input $clause", MatchRecognizeConf.Sort.key -> "spark")
      .foreach(plan => assert(blocks(plan) == 0))
    compared("SELECT k, count(*) FROM input GROUP BY k").foreach(p => assert(blocks(p) == 0))
  }

  test("by default not of blocks if many columns are of variable length") {
    def blocksOf(strings: Int, query: String => String) = {
      val more = (2 to strings).map(i => s", concat('s', id % $i) AS s$i").mkString
      blocks(
        run(
          query(s"(SELECT concat('k', id % 31) AS k, id AS ts, id % 5 AS v$more FROM range(900))")
        )._1
      )
    }
    def allRows(by: String)(table: String) = s"""
      SELECT * FROM $table MATCH_RECOGNIZE ($by ORDER BY ts ALL ROWS PER MATCH
        PATTERN (A+ B) DEFINE B AS v < PREV(v))"""
    withConf(shuffle -> "auto") {
      assert(blocksOf(4, allRows("PARTITION BY k")) == 1)
      assert(blocksOf(5, allRows("PARTITION BY k")) == 0)
      assert(blocksOf(5, allRows("")) == 1)
      // Only what is shuffled counts.
      assert(blocksOf(9, table => s"SELECT count(*) FROM $table $clause") == 1)
    }
    assert(withConf(shuffle -> "blocks")(blocksOf(5, allRows("PARTITION BY k"))) == 1)
  }

  test(
    "operators above keep the partitioning: joins, aggregates and clauses by the same keys"
  ) {
    val merge = Seq("spark.sql.autoBroadcastJoinThreshold" -> "-1")
    val join = s"SELECT * FROM (SELECT * FROM input $clause) m JOIN names USING (k)"
    compared(join, merge: _*).foreach(plan => assert(blocks(plan) == 1 && exchanges(plan) == 2))
    val grouped = s"SELECT k, sum(n) FROM (SELECT * FROM input $clause) GROUP BY k"
    compared(grouped).foreach(plan => assert(blocks(plan) == 1 && exchanges(plan) == 1))
    val twice = s"SELECT * FROM (SELECT k, ts, last_v AS v FROM input $clause) $clause"
    compared(twice).foreach(plan => assert(blocks(plan) == 1 && exchanges(plan) == 1))
    val below = s"SELECT * FROM (SELECT k, ts, v, w FROM input JOIN names USING (k)) $clause"
    compared(below, merge: _*).foreach(plan => assert(blocks(plan) == 0))
    // Broadcast, so the clause has an exchange over a join; then adaptive execution plans again.
    compared(below).foreach(plan => assert(blocks(plan) == 1))
    val rare =
      s"SELECT * FROM (SELECT * FROM input $clause) m JOIN (SELECT k, max(w) AS w FROM names " +
        "WHERE w < 3 GROUP BY k) USING (k)"
    compared(rare).foreach(plan => assert(blocks(plan) == 1))
  }

  test("equal exchanges of blocks are shared") {
    val self = s"WITH m AS (SELECT * FROM input $clause) " +
      "SELECT a.k, a.ts, b.n FROM m a JOIN m b ON a.k = b.k AND a.ts = b.ts"
    compared(self, "spark.sql.autoBroadcastJoinThreshold" -> "-1").foreach { plan =>
      assert(plan.exists(_.isInstanceOf[ReusedExchangeExec]))
      assert(plan.exists(_.isInstanceOf[BlockWriteExec]))
    }
    val upper = s"WITH m AS (SELECT * FROM input $clause) SELECT a.last_v, b.n FROM m a JOIN m b " +
      "ON a.last_v = b.last_v AND a.k < b.k AND a.ts < 20 AND b.ts < 20"
    compared(upper, "spark.sql.autoBroadcastJoinThreshold" -> "-1")
    val other = s"SELECT k, n FROM input $clause UNION ALL " +
      s"SELECT upper(k), n FROM (SELECT concat(k, '') AS k, ts, v FROM input) $clause"
    compared(other).foreach(plan => assert(!plan.exists(_.isInstanceOf[ReusedExchangeExec])))
  }

  test("two clauses over one table, with conditions of their own, share its exchange") {
    def one(condition: String) =
      s"""SELECT * FROM input MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES COUNT(*) AS n
         |PATTERN (A B+) DEFINE A AS $condition, B AS v > PREV(v))""".stripMargin
    compared(
      s"SELECT a.k, a.n, b.n AS m FROM (${one("v < 3")}) a JOIN (${one("v <> 4")}) b ON a.k = b.k"
    ).foreach { plan =>
      assert(plan.count(_.isInstanceOf[ReusedExchangeExec]) == 1)
    }
  }

  test("keys that are expressions") {
    val byPrefix = clause.replace("PARTITION BY k", "PARTITION BY substr(k, 1, 2), v % 2")
    compared(s"SELECT n FROM input $byPrefix").foreach(plan => assert(blocks(plan) == 1))
  }

  test("a block goes where Spark's own hash partitioning puts its rows") {
    val target = BoundReference(0, IntegerType, nullable = false)
    Seq(1, 2, 3, 8, 200, 2000).foreach { partitions =>
      val partitionOf = HashPartitioning(Seq(target), partitions).partitionIdExpression
      BlockTargets.numbers(partitions).zipWithIndex.foreach { case (number, partition) =>
        assert(partitionOf.eval(InternalRow(number)) == partition)
      }
    }
  }

  test("adaptive execution plans again over a finished stage of blocks") {
    val sql = s"SELECT * FROM (SELECT * FROM input $clause) m JOIN " +
      "(SELECT k, max(w) AS w FROM names WHERE w < 3 GROUP BY k) USING (k)"
    withConf(adaptive -> "true", "spark.sql.autoBroadcastJoinThreshold" -> "400") {
      assert(nodes(executed(spark.sql(sql))).exists(_.isInstanceOf[SortMergeJoinExec]))
      val (plan, found) = run(sql)
      assert(plan.exists(_.isInstanceOf[BroadcastHashJoinExec]))
      assert(blocks(plan) == 1 && plan.count(_.isInstanceOf[BlockWriteExec]) == 1)
      assert(found.nonEmpty && found == withConf(shuffle -> "spark")(run(sql)._2))
    }
  }

  test("EXPLAIN shows the shuffle that was planned, whatever the setting is now") {
    def planned(choice: String): DataFrame = withConf(shuffle -> choice) {
      val frame = spark.sql(s"SELECT * FROM input $clause")
      executed(frame): Unit
      frame
    }
    def shown(frame: DataFrame): String = nodes(executed(frame))
      .collectFirst { case m: MatchRecognizeExec => m.verboseStringWithOperatorId() }
      .flatMap(_.linesIterator.find(_.startsWith("Shuffle: ")))
      .get
    Seq("true", "false").foreach { isAdaptive =>
      withConf(adaptive -> isAdaptive) {
        val (rows, blocks) = (planned("spark"), planned("blocks"))
        for (now <- Seq("auto", "spark", "blocks"); isRun <- Seq(false, true))
          withConf(shuffle -> now) {
            if (isRun) Seq(rows, blocks).foreach(_.collect())
            assert(shown(rows) == "Shuffle: row by row", now)
            assert(shown(blocks) == "Shuffle: in blocks", now)
          }
      }
    }
  }
}
