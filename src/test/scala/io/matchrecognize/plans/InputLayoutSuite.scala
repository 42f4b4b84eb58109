package io.matchrecognize.plans

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

import io.matchrecognize.{Interpreted, Minor, Sampled}

/** Tables that say how their rows are grouped, and what is shuffled. */
class InputLayoutSuite extends Interpreted {
  private val bucketing = "spark.sql.sources.v2.bucketing.enabled"
  private val subsetInJoins =
    "spark.sql.sources.v2.bucketing.allowJoinKeysSubsetOfPartitionKeys.enabled"

  /** A join of tables that are laid out by its keys shuffles neither of them. */
  private def withJoins(partial: Boolean, adaptive: Boolean, others: (String, String)*)(
      body: => Unit
  ): Unit = {
    val own = Seq(
      bucketing -> "true",
      "spark.sql.sources.v2.bucketing.pushPartValues.enabled" -> "true",
      "spark.sql.sources.v2.bucketing.partiallyClusteredDistribution.enabled" -> s"$partial",
      "spark.sql.requireAllClusterKeysForCoPartition" -> "false",
      "spark.sql.autoBroadcastJoinThreshold" -> "-1",
      "spark.sql.adaptive.enabled" -> s"$adaptive"
    )
    withConf(own ++ others: _*)(body)
  }

  private def clause(keys: String): String =
    s"""MATCH_RECOGNIZE (PARTITION BY $keys ORDER BY ts
       |MEASURES FIRST(A.ts) AS from_ts, COUNT(*) AS n
       |PATTERN (A B+) DEFINE B AS v > PREV(v))""".stripMargin

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val views = Seq(
      "grouped" -> Map.empty[String, String],
      "silent" -> Map("reports" -> "false"),
      "pairs" -> Map("pairs" -> "true")
    )
    for ((name, options) <- views)
      spark.read
        .format(classOf[GroupedRows].getName)
        .options(options)
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
      assert(lines(s"grouped ${clause("k")}") == Seq("Shuffle: none for this clause", own))
    }
  }

  // Before 4.2.1 Spark takes the two splits of a k for one: its own windows count the rows of each.
  test("a table partitioned by more than PARTITION BY has, where Spark allows a subset in joins") {
    val counts = "SELECT k, n FROM pairs MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts " +
      "MEASURES COUNT(v) AS n PATTERN (A+))"
    val joined =
      "SELECT k, n FROM (SELECT a.k, a.ts, b.v FROM pairs a JOIN pairs b USING (k, v)) " +
        "MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES COUNT(*) AS n PATTERN (A+))"
    val settings = for {
      subset <- Seq("allowJoinKeysSubsetOfPartitionKeys", "allowKeysSubsetOfPartitionKeys")
      partial <- Seq(true, false)
      adaptive <- Seq(true, false)
    } yield (subset, partial, adaptive)
    Sampled.oneIn(4, settings).foreach { case (subset, partial, adaptive) =>
      withJoins(partial, adaptive, s"spark.sql.sources.v2.bucketing.$subset.enabled" -> "true") {
        assert(rows(counts).sortBy(_.getInt(0)) == (0 to 2).map(Row(_, 10L)))
        assert(rows(joined).sortBy(_.getInt(0)) == (0 to 2).map(Row(_, 50L)))
        // Whatever Spark makes of it: 4.2.0 is wrong, 4.2.1 and 4.3.0 would need no shuffle.
        assert(lines(s"pairs ${clause("k")}").head == "Shuffle: in blocks")
        val windows = rows("SELECT DISTINCT k, count(v) OVER (PARTITION BY k) FROM pairs")
        val isSplit = subset.startsWith("allowJoin") && !Minor.has("4.2")
        assert(windows.map(_.getLong(1)).toSet == Set(if (isSplit) 5L else 10L))
      }
    }
  }

  // Before 4.0.5 and 4.1.4 Spark's own windows count the rows of each split.
  test("a join that leaves the splits of a value apart") {
    val joined = "(SELECT a.k, a.ts FROM grouped a JOIN grouped b ON a.k = b.k)"
    for (adaptive <- Seq(true, false))
      withJoins(partial = true, adaptive) {
        val counts = rows(
          s"SELECT k, n FROM $joined MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts " +
            "MEASURES COUNT(*) AS n PATTERN (A+))"
        )
        assert(counts.sortBy(_.getInt(0)) == (0 to 2).map(Row(_, 100L)))
      }
  }

  // Spark 4.0.0 would make the scan below the clause leave the splits of a value apart, for the join
  // alone: its own windows count the rows of each split there.
  test("a join above a clause does not take the splits of its input apart") {
    val counts = "grouped MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts " +
      "MEASURES COUNT(*) AS n PATTERN (A+))"
    for (adaptive <- Seq(true, false))
      withJoins(partial = true, adaptive) {
        val frame = spark.sql(
          s"SELECT m.k, m.n FROM (SELECT * FROM $counts) AS m JOIN grouped AS b ON m.k = b.k"
        )
        val found = frame.collect().toSeq.groupMapReduce(identity)(_ => 1)(_ + _)
        assert(found == (0 to 2).map(k => Row(k, 10L) -> 10).toMap)
        assert(nodes(executed(frame)).exists(_.isInstanceOf[ShuffleExchangeExec]))
      }
  }

  test("a layout by some of the keys is used, unless Spark allows a subset in joins") {
    Seq("false", "true").foreach { allows =>
      withConf(bucketing -> "true", subsetInJoins -> allows) {
        val frame = spark.sql(s"SELECT * FROM grouped ${clause("k, v")}")
        frame.collect()
        val isShuffled = nodes(executed(frame)).exists(_.isInstanceOf[ShuffleExchangeExec])
        assert(isShuffled == allows.toBoolean)
      }
    }
  }
}
