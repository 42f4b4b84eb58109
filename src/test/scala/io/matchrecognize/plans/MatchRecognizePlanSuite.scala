package io.matchrecognize.plans

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.SortExec
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeExec}
import org.apache.spark.sql.types._

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.plan.MatchRecognizeExec

/** Plans: what is shuffled, sorted, pruned, pushed, reused and shown. */
class MatchRecognizePlanSuite extends PlannedClause {
  test("a bucketed and sorted table is neither shuffled nor sorted again") {
    withConf(
      "spark.sql.legacy.bucketedTableScan.outputOrdering" -> "true",
      "spark.sql.sources.bucketing.autoBucketedScan.enabled" -> "false"
    ) {
      spark
        .table("input")
        .coalesce(1)
        .write
        .mode("overwrite")
        .bucketBy(2, "k")
        .sortBy("k", "ts")
        .saveAsTable("bucketed")
      try {
        val frame = spark.sql(s"SELECT * FROM bucketed $clause")
        val expected = rows(s"SELECT * FROM input $clause ORDER BY k, ts")
        assert(frame.collect().sortBy(r => (r.getLong(0), r.getLong(1))).toSeq == expected)
        assert(!executed(frame).toString.contains("own sort"))
        val plan = nodes(executed(frame))
        assert(plan.forall { case _: ShuffleExchangeExec | _: SortExec => false; case _ => true })
      } finally spark.sql("DROP TABLE bucketed")
    }
  }

  test("the operator or Spark sorts the rows, as the conf says; either way they are in order") {
    def sorts(sort: String): Int =
      withConf(MatchRecognizeConf.Sort.key -> sort, "spark.sql.shuffle.partitions" -> "1") {
        val query = s"SELECT * FROM input $clause"
        val frame = spark.sql(query).sortWithinPartitions("k", "ts")
        val found = frame.collect().map(r => (r.getLong(0), r.getLong(1)))
        assert(found.toSeq == found.sorted.toSeq && found.length > 10)
        val simple = rows(s"EXPLAIN $query").head.getString(0)
        val formatted = rows(s"EXPLAIN FORMATTED $query").head.getString(0)
        assert(simple.contains(", own sort\n") == (sort != "spark"))
        assert(
          "Sort: own, \\[k#\\d+L ASC NULLS FIRST, ts#".r
            .findFirstIn(formatted)
            .isDefined == (sort != "spark")
        )
        nodes(executed(frame)).count(_.isInstanceOf[SortExec])
      }
    assert(Seq("own", "auto", "spark").map(sorts) == Seq(0, 0, 1))
    intercept[IllegalArgumentException](spark.conf.set(MatchRecognizeConf.Sort.key, "radix"))
  }

  test("the node in the SQL tab names pattern and engine, and counts matches, rows and spills") {
    def tooltip(define: String): (String, Set[String]) = {
      val frame = spark.sql(
        s"SELECT * FROM input MATCH_RECOGNIZE (ORDER BY ts MEASURES 1 AS x PATTERN (A B+) DEFINE $define)"
      )
      val node = matchNodes(frame).head
      (node.simpleString(25), node.metrics.values.flatMap(_.name).toSet)
    }
    val (local, metrics) = tooltip("B AS v > PREV(v)")
    assert(local.contains("(A B+)") && local.contains(", two passes"))
    assert(tooltip("B AS v > A.v")._1.contains(", anchored threads"))
    val wanted =
      Set("number of matches", "number of input rows", "number of output rows", "spill size")
    assert(wanted.subsetOf(metrics))
  }

  test("partition keys may be sorted in the child's own order") {
    val frame = spark.sql(
      """SELECT * FROM (SELECT k, v, ts, row_number() OVER (PARTITION BY v, k ORDER BY ts) AS r FROM input)
        |MATCH_RECOGNIZE (PARTITION BY k, v ORDER BY ts MEASURES MAX(r) AS m PATTERN (A+))""".stripMargin
    )
    frame.collect()
    assert(nodes(executed(frame)).count(_.isInstanceOf[SortExec]) == 1)
  }

  test("columns and measures that nothing reads are pruned below the operator") {
    val plan = optimized(s"SELECT k, n FROM input $clause")
    assert(node(plan).measureOutput.map(_.name) == Seq("n"))
    assert(!node(plan).child.output.exists(_.name == "unused"))
  }

  test("filters on partition columns go below, others stay") {
    val plan = optimized(s"SELECT * FROM input $clause WHERE k = 1 AND n > 0")
    val below = node(plan).child
    assert(below.exists {
      case Filter(c, _) => c.references.exists(_.name == "k")
      case p => p.expressions.exists(_.sql.contains("k"))
    })
    assert(plan.exists { case Filter(c, _) => c.references.exists(_.name == "n"); case _ => false })
    assert(rows(s"SELECT DISTINCT k FROM input $clause WHERE k = 1") == Seq(Row(1L)))
  }

