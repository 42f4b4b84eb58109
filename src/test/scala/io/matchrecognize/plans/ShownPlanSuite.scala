package io.matchrecognize.plans

import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.execution.SparkPlan

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.plan.MatchRecognizeExec

/** What EXPLAIN shows. */
class ShownPlanSuite extends PlannedClause {
  test("EXPLAIN says how rows are shuffled and who sorts") {
    def lines(from: String, confs: (String, String)*): Seq[String] = withConf(confs: _*) {
      val frame = spark.sql(s"SELECT * FROM $from $clause")
      frame.collect()
      def shown(plan: SparkPlan): Seq[String] = nodes(plan)
        .collectFirst { case m: MatchRecognizeExec => m }
        .get
        .verboseStringWithOperatorId()
        .linesIterator
        .filter(_.matches("(Shuffle|Sort): .*"))
        .toSeq
      val planned = spark.sql(s"SELECT * FROM $from $clause").asInstanceOf[ClassicDataset[Row]]
      val run = shown(executed(frame))
      assert(shown(planned.queryExecution.executedPlan) == run)
      run.map(_.replaceAll("#\\d+L?", ""))
    }
    val own = "Sort: own, [k ASC NULLS FIRST, ts ASC NULLS FIRST]"
    assert(lines("input") == Seq("Shuffle: in blocks", own))
    val (shuffle, sort) = (MatchRecognizeConf.Shuffle.key, MatchRecognizeConf.Sort.key)
    assert(
      lines("input", shuffle -> "spark") == Seq("Shuffle: row by row", own)
    )
    assert(
      lines("input", sort -> "spark") == Seq(
        "Shuffle: row by row",
        s"Sort: below, as $sort says"
      )
    )
    val texts = (1 to 5).map(i => s"concat('t', k) AS t$i").mkString(", ")
    val wide = s"(SELECT *, $texts FROM input)"
    assert(lines(wide) == Seq("Shuffle: row by row", own))
    assert(lines(wide, shuffle -> "blocks") == Seq("Shuffle: in blocks", own))
    assert(
      lines("(SELECT /*+ REPARTITION(2, k) */ * FROM input)") == Seq("Shuffle: row by row", own)
    )
    val ordered = "(SELECT *, lag(v) OVER (PARTITION BY k ORDER BY ts) AS before FROM input)"
    assert(
      lines(ordered) == Seq(
        "Shuffle: none for this clause",
        "Sort: none, the rows arrive in order"
      )
    )
  }

  test("EXPLAIN shows the clause readably") {
    val simple = rows(s"EXPLAIN SELECT * FROM input $clause").head.getString(0)
    assert(simple.contains("ALL ROWS PER MATCH, SKIP PAST LAST ROW, (A B+)"))
    val formatted = rows(s"EXPLAIN FORMATTED SELECT * FROM input $clause").head.getString(0)
    Seq(
      "Partition: [k#",
      "Order: [ts#",
      "Measures: [",
      "Skip: AFTER MATCH SKIP PAST LAST ROW",
      "Pattern: (A B+)",
      "Define: [B AS"
    ).foreach(text => assert(formatted.contains(text), text))
    // After a blank line, like every other operator.
    assert("\n\n\\(\\d+\\) MatchRecognize\n".r.findFirstIn(formatted).nonEmpty, formatted)
    val bounded = "FROM input MATCH_RECOGNIZE (ORDER BY ts MEASURES 1 AS x ONE ROW PER MATCH " +
      "SHOW TIMEOUT MATCHES PATTERN (A B) WITHIN 1.5 + 1)"
    assert(
      rows(s"EXPLAIN SELECT * $bounded").head
        .getString(0)
        .contains("ONE ROW PER MATCH SHOW TIMEOUT MATCHES, SKIP PAST LAST ROW, (A B) WITHIN 2.5")
    )
    assert(rows(s"EXPLAIN FORMATTED SELECT * $bounded").head.getString(0).contains("Within: 2.5"))
    val unordered =
      rows("EXPLAIN FORMATTED SELECT * FROM input MATCH_RECOGNIZE (MEASURES 1 AS x PATTERN (A))")
    assert(unordered.head.getString(0).contains("Order: none"))
  }
}
