package io.matchrecognize.execution.pointer

import org.apache.spark.SparkThrowable

import io.matchrecognize.QuerySuite

/** Errors of expressions name the row under test, not only where the search began. */
class FailurePlaceSuite extends QuerySuite {
  private val input = "(SELECT id AS k, 3 - id AS d, 'g' AS g FROM range(6))"

  private def query(body: String): String =
    s"SELECT * FROM $input MATCH_RECOGNIZE (PARTITION BY g ORDER BY k $body)"

  private val testing =
    "while testing row 4 (3) as `B`, in the search from row 1 (0) in partition g = g"

  /** Queries that fail on the row with `d` = 0, the fourth, and what the message says of it. */
  private val queries = Seq(
    "two passes" -> "MEASURES 1 AS m PATTERN (A B+) DEFINE B AS 6 / d > 1" -> testing,
    "ordered threads" -> "MEASURES 1 AS m PATTERN (A B+) DEFINE B AS 6 / d > 1 AND COUNT(B.*) > 0" ->
      testing,
    "anchored threads" -> "MEASURES 1 AS m PATTERN (A B+ C) WITHIN 4 DEFINE B AS 6 / d > 1" -> testing,
    "ordered threads" -> ("MEASURES 1 AS m PATTERN (A B+ C) " +
      "DEFINE C AS SUM(6 DIV B.d) < 0") ->
      "while adding row 4 (3) as `B` to an aggregate, in the search from row 1 (0) in partition g = g",
    "two passes" -> "MEASURES COUNT(*) AS n, 6 / LAST(d) AS x PATTERN (A B{3})" ->
      "while computing the measure `x` of match 1, which starts at row 1 (0), in partition g = g",
    "two passes" -> "MEASURES COUNT(*) AS n, 6 / d AS x ALL ROWS PER MATCH PATTERN (A B{4})" ->
      ("while computing the measure `x` for row 4 (3) of match 1, which starts at row 1 (0), " +
        "in partition g = g"),
    "two passes" -> ("MEASURES COUNT(*) AS n, SUM(6 / d) AS x AFTER MATCH SKIP TO NEXT ROW " +
      "PATTERN (A B)") ->
      "while adding row 4 (3) as `B` to the measure `x` of match 3, which starts at row 3 (2), in partition g = g",
    "two passes" -> ("MEASURES COUNT(*) AS n, FINAL SUM(6 / d) AS x, rand() AS r " +
      "ALL ROWS PER MATCH PATTERN (A B{4})") ->
      "while adding row 4 (3) as `B` to the measure `x` of match 1, which starts at row 1 (0), in partition g = g",
    "ordered threads" -> ("MEASURES 6 / LAST(d) AS x ONE ROW PER MATCH SHOW TIMEOUT MATCHES " +
      "PATTERN (A B{8}) WITHIN 3 DEFINE A AS TRUE") ->
      "while computing the measure `x` of the match that timed out and starts at row 1 (0), in partition g = g",
    "two passes" -> "MEASURES SUM(6 / d) + SUM(6 / d) AS x, SUM(6 / d) AS y PATTERN (A B{3})" ->
      "while adding row 4 (3) as `B` to a measure of match 1, which starts at row 1 (0), in partition g = g"
  )

  for {
    ((engine, body), place) <- queries
    mode <- Seq("CODEGEN_ONLY", "NO_CODEGEN")
  } test(s"$engine, $mode: $body") {
    withConf(
      "spark.sql.codegen.factoryMode" -> mode,
      "spark.sql.codegen.wholeStage" -> (mode != "NO_CODEGEN").toString
    ) {
      val frame = spark.sql(query(body))
      assert(matchNodes(frame).head.verboseStringWithOperatorId().contains(s"Matcher: $engine"))
      val e = intercept[Exception](frame.collect())
      val shown = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).collectFirst {
        case t: Throwable with SparkThrowable if t.getCondition == "DIVIDE_BY_ZERO" => t
      }
      val message = shown.getOrElse(fail(e)).getMessage
      assert(message.endsWith(s"== MATCH_RECOGNIZE ==\n$place\n"), message)
    }
  }
}
