package io.matchrecognize.execution.search

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetrics

import io.matchrecognize.matcher.AllocatedBytes
import io.matchrecognize.streaming.InTask
import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Matches that overlap over long stretches: one row of a match, found without walking it, agrees
 * with its rows, and its cost does not grow with its length.
 */
class OverlapSuite extends QuerySuite {

  private val count = Sampled.size(2700, 1200)

  // Runs of a few hundred rows of one letter, so that searches overlap.
  private val events =
    s"""SELECT p, i, v, substr('aabbcx', abs(hash(p, i DIV (40 + 50 * p))) % 6 + 1, 1) AS e,
      |  CAST(v AS DECIMAL(12, 2)) / 3 AS d, concat('t', v) AS t, make_dt_interval(v) AS g
      |FROM (SELECT id % 3 AS p, id DIV 3 AS i, abs(hash(id)) % 1000 AS v FROM range($count))
      |""".stripMargin

  private val measures =
    """MATCH_NUMBER() AS n, FIRST(i) AS i0, FINAL COUNT(*) AS size, FINAL COUNT(B.*) AS bs,
      |  FINAL SUM(A.v) AS va, FINAL MIN(U.t) AS least, FINAL MAX(v) AS most, FINAL AVG(d) AS mean,
      |  FINAL MIN(g) AS shortest, FINAL MAX(g) AS longest,
      |  FINAL COUNT(v) FILTER (WHERE v % 2 = 0) AS even, FINAL FIRST(B.i, 1) AS b1,
      |  FINAL LAST(A.i, 2) AS a2, FINAL LAST(U.v) AS last_u, FINAL LAST(i, 3) AS i3""".stripMargin

  private val conditions =
    Seq("A AS e IN ('a', 'c')", "B AS e = 'b'", "C AS e = 'c'", "D AS e <> 'x'")

  private def query(rowsPerMatch: String, skip: String, pattern: String) =
    s"""SELECT * FROM events MATCH_RECOGNIZE (PARTITION BY p ORDER BY i
       |  MEASURES $measures
       |  $rowsPerMatch AFTER MATCH SKIP $skip PATTERN ($pattern) SUBSET U = (A, B)
       |  DEFINE ${conditions.filter(c => pattern.contains(c.head)).mkString(", ")})""".stripMargin

  private def compare(skip: String, pattern: String): Unit = {
    spark.sql(events).createOrReplaceTempView("events")
    val one = spark.sql(query("ONE ROW PER MATCH", skip, pattern))
    val columns = one.columns.mkString(", ")
    val actual = rows(s"SELECT $columns FROM (${query("ONE ROW PER MATCH", skip, pattern)})")
    // The general engine and the walk over rows: measures at the first row of each match.
    val all = s"SELECT $columns FROM (${query("ALL ROWS PER MATCH", skip, pattern)}) WHERE i = i0"
    def sorted(rows: Seq[Row]) = rows.sortBy(row => (row.getLong(0), row.getLong(1)))
    assert(sorted(actual) == sorted(rows(all)))
    assert(actual.length > Sampled.size(500, 200))
  }

  test("SKIP TO NEXT ROW") {
    compare("TO NEXT ROW", "A+ (B | C)*")
  }

  test("SKIP TO a variable, and to the next row of a reluctant loop", Slow) {
    compare("TO NEXT ROW", "(A | B C?)+?  C+")
    compare("TO FIRST D", "A D+ B?")
    compare("TO LAST A", "A A (B | D)*")
  }

  test("a sum that overflows is raised by the match that it belongs to") {
    val sql =
      """SELECT max(total) FROM (SELECT id AS i, IF(id = 9000, 9223372036854775807, 1) AS v
        |FROM range(9100)) MATCH_RECOGNIZE (ORDER BY i MEASURES SUM(v) AS total
        |  AFTER MATCH SKIP TO NEXT ROW PATTERN (A+))""".stripMargin
    withConf("spark.sql.ansi.enabled" -> "true") {
      val error = intercept[org.apache.spark.SparkThrowable](rows(sql))
      assert(error.getCondition == "ARITHMETIC_OVERFLOW")
    }
  }

  test("a sum of a condition that overflows beside a preferred path with the same future") {
    val sql =
      """SELECT * FROM VALUES (1, 9223372036854775807), (2, 1), (3, 0), (4, 0) AS t(i, v)
        |MATCH_RECOGNIZE (ORDER BY i MEASURES COUNT(*) AS n PATTERN (A A (B | Y) C)
        |  DEFINE Y AS SUM(A.v) > 0, C AS v < 0)""".stripMargin
    withConf("spark.sql.ansi.enabled" -> "true") {
      val error = intercept[org.apache.spark.SparkThrowable](rows(sql))
      assert(error.getCondition == "ARITHMETIC_OVERFLOW")
    }
  }

  test("counts and sums over 200,000 overlapping matches") {
    val sql =
      """SELECT count(*), sum(n), sum(s), max(last_i) FROM (SELECT id AS i FROM range(200000))
        |MATCH_RECOGNIZE (ORDER BY i MEASURES COUNT(*) AS n, SUM(i) AS s, LAST(i) AS last_i
        |  AFTER MATCH SKIP TO NEXT ROW PATTERN (A+))""".stripMargin
    val n = 200000L
    // Row i is in the matches of rows 0 to i.
    val sum = (0L until n).map(i => i * (i + 1)).sum
    assert(rows(sql) == Seq(Row(n, n * (n + 1) / 2, sum, n - 1)))
  }

  test("a match that overlaps takes the objects of its output row and of one row more") {
    val frame = spark.sql("""SELECT * FROM (SELECT id AS k, id AS i, id AS v FROM range(1))
      |MATCH_RECOGNIZE (PARTITION BY k ORDER BY i MEASURES COUNT(*) AS n, SUM(v) AS s, LAST(i) AS l
      |  AFTER MATCH SKIP TO NEXT ROW PATTERN (A+) DEFINE A AS v >= 0)""".stripMargin)
    frame.collect()
    val program = matchNodes(frame).head.program
    val context = spark.sparkContext
    InTask(spark) {
      val metrics = new MatchMetrics(name => SQLMetrics.createMetric(context, name))
      val source = TaskRows.of(program, None, new HundredRows(6000), metrics)
      val matches = PartitionLoop(program, source, 0, metrics)
      def take(count: Int): Unit = (0 until count).foreach(_ => matches.next())
      // The updates of aggregates are compiled after 10,000 rows.
      take(300000)
      val perMatch = AllocatedBytes.of(take(200000)) / 200000
      assert(perMatch < 400)
    }
  }

  /** One row object, of partitions with a hundred rows each. */
  private final class HundredRows(partitions: Int) extends Iterator[InternalRow] {
    private val row = new UnsafeRow(3)
    row.pointTo(new Array[Byte](32), 32)
    private var count = 0L
    override def hasNext: Boolean = count < partitions * 100L
    override def next(): InternalRow = {
      row.setLong(0, count / 100)
      row.setLong(1, count)
      row.setLong(2, count % 5)
      count += 1
      row
    }
  }
}
