package io.matchrecognize.execution.truth

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.rows.MadeRows
import io.matchrecognize.{QuerySuite, Sampled}

/** Conditions on the first row of the match over long partitions, against ordered threads. */
class AnchoredSearchSuite extends QuerySuite {

  // One partition of several thousand rows and some short ones; values that walk, so that what a
  // condition says of a row changes rarely.
  private val walk =
    """SELECT IF(id < 4400, 0, id % 40) AS p, id AS i,
      |  timestamp_seconds(id * 10 + hash(id) % 5) AS ts,
      |  date_add(DATE'2020-01-01', CAST(id DIV 20 AS INT)) AS day,
      |  CAST(w AS INT) AS n, IF(hash(id) % 37 = 0, NULL, w) AS l,
      |  CASE WHEN hash(id) % 501 = 0 THEN DOUBLE('NaN') WHEN hash(id) % 502 = 0 THEN NULL
      |    WHEN hash(id) % 503 = 0 THEN DOUBLE('-Infinity') WHEN w % 20 = 0 THEN -0.0D
      |    ELSE w / 2 END AS x,
      |  CAST(w / 3 AS FLOAT) AS f, CAST(w AS DECIMAL(9, 2)) / 4 AS d,
      |  CAST(w AS DECIMAL(25, 2)) AS wide, substr('aaaabbbcx', abs(hash(id, 1)) % 9 + 1, 1) AS kind,
      |  IF(hash(id, 2) % 300 = 0, 'rare', 'other') AS rare
      |FROM (SELECT id, CAST(30 * sin(id / 200) + 60 * sin(id / 950) AS BIGINT) + hash(id, 3) % 4 AS w
      |  FROM range(4700))""".stripMargin

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql(walk).createOrReplaceTempView("walk")
    keep("walk")
  }

  override protected def afterAll(): Unit =
    try spark.catalog.uncacheTable("walk")
    finally super.afterAll()

  private def query(
      clause: String,
      define: String,
      measures: String = "FIRST(i) AS a, LAST(i) AS z, COUNT(*) AS n"
  ) =
    s"""SELECT * FROM walk MATCH_RECOGNIZE (PARTITION BY p ORDER BY ts, i
       |  MEASURES $measures $clause DEFINE $define)""".stripMargin

  private val next = "AFTER MATCH SKIP TO NEXT ROW"

  private val queries = Seq(
    query(s"$next PATTERN (A B* C)", "B AS n <= A.n + 10, C AS n > A.n + 10"),
    query(s"$next PATTERN (A B+ C)", "B AS x > A.x, C AS x <= A.x - 3.5"),
    query(s"$next PATTERN (A B* C)", "B AS l IS NULL OR l >= A.l - 40, C AS l < A.l - 40"),
    query(s"$next PATTERN (A B* C)", "B AS d BETWEEN A.d - 9 AND A.d + 9, C AS d > A.d + 9"),
    query(s"$next PATTERN (A X*? B)", "A AS rare = 'rare', B AS rare = 'rare' AND x > A.x"),
    query(s"$next PATTERN (A X*? B)", "A AS rare = 'rare', B AS kind = 'x' AND n = A.n"),
    query(
      s"$next PATTERN (A X* B Y* C)",
      "A AS rare = 'rare', B AS kind = 'c' AND x > A.x + 5, C AS kind = 'x' AND f < A.f"
    ),
    query(s"$next PATTERN ((A+)+ B)", "A AS n > -200, B AS n > FIRST(n) + 90"),
    query("PATTERN ((A | B)+ C)", "A AS n > FIRST(n), B AS kind < 'b', C AS l > FIRST(l) + 20"),
    query(s"$next PATTERN (A B+ C)", "B AS wide >= A.wide, C AS wide < A.wide"),
    query(s"$next PATTERN (A B+)", "B AS n >= A.n AND ts <= A.ts + INTERVAL '2' HOUR"),
    query(
      s"ALL ROWS PER MATCH $next PATTERN (A B* C)",
      "A AS i % 5 = 0, B AS n <= A.n + 20, C AS n > A.n + 20 AND i < A.i + 500",
      "CLASSIFIER() AS c, MATCH_NUMBER() AS m"
    ),
    query(
      s"$next PATTERN (A B* C?) WITHIN INTERVAL '1' HOUR SUBSET U = (B, C)",
      "B AS n <= A.n + 5, C AS n > A.n + 5",
      "FIRST(i) AS a, LAST(B.i, 1) AS b1, FIRST(B.i, 2) AS b2, COUNT(U.*) AS us, LAST(U.n) AS u"
    )
  )

  // Functions of the tested row's values that the first row fixes all else of.
  private val functions = Seq(
    query(s"$next PATTERN (A B* C)", "B AS abs(x) <= abs(A.x) + 3, C AS abs(x - A.x) > 30"),
    query(
      "PATTERN (A B* C)",
      "B AS (d - A.d) / nullif(A.d, 0) < 0.5, C AS (d - A.d) / nullif(A.d, 0) >= 0.5"
    ),
    query(s"$next PATTERN (A B* C)", "B AS -l >= -A.l - 12, C AS 5 - l < 5 - A.l - 12"),
    query(s"$next PATTERN (A B* C)", "B AS l * -2 > A.l - 40, C AS CAST(n AS DOUBLE) * 2 > A.x"),
    query(s"$next PATTERN (A X* C)", "A AS kind = 'x', C AS abs(l - A.l) = 3 AND x - A.x < 4"),
    query(s"$next PATTERN (A X*? C)", "A AS rare = 'rare', C AS ts - A.ts > INTERVAL '3' HOUR"),
    query(
      s"$next PATTERN (A X*? C)",
      "A AS rare = 'rare', C AS day - A.day >= INTERVAL '9' DAY AND datediff(A.day, day) < -10"
    ),
    query("PATTERN (A B* C)", "B AS i - A.i DIV 2 < 2000, C AS (i - A.i) DIV 3 > 70"),
    query("PATTERN (A B* C)", "B AS n NOT BETWEEN A.n + 3 AND 7, C AS 2 * n > 90 - A.n")
  )

  private def compare(sql: String): Unit = {
    def found(isOn: Boolean) = withSearch(deadlines = isOn, anchored = isOn) {
      val frame = spark.sql(sql)
      val result = frame.collect().toSeq.map(_.toString).sorted
      val text = matchNodes(frame).head.verboseStringWithOperatorId()
      assert(text.contains(s"Matcher: ${if (isOn) "anchored" else "ordered"} threads"))
      result
    }
    val expected = found(isOn = false)
    assert(found(isOn = true) == expected)
    assert(expected.nonEmpty)
  }

  Sampled.oneIn(24, queries).foreach { sql =>
    test(sql.replaceAll("(?s).*MEASURES.*?(AFTER|PATTERN)", "$1").replaceAll("\\s+", " ")) {
      compare(sql)
    }
  }

  Sampled.oneIn(12, functions).foreach { sql =>
    test(sql.replaceAll("(?s).*DEFINE ", "")) {
      compare(sql)
      withConf("spark.sql.ansi.enabled" -> "false")(compare(sql))
    }
  }

  test("functions that fail, or are infinite or no number, for some values", Slow) {
    spark
      .sql("""SELECT id AS i, CASE WHEN id % 97 = 0 THEN NULL WHEN id % 1009 = 0 THEN 9223372036854775807
        |    WHEN id % 1013 = 0 THEN -9223372036854775808
        |    ELSE CAST(60 * sin(id / 150) AS BIGINT) END AS n,
        |  CASE WHEN id % 89 = 0 THEN DOUBLE('Infinity') WHEN id % 101 = 0 THEN DOUBLE('-Infinity')
        |    WHEN id % 103 = 0 THEN DOUBLE('NaN') WHEN id % 107 = 0 THEN 1e308D
        |    WHEN id % 109 = 0 THEN -1e308D WHEN id % 10 = 0 THEN 0.0D
        |    ELSE 60 * sin(id / 150) END AS x
        |FROM range(3000)""".stripMargin)
      .createOrReplaceTempView("extremes")
    def extreme(define: String) =
      s"""SELECT * FROM extremes MATCH_RECOGNIZE (ORDER BY i
         |  MEASURES FIRST(i) AS a, LAST(i) AS z, COUNT(*) AS n $next PATTERN (A B* C)
         |  DEFINE $define)""".stripMargin
    val total = Seq(
      "B AS x - A.x <= 10, C AS x - A.x > 10",
      "B AS x * A.x <= 100, C AS abs(x * A.x) > 100",
      "B AS x * 1e10D * A.x < 5, C AS x * 1e10D * A.x >= 5",
      "B AS A.x - x <= A.x, C AS A.x - x > A.x",
      "B AS abs(x - A.x) <= A.x, C AS abs(x) > A.x",
      "B AS try_subtract(n, A.n) < 5, C AS x * 2 > A.x"
    )
    Seq("true", "false").foreach { ansi =>
      withConf("spark.sql.ansi.enabled" -> ansi)(total.foreach(d => compare(extreme(d))))
    }
    val integers = Seq(
      "B AS n - A.n <= 10, C AS n - A.n > 10",
      "B AS abs(n) <= 50, C AS abs(n) > A.n",
      "B AS n * 2 < A.n + 3, C AS n * 2 >= A.n"
    )
    withConf("spark.sql.ansi.enabled" -> "false")(integers.foreach(d => compare(extreme(d))))
    def outcome(define: String, isOn: Boolean) =
      withSearch(anchored = isOn) {
        intercept[org.apache.spark.SparkThrowable](rows(extreme(define))).getCondition
      }
    integers.foreach { define =>
      assert(outcome(define, isOn = true) == outcome(define, isOn = false))
    }
  }

  test("conditions that fail now and then", Slow) {
    withConf("spark.sql.ansi.enabled" -> "true") {
      compare(query(s"$next PATTERN (A B* C)", "B AS n <= A.n + 10, C AS 10 / (n + 500) < n - A.n"))
      val failing =
        query(
          s"$next PATTERN (A B* C)",
          "B AS n <= A.n + 10 AND 1 / (i - 2500) < 2, C AS n > A.n + 9"
        )
      Seq(true, false).foreach { isOn =>
        withSearch(anchored = isOn) {
          val error = intercept[org.apache.spark.SparkThrowable](rows(failing))
          assert(error.getCondition == "DIVIDE_BY_ZERO")
        }
      }
    }
  }

  test("an attempt costs no test for each row that it passes over", Slow) {
    // Without skipping, about 12,000 rows are tested from each of the first 12,000 start rows.
    spark
      .range(24000)
      .selectExpr("id", "abs(id - 12000) AS v")
      .createOrReplaceTempView("valley")
    val defines = Seq(
      "B AS v <= A.v, C AS v > A.v",
      "B AS v - A.v <= 0, C AS v - A.v > 0",
      "B AS v / (A.v + 1) < 1, C AS v / (A.v + 1) >= 1",
      "B AS v * -1 >= A.v * -1, C AS A.v - v < 0",
      "B AS abs(v - A.v - 12000) >= 12000, C AS abs(v) > A.v"
    )
    defines.foreach { define =>
      val sql =
        s"""SELECT count(*) FROM valley MATCH_RECOGNIZE (ORDER BY id MEASURES A.id AS a, C.id AS c
           |  AFTER MATCH SKIP TO NEXT ROW PATTERN (A B* C) DEFINE $define)""".stripMargin
      withConf(MatchRecognizeConf.MaxStepsPerMatch.key -> "2000") {
        assert(rows(sql).head.getLong(0) == 23997, define)
        withSearch(anchored = false) {
          val error = intercept[org.apache.spark.SparkThrowable](rows(sql))
          assert(error.getCondition.startsWith("MATCH_RECOGNIZE_LIMIT_EXCEEDED"))
        }
      }
    }
  }

  /** Rows whose columns are computed; counts looks whether the task was cancelled. */
  private final class Computed(override val length: Long, value: (Int, Long) => Long)
      extends MadeRows {
    override def fixed(column: Int, row: Long): Long = value(column, row)
  }

  test("a part that may fail, but not in a block, hides nothing of the parts after it") {
    Seq("INT" -> 1, "DECIMAL(10, 2)" -> 100).foreach { case (number, unit) =>
      spark
        .sql(s"SELECT id, CAST(id AS $number) AS v, CAST(id AS $number) AS w FROM range(1)")
        .createOrReplaceTempView("waves")
      val node = withConf("spark.sql.ansi.enabled" -> "true") {
        val found = matchNodes(
          spark.sql("""SELECT * FROM waves MATCH_RECOGNIZE (ORDER BY id
            |  MEASURES A.id AS a AFTER MATCH SKIP TO NEXT ROW PATTERN (A B*? C)
            |  DEFINE C AS C.v - A.v > 5 AND C.w > A.w + 1900)""".stripMargin)
        ).head
        found.program
        found
      }
      val clause = node.program.clause
      val columns = clause.schema.fixed.map(node.child.output(_).name)
      val c = clause.automaton.symbols.indexOf("C")

      /** Looks of searches for C, of which there is none, from some start rows. */
      def looks(rows: Long): Long = {
        val store = new Computed(
          rows,
          (column, row) =>
            columns(column) match {
              // In each block v is more than 5 above that of A on some rows.
              case "v" => row % 20 * unit
              case "w" => row % 1000 * unit
              case _ => row
            }
        )
        val local = new TaskConditions(node.program.conditions, store, isStream = false)
        val input = new ClauseInput(clause, node.program.conditions.idOf(0), local, store, null)
        val conditions = new AnchoredConditions(clause, clause.anchored.get, store, input)
        conditions.reset()
        (0L until rows by 16).filter(_ % 20 < 13).foreach { start =>
          assert(conditions.steadyEnd(c, isTrue = false, start, start, rows) == rows)
        }
        store.checks
      }
      val (few, many) = (looks(16000), looks(32000))
      assert(many < few * 5 / 2, s"$number: $few, $many")
    }
  }
}
