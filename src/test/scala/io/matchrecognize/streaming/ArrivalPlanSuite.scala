package io.matchrecognize.streaming

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.matchrecognize.conf.MatchRecognizeConf.InputOrder
import io.matchrecognize.plans.MatchRecognize

/** Plans with clauses that search rows in the order of arrival. */
class ArrivalPlanSuite extends StreamSuite {
  private val clause = """MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
    MEASURES FIRST(v) AS a, LAST(v) AS b PATTERN (A B) DEFINE B AS v > A.v)"""

  /** A clause whose result another one can read. */
  private def below(keys: String = "g", skip: String = "PAST LAST ROW", rows: String = "") =
    s"""(SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY $keys ORDER BY ts
      MEASURES MATCH_ROWTIME() AS ts, LAST(B.v) AS v ONE ROW PER MATCH $rows AFTER MATCH SKIP $skip
      PATTERN (A B) WITHIN INTERVAL 10 SECONDS DEFINE B AS v > A.v))"""

  private def arrival(from: String, select: String = "*", of: String = clause): String =
    s"SELECT /*+ INPUT_ORDER(arrival) */ $select FROM $from $of"

  private def withStream[T](body: => T): T = {
    view(newSource(), "5 seconds")
    body
  }

  private def refused(sql: String, operator: String): Unit = {
    val e = intercept[AnalysisException](spark.sql(sql))
    assert(e.getCondition == "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.ARRIVAL_ORDER", e.getMessage)
    assert(e.getMessage.contains(s"""arrived, and $operator below the clause does not keep"""))
  }

  private def clauses(plan: LogicalPlan): Seq[MatchRecognize] =
    plan.collect { case m: MatchRecognize => m }

  private def ofQuery(sql: String): Seq[MatchRecognize] =
    clauses(spark.sql(sql).queryExecution.analyzed)

  test("operators that do not keep the order are refused") {
    withStream {
      refused(arrival("(SELECT /*+ REPARTITION(3) */ * FROM s)"), "Repartition")
      refused(arrival("(SELECT /*+ REPARTITION(v) */ * FROM s)"), "RepartitionByExpression")
      refused(arrival("(SELECT DISTINCT * FROM s)"), "Distinct")
      refused(arrival("(SELECT l.* FROM s l JOIN s r ON l.g = r.g AND l.ts = r.ts)"), "Join")
      spark.table("s").dropDuplicates("v").createOrReplaceTempView("d")
      refused(arrival("d"), "Deduplicate")
      refused(s"WITH c AS (SELECT /*+ REPARTITION(3) */ * FROM s) ${arrival("c")}", "Repartition")
      // Rows of a key stay together.
      assert(ofQuery(arrival("(SELECT /*+ REPARTITION(g) */ * FROM s)")).size == 1)
      assert(ofQuery(arrival("(SELECT /*+ COALESCE(1) */ * FROM s WHERE v > 0)")).size == 1)
      // A view in SQL casts columns to the types that they have.
      spark.sql("CREATE OR REPLACE TEMP VIEW r AS SELECT /*+ REPARTITION(g) */ * FROM s")
      assert(ofQuery(arrival("r")).size == 1)
      spark.sql(s"CREATE OR REPLACE TEMP VIEW lower AS SELECT * FROM ${below()}")
      assert(ofQuery(arrival("lower")).size == 2)
      val other = "(SELECT /*+ REPARTITION(g) */ ts, v, upper(g) AS g FROM r)"
      refused(arrival(other), "RepartitionByExpression")
      // The default order has no such needs.
      assert(ofQuery(s"SELECT * FROM (SELECT DISTINCT * FROM s) $clause").size == 1)
    }
  }

  test("options of a source that divide a partition of a topic are refused") {
    Seq("minPartitions", "maxrecordsperpartition").foreach { option =>
      val rate = spark.readStream.format("rate").option(option, 3).load()
      rate
        .selectExpr("CAST(value AS STRING) AS g", "timestamp AS ts", "value AS v")
        .withWatermark("ts", "1 hour")
        .createOrReplaceTempView("r")
      val e = intercept[AnalysisException](spark.sql(arrival("r")))
      assert(e.getMessage.toLowerCase.contains(s"the option `${option.toLowerCase}` of the source"))
      assert(ofQuery(s"SELECT * FROM r $clause").size == 1)
    }
  }

