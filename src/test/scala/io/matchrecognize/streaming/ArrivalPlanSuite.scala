package io.matchrecognize.streaming

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.functions.{count, lit}
import org.apache.spark.sql.{AnalysisException, Row}

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
    assert(e.getMessage.contains(s"arrived, and $operator is below the clause"))
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
      val exploded = "(SELECT g, ts, explode(array(v, v)) AS v FROM s WHERE v > 0)"
      assert(ofQuery(arrival(exploded)).size == 1)
      val positive = spark.table("s").observe("o", count(lit(1))).filter((_: Row) => true)
      positive.createOrReplaceTempView("positive")
      spark.sql(
        "CREATE OR REPLACE TEMP VIEW named AS WITH c AS (SELECT * FROM s WHERE v > 0) TABLE c"
      )
      val inputs = Seq(
        "named",
        "positive",
        "(WITH c AS (SELECT * FROM s) SELECT * FROM c)",
        "(FROM s |> WHERE v > 0)",
        "(SELECT /*+ NO_SUCH_HINT */ * FROM s)"
      )
      inputs.foreach(input => assert(ofQuery(arrival(input)).size == 1))
      // A view in SQL casts columns to the types that they have.
      spark.sql(s"CREATE OR REPLACE TEMP VIEW lower AS SELECT * FROM ${below()}")
      assert(ofQuery(arrival("lower")).size == 2)
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
      val of = "a MATCH_RECOGNIZE of another form"
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

  test("a greedy quantifier has a warning") {
    withStream {
      def waits(pattern: String): Boolean = {
        val of = clause.replace("(A B)", s"($pattern)")
        ofQuery(arrival("s", of = of)).head.stream.get.warnings.exists(_.contains("greedy"))
      }
      assert(Seq("A B+", "A X* B", "A (B C?){2}").forall(waits))
      assert(!Seq("A B", "A X*? B", "A+? B{2}", "B | A").exists(waits))
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
