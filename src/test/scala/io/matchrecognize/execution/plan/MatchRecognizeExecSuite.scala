package io.matchrecognize.execution.plan

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.compile.SearchOptions
import io.matchrecognize.pattern.AutomatonBuilder
import io.matchrecognize.plans.MatchRecognize
import io.matchrecognize.{QuerySuite, Sampled}

/** The operator end to end: rows, errors at run time, memory. */
class MatchRecognizeExecSuite extends QuerySuite {
  private def withTable(name: String, sql: String)(body: => Unit): Unit = {
    spark.sql(sql).createOrReplaceTempView(name)
    try body
    finally spark.catalog.dropTempView(name)
  }

  private val vShape =
    """SELECT * FROM ticks MATCH_RECOGNIZE (
      |  PARTITION BY symbol ORDER BY ts
      |  MEASURES MATCH_NUMBER() AS n, STRT.price AS a, LAST(DOWN.price) AS b, LAST(UP.price) AS c,
      |    COUNT(*) AS size, SUM(UP.price) AS total
      |  AFTER MATCH SKIP TO LAST UP
      |  PATTERN (STRT DOWN+ UP+)
      |  DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price))
      |ORDER BY symbol, n""".stripMargin

  private val ticks =
    """SELECT concat('s', id % 7) AS symbol, id AS ts, CAST(hash(id) % 1000 AS DOUBLE) AS price,
      |  repeat('x', CAST(id % 50 AS INT)) AS note FROM range(20000)""".stripMargin

  test("code generation, interpretation, adaptive or not, in memory or spilled: one answer") {
    withTable("ticks", ticks) {
      val expected = rows(vShape)
      assert(expected.length > 1000)
      val variants = Seq(
        Seq(
          "spark.sql.codegen.factoryMode" -> "NO_CODEGEN",
          "spark.sql.codegen.wholeStage" -> "false"
        ),
        Seq("spark.sql.adaptive.enabled" -> "false"),
        Seq("spark.sql.shuffle.partitions" -> "1"),
        Seq("spark.sql.ansi.enabled" -> "false"),
        Seq(MatchRecognizeConf.Sort.key -> "spark"),
        Seq(MatchRecognizeConf.SpillThresholdRows.key -> "1000")
      )
      Sampled
        .oneIn(2, variants)
        .foreach(confs => withConf(confs: _*)(assert(rows(vShape) == expected, confs)))
    }
  }

  test("a spilled partition gives the rows of one in memory, and the metrics say that it spilled") {
    val sql =
      """SELECT * FROM wide MATCH_RECOGNIZE (ORDER BY id
        |  MEASURES MATCH_NUMBER() AS n, CLASSIFIER() AS label, FINAL LAST(id) AS last_id,
        |    PREV(text, 9000) AS before, SUM(LENGTH(text)) AS length
        |  ALL ROWS PER MATCH PATTERN (A+ B) DEFINE A AS id % 15000 <> 14999)""".stripMargin
    withTable(
      "wide",
      "SELECT id, IF(id % 11 = 0, NULL, concat('row ', id)) AS text FROM range(40000)"
    ) {
      val expected = rows(sql)
      assert(expected.length == 40000)
      withConf(MatchRecognizeConf.SpillThresholdRows.key -> "1000") {
        val frame = spark.sql(sql)
        assert(frame.collect().toSeq == expected)
        val node = matchNodes(frame).head
        assert(node.metrics("spillSize").value > 0)
        assert(node.metrics("peakMemory").value > 0)
      }
    }
  }

  test("an automaton is built once for all plans of a clause") {
    withTable("ticks", ticks) {
      val frame = spark.sql(vShape)
      val pattern = frame.queryExecution.analyzed.collectFirst { case n: MatchRecognize =>
        n.clause.pattern
      }.get
      val conf = spark.sessionState.conf
      val analyzed =
        AutomatonBuilder.of(pattern, conf.getConf(MatchRecognizeConf.MaxPatternPositions))
      Seq(frame, frame.limit(10)).foreach { planned =>
        assert(matchNodes(planned).head.program.clause.automaton eq analyzed)
      }
    }
  }