  test(
    "a clause below keeps the order if its matches follow each other, by keys of the one above"
  ) {
    withStream {
      val of = "a MATCH_RECOGNIZE of this form"
      refused(arrival(below(skip = "TO NEXT ROW")), of)
      refused(arrival(below(rows = "SHOW TIMEOUT MATCHES")), of)
      refused(arrival(s"(SELECT *, 'x' AS g FROM ${below("v % 3")})"), of)
      refused(arrival(s"(SELECT ts, v, upper(g) AS g FROM ${below()})"), of)
      assert(
        ofQuery(
          arrival(
            s"(SELECT ts, v, g AS h FROM ${below()})",
            of = clause.replace("BY g", "BY h, v % 2")
          )
        ).size == 2
      )
    }
    val two = s"SELECT * FROM ${below()} $clause"
    withConf(InputOrder.key -> "arrival") {
      val source = newSource()
      view(source, "1 hour")
      run(two, Seq(source)) { run =>
        run.add("a1@1 a2@2 b1@2 a3@3")
        assert(run.taken().isEmpty)
        run.add("b5@3 a4@4 b2@4 b6@5")
        assert(run.taken() == Seq("a,2,4", "b,5,6"))
      }
    }
  }

  test("the hint is for its query") {
    withStream {
      def orders(sql: String): Seq[Boolean] = ofQuery(sql).map(_.stream.get.inOrderOfArrival)
      assert(orders(s"SELECT * FROM s $clause") == Seq(false))
      assert(orders(arrival("s")) == Seq(true))
      assert(orders(s"SELECT /*+ input_order('ARRIVAL') */ * FROM s $clause AS m") == Seq(true))
      assert(orders(arrival(below())) == Seq(true, true))
      val inner = below().replace("SELECT", "SELECT /*+ INPUT_ORDER(watermark) */")
      assert(orders(arrival(inner)) == Seq(true, false))
      withConf(InputOrder.key -> "arrival") {
        assert(orders(s"SELECT /*+ INPUT_ORDER(watermark) */ * FROM s $clause") == Seq(false))
      }
      val e = intercept[IllegalArgumentException with SparkThrowable] {
        spark.sql(s"SELECT /*+ INPUT_ORDER(reverse) */ * FROM s $clause")
      }
      assert(e.getCondition == "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS")
      assert(e.getMessage.contains("reverse") && e.getMessage.contains(InputOrder.key))
    }
  }

  /** What lint says of a clause over the stream of `withStream`. */
  private def told(
      pattern: String,
      rest: String = "",
      measure: String = "FIRST(v)",
      define: String = "A AS v > 1, B AS v < 5",
      subset: String = ""
  ): Seq[String] = {
    val sql = s"""SELECT /*+ INPUT_ORDER(arrival) */ * FROM s MATCH_RECOGNIZE (PARTITION BY g
      ORDER BY ts MEASURES $measure AS a $rest PATTERN ($pattern)
      WITHIN INTERVAL 5 SECONDS $subset DEFINE $define)"""
    val lint = spark.sql("SELECT * FROM match_recognize_warnings(:q)", Map("q" -> sql))
    lint.collect().map(_.getString(0)).toSeq.filterNot(_.contains("was not checked"))
  }