  test("two different clauses never compare equal, two equal ones do") {
    def canonical(sql: String): Any = executed(spark.sql(sql)).canonicalized
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val base = "SELECT * FROM input MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts " +
        "MEASURES LAST(U.v) AS m ALL ROWS PER MATCH AFTER MATCH SKIP PAST LAST ROW " +
        "PATTERN (A B+) SUBSET U = (A, B) DEFINE B AS v > 0)"
      val changes = Seq(
        "PAST LAST ROW" -> "TO NEXT ROW",
        "ALL ROWS PER MATCH" -> "ALL ROWS PER MATCH WITH UNMATCHED ROWS",
        "(A, B)" -> "(A)",
        "B+" -> "B+?",
        "LAST(U.v)" -> "FIRST(U.v)",
        "LAST(U.v)" -> "FINAL LAST(U.v)",
        "ORDER BY ts" -> "ORDER BY ts DESC",
        "v > 0" -> "v > 1",
        "(A B+)" -> "(A B+) WITHIN 1",
        "ALL ROWS PER MATCH" -> "ONE ROW PER MATCH"
      )
      assert(canonical(base) == canonical(base))
      assert(
        optimized(base).canonicalized == optimized(base.replace("A B+", "A   B +")).canonicalized
      )
      changes.foreach { case (from, to) =>
        val changed = base.replace(from, to)
        assert(changed != base)
        assert(canonical(base) != canonical(changed), to)
      }
      val twice = spark.sql(s"SELECT * FROM ($base) a JOIN ($base) b USING (k, ts)")
      twice.collect()
      assert(nodes(executed(twice)).exists(_.isInstanceOf[ReusedExchangeExec]))
    }
  }

  test("clauses that differ in the bound or in SHOW TIMEOUT MATCHES never compare equal", Slow) {
    def plans(sql: String): Seq[Any] = {
      val frame = spark.sql(sql)
      Seq(optimized(sql).canonicalized, executed(frame).canonicalized)
    }
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val base =
        "SELECT * FROM (SELECT *, timestamp_seconds(ts) AS t FROM input) MATCH_RECOGNIZE " +
          "(PARTITION BY k ORDER BY t MEASURES COUNT(*) AS n ONE ROW PER MATCH " +
          "PATTERN (A B+) WITHIN INTERVAL 2 MONTH)"
      val changes = Seq(
        " WITHIN INTERVAL 2 MONTH" -> "",
        "2 MONTH" -> "1 MONTH",
        "2 MONTH" -> "2 MINUTE",
        "ONE ROW PER MATCH" -> "ONE ROW PER MATCH SHOW TIMEOUT MATCHES"
      )
      assert(plans(base) == plans(base))
      assert(plans(base) == plans(base.replace("INTERVAL 2 MONTH", "INTERVAL '2' MONTH")))
      changes.foreach { case (from, to) =>
        plans(base).zip(plans(base.replace(from, to))).foreach { case (a, b) => assert(a != b, to) }
      }
      val inUtc = plans(base)
      withConf("spark.sql.session.timeZone" -> "America/New_York")(assert(plans(base) != inUtc))
      val both = spark.sql(s"$base UNION ALL ${base.replace("2 MONTH", "1 SECOND")}")
      assert(both.collect().length > 0)
      assert(!nodes(executed(both)).exists {
        case reused: ReusedExchangeExec =>
          nodes(reused.child).exists(_.isInstanceOf[MatchRecognizeExec])
        case _ => false
      })
    }
  }

  test("a view keeps the zone of its months") {
    withConf("spark.sql.session.timeZone" -> "UTC") {
      spark.sql(
        """CREATE OR REPLACE TEMPORARY VIEW by_month AS
          |SELECT * FROM VALUES (TIMESTAMP'2024-01-31 02:00:00Z'), (TIMESTAMP'2024-02-29 03:00:00Z')
          |AS t(ts) MATCH_RECOGNIZE (ORDER BY ts MEASURES COUNT(*) AS n PATTERN (A+) WITHIN 1 MONTH)
          |""".stripMargin
      )
    }
    // In New York the month begins on 30 January and ends on 29 February at 21:00.
    withConf("spark.sql.session.timeZone" -> "America/New_York") {
      assert(rows("SELECT n FROM by_month") == Seq(Row(1L), Row(1L)))
    }
  }

  test("self-joins, INTERSECT and UNION of one clause") {
    val query = s"SELECT * FROM input $clause"
    val count = rows(query).length
    assert(
      rows(
        s"WITH m AS ($query) SELECT * FROM m x JOIN m y ON x.k = y.k AND x.ts = y.ts"
      ).length == count
    )
    assert(rows(s"$query INTERSECT ALL $query").length == count)
    assert(rows(s"$query UNION ALL $query").length == 2 * count)
  }

  test("output columns, types and nullability") {
    val schema = spark
      .sql("""SELECT * FROM input MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts
        |MEASURES MATCH_NUMBER() AS mn, CLASSIFIER() AS c, COUNT(*) AS n, LAST(v) AS l, 1 AS one
        |ALL ROWS PER MATCH PATTERN (A))""".stripMargin)
      .schema
    assert(
      schema.map(f => (f.name, f.dataType)) == Seq(
        ("k", LongType),
        ("ts", LongType),
        ("mn", LongType),
        ("c", StringType),
        ("n", LongType),
        ("l", LongType),
        ("one", IntegerType),
        ("v", LongType),
        ("unused", StringType)
      )
    )
    assert(Seq("mn", "c", "n", "l", "one").forall(schema(_).nullable))
    assert(!schema("ts").nullable)
  }
}
