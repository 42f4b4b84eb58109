package io.matchrecognize.plans

import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

import io.matchrecognize.QuerySuite

/** Tables that say how their rows are grouped: what is shuffled, and what EXPLAIN says of it. */
class InputLayoutSuite extends QuerySuite {
  private val bucketing = "spark.sql.sources.v2.bucketing.enabled"

  private def clause(keys: String): String =
    s"""MATCH_RECOGNIZE (PARTITION BY $keys ORDER BY ts
       |MEASURES FIRST(A.ts) AS from_ts, COUNT(*) AS n
       |PATTERN (A B+) DEFINE B AS v > PREV(v))""".stripMargin

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    for ((name, reports) <- Seq("grouped" -> "true", "silent" -> "false"))
      spark.read
        .format(classOf[GroupedRows].getName)
        .option("reports", reports)
        .load()
        .createOrReplaceTempView(name)
  }

  private def lines(query: String): Seq[String] =
    spark
      .sql(s"EXPLAIN FORMATTED SELECT * FROM $query")
      .head()
      .getString(0)
      .split("\n")
      .filter(line => line.startsWith("Shuffle") || line.startsWith("Sort"))
      .map(_.replaceAll("#\\d+", ""))
      .toSeq

  private val own = "Sort: own, [k ASC NULLS FIRST, ts ASC NULLS FIRST]"

  test("rows that are grouped by PARTITION BY are not shuffled; several splits are one group") {
    withConf(bucketing -> "true") {
      val frame = spark.sql(s"SELECT * FROM grouped ${clause("k")}")
      val shuffled = rows(s"SELECT * FROM (SELECT /*+ REPARTITION */ * FROM silent) ${clause("k")}")
      assert(frame.collect().toSet == shuffled.toSet)
      assert(shuffled.length == 12)
      assert(nodes(executed(frame)).forall(!_.isInstanceOf[ShuffleExchangeExec]))
      assert(
        lines(s"grouped ${clause("k")}") == Seq(
          "Shuffle: none, the rows are together by k",
          s"$own; no order of the input is known"
        )
      )
    }
  }

  test("EXPLAIN says why a table's partitioning does not help") {
    def shuffle(query: String): String = lines(query).head
    val prefix = "Shuffle: in blocks; grouped is partitioned by k, which does not help: "
    withConf(bucketing -> "false") {
      assert(shuffle(s"grouped ${clause("k")}") == s"$prefix$bucketing is false")
    }
    withConf(bucketing -> "true") {
      assert(shuffle(s"grouped ${clause("v")}") == s"${prefix}PARTITION BY has no k")
      assert(
        shuffle(s"silent ${clause("k")}").startsWith(s"${prefix}the scan does not report it")
      )
      val joined = "(SELECT s.* FROM silent s JOIN grouped g USING (k, ts))"
      val counted = "(SELECT v, max(ts) AS ts, max(k) AS k FROM grouped GROUP BY v)"
      Seq(joined, counted).foreach { input =>
        assert(shuffle(s"$input ${clause("k")}") == "Shuffle: in blocks", input)
      }
    }
  }

  test("EXPLAIN names the order that the input has instead of the clause's") {
    val other = "(SELECT *, row_number() OVER (PARTITION BY k ORDER BY v) AS r FROM silent)"
    val order = "the input is in order of k ASC NULLS FIRST, v ASC NULLS FIRST"
    val keys = clause("k").replace("ORDER BY ts", "ORDER BY ts, r")
    assert(
      lines(s"$other $keys") == Seq(
        "Shuffle: none for this clause",
        s"Sort: own, [k ASC NULLS FIRST, ts ASC NULLS FIRST, r ASC NULLS FIRST]; $order"
      )
    )
  }
}