  test("what still waits is said, with the form that does not") {
    withStream {
      assert(told("A B").isEmpty && told("A X*? B").isEmpty)
      assert(
        told("A X* B").head.startsWith("X* of PATTERN (A X* B) takes every row, and is greedy")
      )
      assert(told("A B+?").isEmpty && told("A+? B{2}").isEmpty)
      assert(
        told("A+ B{2}").head.startsWith(
          "A+ of PATTERN (A+ B{2}) is greedy, and a row may be both A and B, as far as DEFINE shows"
        )
      )
      assert(
        told("A B+").head.startsWith("PATTERN (A B+) may end with B+, which is greedy: a match")
      )
      assert(told("A B+").head.contains("B+?, or a fixed number of rows, returns it"))
      assert(told("A+ B*?").head.contains("may end with A+,"))
      assert(told("A B | B{1,2}").head.contains("may end with B{1,2},"))
      assert(told("A (B C+){2}").head.contains("may end with C+,"))
      assert(told("A B | A").head.startsWith("A B | A of PATTERN (A B | A) prefers"))
      assert(told("A (B (A | A B) | B)").length == 1)
      assert(told("A | A B").isEmpty && told("(A B | A) B{2}").forall(!_.contains("prefers")))
      assert(told("A B", measure = "NEXT(v)").map(_.take(5)) == Seq("NEXT:"))
      val timeouts = told("A B", "ONE ROW PER MATCH SHOW TIMEOUT MATCHES")
      assert(timeouts.map(_.take(20)) == Seq("SHOW TIMEOUT MATCHES"))
    }
  }

  test("conditions contradict each other by what they read, not by their text") {
    withStream {
      def overlap(a: String, b: String, subset: String = ""): Boolean = {
        val found = told("X A+ B{2}", define = s"A AS $a, B AS $b", subset = subset)
        found.exists(_.contains("a row may be both A and B"))
      }
      assert(!overlap("v > PREV(v)", "v <= PREV(v)"))
      assert(!overlap("v > X.v", "v <= X.v") && !overlap("v > FIRST(v)", "v <= FIRST(v)"))
      assert(!overlap("SUM(v) < 9", "SUM(v) >= 9"))
      // Another text.
      assert(!overlap("v + PREV(v) > 5", "PREV(v) + V <= 5"))
      assert(!overlap("v > PREV(v)", "PREV(v) >= v"))
      // In the condition of A it is the row itself.
      assert(overlap("v >= A.v", "v < A.v") && overlap("v > B.v", "v <= B.v"))
      assert(overlap("v >= FIRST(A.v)", "v < FIRST(A.v)"))
      assert(overlap("COUNT(A.*) < 3", "COUNT(A.*) >= 3"))
      assert(overlap("CLASSIFIER() = 'A'", "CLASSIFIER() <> 'A'"))
      assert(!overlap("PREV(CLASSIFIER()) = 'X'", "PREV(CLASSIFIER()) <> 'X'"))
      // Of a union, if it has one of both.
      assert(overlap("v >= U.v", "v < U.v", "SUBSET U = (X, A)"))
      assert(!overlap("v >= FIRST(U.v)", "v < FIRST(U.v)", "SUBSET U = (A, B)"))
    }
  }

  test("a join with a table, and a clause without PARTITION BY, have a warning") {
    withStream {
      spark.range(3).selectExpr("CAST(id AS INT) AS w").createOrReplaceTempView("numbers")
      def warnings(sql: String): Seq[String] =
        ofQuery(sql).head.stream.get.warnings.map(_.take(13))
      Seq(
        "(SELECT s.* FROM s JOIN numbers ON v = w)",
        "(SELECT * FROM s WHERE v IN (SELECT w FROM numbers))"
      ).foreach(input => assert(warnings(arrival(input)) == Seq("A join with a"), input))
      assert(warnings(arrival("s").replace("PARTITION BY g", "")) == Seq("The clause ha"))
    }
  }

  test("a hint over a view of a clause is left to Spark, which warns of it") {
    withStream {
      spark.sql(s"SELECT * FROM s $clause").createOrReplaceTempView("matches")
      val found = ofQuery("SELECT /*+ INPUT_ORDER(arrival) */ * FROM matches")
      assert(found.map(_.stream.get.inOrderOfArrival) == Seq(false))
    }
  }

  test("a union has a warning") {
    withStream {
      val union = arrival("(SELECT * FROM s WHERE v = 1 UNION ALL SELECT * FROM s)")
      val warnings = ofQuery(union).head.stream.get.warnings
      assert(warnings.map(_.take(31)) == Seq("A union is below the clause, an"))
      assert(ofQuery(arrival("s")).head.stream.get.warnings.isEmpty)
    }
  }
}
