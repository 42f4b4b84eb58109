package io.matchrecognize.window

import java.nio.file.Files

import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.{Interpreted, Sampled}

/**
 * Functions whose value is that of the task that computes them, such as `input_file_name`: over a
 * row pattern window as over an ordinary one, and in MEASURES.
 */
class TaskFunctionsSuite extends Interpreted {
  private val frame = "PARTITION BY g ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
  private val pattern = s"$frame AFTER MATCH SKIP TO NEXT ROW PATTERN (A+)"

  private lazy val input: String = {
    val path = Files.createTempDirectory("task-functions").resolve("rows").toString
    spark
      .sql("SELECT id % 3 AS g, id AS k, array(id) AS arr FROM range(12)")
      .repartition(4)
      .write
      .parquet(path)
    s"parquet.`$path`"
  }

  private def query(list: String, window: String): Seq[Row] =
    rows(s"SELECT k, $list FROM $input WINDOW w AS ($window)").sortBy(_.getLong(0))

  test("beside a row pattern window they are those of the task that reads the row", Slow) {
    Seq(
      "input_file_name() AS f, count(*) OVER w AS n",
      "input_file_name(), input_file_block_start(), input_file_block_length(), count(*) OVER w AS n",
      "spark_partition_id() AS p, count(*) OVER w AS n",
      "monotonically_increasing_id() AS i, rand(1) AS r, count(*) OVER w AS n",
      "input_file_name() AS f, f || k AS h, sum(k) OVER w AS n",
      "CASE WHEN k > 6 THEN input_file_name() END AS f, sum(k) OVER w AS n",
      "max(input_file_name()) OVER (PARTITION BY g) AS f, sum(k) OVER w AS n",
      "rank() OVER (ORDER BY input_file_name()) AS r, sum(k) OVER w AS n",
      "transform(arr, x -> x + spark_partition_id()) AS t, sum(k) OVER w AS n"
    ).foreach(list => assert(query(list, pattern) == query(list, frame), list))
    assert(query("input_file_name() AS f, count(*) OVER w", pattern).map(_.get(1)).toSet.size > 1)
  }

  test("in an expression with a window, where Spark's own have no file") {
    val items = Seq(
      "concat(input_file_name(), count(*) OVER w)",
      "count(*) OVER w || CASE WHEN k > 6 THEN input_file_name() ELSE '' END",
      "concat(input_file_name(), count(*) OVER w, sum(k) OVER x)",
      "concat(count(*) OVER w, array_join(transform(arr, x -> concat(input_file_name(), x)), ''))",
      "concat(input_file_name() BETWEEN 'file' AND concat('file', count(*) OVER w), '')"
    )
    Sampled.oneIn(3, items).foreach { item =>
      val windows = s"WINDOW w AS ($pattern), x AS ($frame PATTERN (A))"
      val found = spark.sql(s"SELECT k, $item FROM $input $windows")
      val name = found.columns.last
      assert(name.contains("input_file_name()") && !name.contains("__row"), name)
      val below = s"(SELECT *, input_file_name() AS f FROM $input)"
      val file = item.replace("input_file_name()", "f")
      assert(
        found.collect().toSeq.sortBy(_.getLong(0)) ==
          rows(s"SELECT k, $file FROM $below $windows").sortBy(_.getLong(0)),
        item
      )
    }
  }

  test("what a window guards is not computed below it") {
    val guarded = Seq(
      "CASE WHEN count(*) OVER w < 4 THEN 10 / k + floor(rand(1)) END AS v",
      "coalesce(count(*) OVER w, 10 / k + floor(rand(1))) AS v",
      // By an ordinary window, and by a subquery.
      "CASE WHEN count(*) OVER x < 4 THEN 10 / k + floor(rand(1)) END AS v, sum(k) OVER w AS n",
      "CASE WHEN k > (SELECT 0) THEN 10 / k + floor(rand(1)) END AS v, sum(k) OVER w AS n",
      "CASE WHEN k > 0 THEN 10 / k + floor(rand(1)) END AS v, sum(k) OVER w AS n"
    )
    val ordinary = "ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    def found(item: String, window: String) =
      rows(s"SELECT k, $item FROM range(4) AS t(k) WINDOW w AS ($window), x AS ($ordinary)")
        .sortBy(_.getLong(0))
    withConf("spark.sql.ansi.enabled" -> "true") {
      guarded.foreach { item =>
        val pattern = s"$ordinary AFTER MATCH SKIP TO NEXT ROW PATTERN (A+)"
        assert(found(item, pattern) == found(item, ordinary), item)
      }
    }
  }

  test("the file of the row that a navigation reads; without one there is none") {
    val names =
      rows(s"SELECT k, input_file_name() FROM $input").map(r => r.get(0) -> r.get(1)).toMap
    def clause(measure: String) =
      s"SELECT * FROM $input MATCH_RECOGNIZE (PARTITION BY g ORDER BY k MEASURES LAST(k) AS k, $measure " +
        "PATTERN (A A A A))"
    val found = rows(clause("LAST(concat(input_file_name(), '#', k)) AS f"))
    assert(found.size == 3)
    found.foreach(r => assert(r.get(2) == s"${names(r.get(1))}#${r.get(1)}"))
    val over = query("first_value(concat(input_file_name(), k)) OVER w AS f", pattern)
    over.foreach(r => assert(r.get(1) == s"${names(r.get(0))}${r.get(0)}"))
    Seq("input_file_name() AS f", "LAST(k) || input_file_block_start() AS f").foreach { measure =>
      val error = intercept[AnalysisException](rows(clause(measure)))
      assert(error.getCondition == "UNSUPPORTED_EXPR_FOR_OPERATOR", measure)
    }
    Seq("input_file_name()", "LAST(concat(input_file_name(), k))").foreach { tested =>
      val sql =
        s"SELECT * FROM $input MATCH_RECOGNIZE (ORDER BY k PATTERN (A) DEFINE A AS $tested > '')"
      val error = intercept[AnalysisException](rows(sql))
      assert(error.getCondition == "MATCH_RECOGNIZE_INVALID_EXPRESSION.NON_DETERMINISTIC", tested)
    }
  }

  test("aggregates that add in other orders, with a function of the task in each") {
    val measures = Seq("1 + 2", "2 + 1").map { terms =>
      s"NULLIF(rand(1) * 0 + MAX(1e16D + $terms), 0D)"
    }
    val found = rows(s"""SELECT * FROM range(1) MATCH_RECOGNIZE (
      |MEASURES ${measures.head} AS m, ${measures.last} AS n PATTERN (A))""".stripMargin)
    assert(
      found == Seq(Row((1e16 + 1) + 2, (1e16 + 2) + 1)) && found.head.get(0) != found.head.get(1)
    )
  }
}
