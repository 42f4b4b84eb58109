package io.matchrecognize.execution.search

import scala.util.Random

import io.matchrecognize.QuerySuite

/**
 * What failed attempts remember does not change what queries find, over values that compare in odd
 * ways. A condition that reads MATCH_NUMBER() keeps a search from remembering anything, and one by
 * OR keeps sums that have been passed from being ignored.
 */
class FailedStatesSqlSuite extends QuerySuite {
  private val values = Vector("0.0D", "-0.0D", "double('NaN')", "NULL", "0.1D", "1e16D", "-0.1D")

  private def found(rows: Seq[String], a: String, b: String, c: String, plain: Boolean) = {
    def condition(text: String) =
      if (plain) s"($text AND MATCH_NUMBER() > 0 OR k < 0)" else text
    val table = rows.zipWithIndex.map { case (value, k) => s"($k, $value)" }.mkString(", ")
    spark
      .sql(s"""SELECT * FROM (SELECT * FROM VALUES $table AS t(k, d)) MATCH_RECOGNIZE (ORDER BY k
        MEASURES FIRST(k) AS f, LAST(A.k) AS a, LAST(B.k) AS b, SUM(B.d) AS s
        AFTER MATCH SKIP TO NEXT ROW PATTERN (A+ B+? C)
        DEFINE A AS ${condition(a)}, B AS ${condition(b)}, C AS ${condition(c)})""")
      .collect()
      .map(_.toString)
      .toSeq
  }

  Seq(
    ("TRUE", "SUM(A.d) IS NOT NULL", "SUM(B.d) = 1e16D + 0.5D"),
    ("TRUE", "SUM(A.d) > -5 OR d = 0", "CAST(SUM(B.d) AS STRING) = '-0.1'"),
    ("d IS NULL OR COUNT(A.d) < 40", "LAST(A.d) <=> d OR k % 7 > 1", "LAST(B.d) < d - 1e16D"),
    ("TRUE", "LAST(A.d, 1) = FIRST(A.d) OR k % 3 > 0", "LAST(B.d) < LAST(A.d) AND d = LAST(B.d)"),
    ("k % 11 > 0", "COUNT(A.d) > 2 AND MAX(A.d) > 0", "AVG(B.d) = 0.2D")
  ).foreach { case (a, b, c) =>
    test(s"A AS $a, B AS $b, C AS $c") {
      val random = new Random(5)
      val rows = Vector.fill(90)(values(random.nextInt(values.size)))
      assert(found(rows, a, b, c, plain = false) == found(rows, a, b, c, plain = true))
    }
  }

  test("of a variable that has every row, rows at a distance change with every row") {
    spark
      .range(200)
      .selectExpr("id AS k", "IF(id = 100, 0, 1) AS x")
      .createOrReplaceTempView("one_zero")
    Seq("PATTERN (A+ $)" -> "A", "PATTERN (A+ B? $) SUBSET U = (A, B)" -> "U").foreach {
      case (pattern, read) =>
        val sql = s"""SELECT * FROM one_zero MATCH_RECOGNIZE (ORDER BY k MEASURES FIRST(k) AS f
          $pattern DEFINE A AS LAST($read.x, 20) IS NULL OR LAST($read.x, 20) > 0)"""
        assert(rows(sql).map(_.getLong(0)) == Seq(101), pattern)
    }
  }
}