  test("clauses are compiled once for all plans of a query, with the settings that it has") {
    withTable("ticks", ticks) {
      val frame = spark.sql(vShape)
      val first = executed(frame).collectFirst { case adaptive: AdaptiveSparkPlanExec =>
        nodes(adaptive.initialPlan).collectFirst { case node: MatchRecognizeExec => node }.get
      }.get
      val program = first.program
      frame.collect()
      val last = matchNodes(frame).head
      assert((last ne first) && (last.program eq program))
      assert(last.copy(search = SearchOptions.table.copy(deadlines = false)).program ne program)
      withConf(MatchRecognizeConf.SpillThresholdRows.key -> "1000") {
        assert(last.copy().program.spillThreshold == 1000)
      }
    }
  }

  test("a task is sent equal expressions of its clauses once, but for what may fail") {
    withTable("ticks", ticks) {
      def rule(conditions: (String, String)) = "SELECT symbol, m FROM ticks MATCH_RECOGNIZE (" +
        "PARTITION BY symbol ORDER BY ts MEASURES COUNT(*) AS m PATTERN (A B) " +
        s"WITHIN 10 DEFINE A AS ${conditions._1}, B AS ${conditions._2})"
      val fails = "1 DIV ts > 0"
      val sql = Seq("ts = 7" -> fails, "ts = 7" -> fails, "price = 0D" -> "price = -0D")
        .map(rule)
        .mkString(" UNION ALL ")
      val clauses = matchNodes(spark.sql(sql)).head.program.clauses
      assert(clauses.map(_.within.get.bound).forall(_ eq clauses.head.within.get.bound))
      assert(clauses.forall(_.measures.unmatchedOutput.isEmpty))
      val conditions = clauses.map(_.conditions.bySymbol.map(_.get.expression))
      assert(conditions(0)(0) eq conditions(1)(0))
      assert(conditions(2)(0) == conditions(2)(1) && (conditions(2)(0) ne conditions(2)(1)))
      assert(conditions(0)(1) == conditions(1)(1) && (conditions(0)(1) ne conditions(1)(1)))
    }
  }

  test("no plan has the subqueries of another one") {
    withTable("ticks", ticks) {
      def rule(condition: String) =
        s"SELECT symbol, m FROM ticks MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts " +
          s"MEASURES COUNT(*) AS m PATTERN (A) DEFINE A AS $condition)"
      val scalar = "price > (SELECT max(price) - 1 FROM ticks)"
      val sql = s"${rule("price > 0")} UNION ALL ${rule(scalar)} UNION ALL " +
        rule("symbol IN (SELECT symbol FROM ticks WHERE ts < 3)")
      Seq("true", "false").foreach { adaptive =>
        withConf("spark.sql.adaptive.enabled" -> adaptive) {
          val frame = spark.sql(sql)
          // As Spark does that writes the plan before it runs.
          executed(frame).foreach {
            case adaptive: AdaptiveSparkPlanExec =>
              nodes(adaptive.initialPlan).collect { case node: MatchRecognizeExec => node.program }
            case _ => ()
          }
          val found = frame.collect().length
          assert(found > 10000 && frame.collect().length == found && frame.count() == found)
        }
      }
    }
  }

  test("metrics count rows, matches and partitions") {
    withTable("ticks", ticks) {
      val frame = spark.sql(vShape.replace("ORDER BY symbol, n", ""))
      assert(countedMetrics(frame, inputRows = 20000, partitions = 7)("sortTime") > 0)
    }
  }

  test("an end anchor with a quantifier is no configuration variable") {
    withConf("counted.variable" -> "A") {
      val sql =
        s"""SELECT * FROM range(3) MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS n
           |PATTERN ($${counted.variable}+? $${1,2}))""".stripMargin
      assert(rows(sql) == Seq(Row(3L)))
    }
  }

  test("labels of rows ahead and behind in a condition; EXPLAIN names the engine") {
    def query(condition: String) =
      s"""SELECT * FROM range(6) MATCH_RECOGNIZE (ORDER BY id
         |  MEASURES LAST(id) AS i PATTERN ((A | B)+) DEFINE A AS $condition)""".stripMargin
    val engines = Seq(
      "NEXT(CLASSIFIER()) IS NULL" -> "two passes",
      "CLASSIFIER() = 'A'" -> "two passes",
      "PREV(CLASSIFIER()) IS NULL OR PREV(CLASSIFIER(), 2) = 'A'" -> "ordered threads"
    )
    engines.foreach { case (condition, engine) =>
      assert(rows(query(condition)) == Seq(Row(5L)), condition)
      val plan = rows(s"EXPLAIN FORMATTED ${query(condition)}").head.getString(0)
      assert(plan.contains(s"Matcher: $engine"), condition)
    }
  }
}
