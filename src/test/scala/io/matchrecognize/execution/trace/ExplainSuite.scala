package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.types.{BooleanType, DataType}

import io.matchrecognize.Interpreted
import io.matchrecognize.execution.rows.RowStoreFull

/** `match_recognize_explain`; `TraceConformanceSuite` compares its counts with traces. */
class ExplainSuite extends Interpreted {
  private val ticks =
    "(VALUES ('A', 1, 50), ('A', 2, 40), ('A', 3, 45), ('A', 4, 30), ('B', 1, 9), ('B', 2, NULL) " +
      "AS ticks(symbol, ts, price))"

  private def explain(body: String, input: String = ticks, more: String = ""): Seq[String] = {
    val text = s"SELECT * FROM $input MATCH_RECOGNIZE ($body)".replace("'", "\\'")
    val found = rows(s"SELECT * FROM match_recognize_explain('$text'$more)")
    assert(found.map(_.getInt(0)) == (1 to found.length))
    found.map(_.getString(1))
  }

  private val numbers = "(SELECT id, id % 3 AS r FROM range(12))"

  test("failures by condition, the commonest first, and how often each condition holds") {
    val told = explain(
      """PARTITION BY symbol ORDER BY ts MEASURES COUNT(*) AS n PATTERN (STRT DOWN UP)
        |DEFINE DOWN AS price < PREV(price), UP AS price > STRT.price""".stripMargin
    )
    assert(
      told == Seq(
        "6 attempts in 6 rows of 2 partitions found no match.",
        "`price > STRT.price` of UP depends on the match so far; attempts found it TRUE in 0 of 1 " +
          "test (FALSE in 1).",
        "1 attempt failed on `price > STRT.price` of UP: it began at row 1 of partition symbol = A " +
          "and reached row 2 as DOWN; in row 3, 45 > 50 is FALSE.",
        "1 attempt failed on `price < PREV(price)` of DOWN: it began at row 2 of partition " +
          "symbol = A and reached row 2 as STRT; in row 3, 45 < 40 is FALSE.",
        "1 attempt failed on `price < PREV(price)` of DOWN: it began at row 1 of partition " +
          "symbol = B and reached row 1 as STRT; in row 2, NULL < 9 is NULL, and NULL is not TRUE.",
        "3 attempts were still open when the rows of their partition ended.",
        "`price < PREV(price)` of DOWN is TRUE in 2 of 6 rows (FALSE in 1, NULL in 3)."
      )
    )
  }

  test("the example of a failed condition is an attempt that ended with it") {
    val told = explain(
      "ORDER BY id MEASURES 1 AS n PATTERN (A B* C) DEFINE B AS x > 0, C AS x = 99",
      "(VALUES (1, 1), (2, 1), (3, -1), (4, 1), (5, 1), (6, 1) AS t(id, x))"
    )
    assert(
      told.contains(
        "2 attempts failed on `x = 99` of C; the furthest began at row 1 and reached row 2 as B; in " +
          "row 3, -1 = 99 is FALSE."
      )
    )
    assert(
      told.contains(
        "4 attempts were still open when the rows of their partition ended; in 3 of them `x = 99` of " +
          "C had failed, as in row 6: 1 = 99."
      )
    )
  }

  test("one partition of several") {
    val told = explain(
      "PARTITION BY symbol ORDER BY ts MEASURES 1 AS n PATTERN (A B) DEFINE B AS price > 40",
      more = ", partition => 'symbol = \\'A\\''"
    )
    assert(told.head == "3 attempts in 4 rows found 1 match.")
    assert(
      told.contains(
        "1 row lies inside a match, so no attempt began there (AFTER MATCH SKIP PAST LAST ROW)."
      )
    )
  }

  test("rows inside a match, which no attempt begins at") {
    val told = explain("ORDER BY id MEASURES 1 AS n PATTERN (A B C)", numbers)
    assert(
      told.take(2) == Seq(
        "4 attempts in 12 rows found 4 matches.",
        "8 rows lie inside a match, so no attempt began there (AFTER MATCH SKIP PAST LAST ROW)."
      )
    )
    val next =
      explain("ORDER BY id MEASURES 1 AS n AFTER MATCH SKIP TO NEXT ROW PATTERN (A B C)", numbers)
    assert(next.head == "12 attempts in 12 rows found 10 matches.")
    assert(!next.exists(_.contains("inside")))
  }

  test("attempts that WITHIN ends") {
    val told = explain(
      "ORDER BY id MEASURES 1 AS n PATTERN (A B* C) WITHIN 1 DEFINE B AS id < 8, C AS id = 9",
      numbers
    )
    assert(
      told.contains(
        "7 attempts ran out of time: WITHIN 1; in 7 of them `id = 9` of C had failed, as in row 2: 1 " +
          "= 9."
      )
    )
  }

  test("the limit of rows, which is told first") {
    val body = "PARTITION BY r ORDER BY id MEASURES 1 AS n PATTERN (A B)"
    val input = "(SELECT id, id % 3 AS r FROM range(0, 12, 1, 1))"
    def told(rows: Int) = explain(body, input, s", max_rows => $rows")
    assert(
      told(7).take(2) == Seq(
        "The search read 7 rows of a larger input, to which max_rows limits it: some partitions may " +
          "lack rows. Give the condition of some as `partition`, filter the input, or set max_rows.",
        "4 attempts in 7 rows of 3 partitions found 3 matches."
      )
    )
    assert(told(12) == explain(body, input))
  }

  test("the values that occur in place of the wanted ones") {
    val input =
      "(VALUES (1, 'look', 3), (2, 'buy ', 4), (3, NULL, 4), (4, 'it''s', 5), (5, 'look', " +
        "5) AS t(k, side, n))"
    def told(condition: String) =
      explain(s"ORDER BY k MEASURES 1 AS one PATTERN (A B) DEFINE B AS $condition", input)
    assert(
      told("side = 'BUY'").slice(1, 3) == Seq(
        "`side = 'BUY'` of B is TRUE in none of 5 rows (FALSE in 4, NULL in 1).",
        "`side` is 'buy ' in 1 row, 'look' in 2 rows and 'it''s' in 1 row; did you mean 'buy ' instead " +
          "of 'BUY'?"
      )
    )
    assert(
      told("n > 0 AND upper(side) IN ('LOKO', 'X')").slice(1, 3) == Seq(
        "The condition of B is TRUE in none of 5 rows (FALSE in 4, NULL in 1); of its parts, `n > 0` " +
          "is TRUE in all 5 rows and `upper(side) IN ('LOKO', 'X')` is TRUE in none of 5 rows (FALSE " +
          "in 4, NULL in 1).",
        "`upper(side)` is 'LOOK' in 2 rows, 'BUY ' in 1 row and 'IT''S' in 1 row; did you mean 'LOOK' " +
          "instead of 'LOKO'?"
      )
    )
    val predicates = "n BETWEEN 8 AND 9 AND (n + 1) IN (7, 8) AND side NOT IN ('look', 'x')"
    assert(
      told(predicates)(1) ==
        "The condition of B is TRUE in none of 5 rows (FALSE in 5); of its parts, `n BETWEEN 8 AND " +
        "9` is TRUE in none of 5 rows (FALSE in 5), `(n + 1) IN (7, 8)` is TRUE in none of 5 rows " +
        "(FALSE in 5) and `side NOT IN ('look', 'x')` is TRUE in 2 of 5 rows (FALSE in 2, NULL in 1)."
    )
    assert(told("n = 9").contains("`n` is 4 in 2 rows, 5 in 2 rows and 3 in 1 row."))
    assert(!told("n = 3").exists(_.contains("`n` is")))
  }

  test("ends that are no failed condition") {
    def told(body: String, input: String = numbers) = explain(body, input).drop(1).mkString("\n")
    assert(
      told("ORDER BY id MEASURES 1 AS n PATTERN (^ A{20})") ==
        "1 attempt was still open when the rows of its partition ended.\n" +
        "11 starts were ruled out by ^ or $."
    )
    assert(
      told("ORDER BY id MEASURES 1 AS n PATTERN (A+ B) DEFINE B AS id < 0", "range(200)")
        .contains("stopped early: the same path had already failed in an earlier one.")
    )
    assert(
      told(
        "ORDER BY id MEASURES 1 AS n ONE ROW PER MATCH SHOW TIMEOUT MATCHES PATTERN (A{3}) " +
          "WITHIN 1"
      ).contains("12 attempts were cut off by WITHIN and timed out.")
    )
  }

  test("an error of a condition or of SKIP ends a partition and is told") {
    val inCondition = explain(
      "PARTITION BY symbol ORDER BY ts MEASURES 1 AS n PATTERN (A B) DEFINE B AS 1 DIV (price - 45) > 0"
    )
    assert(
      inCondition(1).startsWith(
        "Partition symbol = A: In row 3 the condition of `B` raised an " +
          "error, which ends the query: [DIVIDE_BY_ZERO]"
      )
    )
    assert(inCondition.exists(_.contains("(FALSE in 4, NULL in 1, an error in 1)")))
    val inSkip = explain(
      "PARTITION BY r ORDER BY id MEASURES 1 AS n AFTER MATCH SKIP TO LAST X PATTERN (A X? B) DEFINE X AS id < 0",
      numbers
    )
    assert(inSkip(1).startsWith("Partition r = 0: An error ends the query: "))
    assert(inSkip(1).endsWith("SQLSTATE: 2202K. So do errors in 2 other partitions."))
  }

  test("a column that is NULL in place of a condition") {
    val told = explain(
      "ORDER BY id MEASURES 1 AS n PATTERN (A) DEFINE A AS ok",
      "(VALUES (1, CAST(NULL AS BOOLEAN)) AS t(id, ok))"
    )
    assert(
      told.contains(
        "1 attempt failed at its first row, row 1, on `ok` of A: it is NULL, and NULL is not TRUE."
      )
    )
  }

  test("a pattern in a window") {
    val text =
      "SELECT COUNT(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING " +
        "PATTERN (A B) DEFINE B AS id > 5) AS n FROM range(9)"
    val told = rows(s"SELECT sentence FROM match_recognize_explain('$text')").map(_.getString(0))
    assert(told.head == "7 attempts in 9 rows found 2 matches.")
    assert(told.last == "`id > 5` of B is TRUE in 3 of 9 rows (FALSE in 6).")
  }

  test("no rows, and no partition of Spark") {
    val told = Seq("There are no rows: the input is empty, or no partition has these keys.")
    assert(explain("MEASURES 1 AS n PATTERN (A)", "range(0)") == told)
    assert(explain("MEASURES 1 AS n PATTERN (A)", "(SELECT 1 AS x WHERE false)") == told)
    assert(explain("PARTITION BY r MEASURES 1 AS n PATTERN (A)", numbers, ", 'r = 7'") == told)
  }

  test("the same sentences however the rows are ordered and conditions evaluated", Slow) {
    val input = "(SELECT id, id % 23 AS k, (id * 37) % 11 AS x FROM range(2000))"
    val body = """PARTITION BY k ORDER BY id MEASURES 1 AS n PATTERN (A B+ C)
      |DEFINE A AS x = 3, B AS x > A.x AND x <> 7, C AS SUM(B.x) > 20""".stripMargin
    val told = explain(body, input)
    assert(told.length > 5)
    withConf(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    )(assert(explain(body, input.replace("))", ") DISTRIBUTE BY x)")) == told))
    withConf("spark.sql.ansi.enabled" -> "false")(assert(explain(body, input).head == told.head))
  }

  test("of too many values none is told", Slow) {
    def told(values: Int) = explain(
      "ORDER BY id MEASURES 1 AS n PATTERN (A B) DEFINE B AS side = 'buy'",
      s"(SELECT id, IF(id % 5 = 0, 'bux', CONCAT('v', id % $values)) AS side FROM range(24950))"
    )
    val many = told(2999)
    assert(many.contains("`side` has more than 1,000 other values."))
    assert(!many.exists(_.contains("did you mean")))
    val few =
      "`side` is 'bux' in 4,990 rows, 'v0' in 40 rows and 'v1' in 40 rows; did you mean 'bux' " +
        "instead of 'buy'?"
    assert(told(499).contains(few))
  }

  test("an error of a part that parts before it prevent is none") {
    // Few rows are counted by interpreted expressions, many by generated code.
    Seq(12L -> "4 of 12 rows", 24000L -> "8,000 of 24,000 rows").foreach { case (rows, third) =>
      val told = explain(
        "ORDER BY id MEASURES 1 AS n PATTERN (A B) DEFINE B AS r <> 0 AND 10 / r > 5",
        s"(SELECT id, id % 3 AS r FROM range($rows))"
      )
      val n = third.takeWhile(_ != ' ')
      val others = third.replaceFirst("^\\S+", if (rows == 12) "8" else "16,000")
      assert(
        told.last == s"The condition of B is TRUE in $third (FALSE in ${others.takeWhile(_ != ' ')}); " +
          s"of its parts, `r <> 0` is TRUE in $others (FALSE in $n) and `10 / r > 5` is TRUE in " +
          s"$third (FALSE in $n, not evaluated in $n)."
      )
    }
  }

  test("long values are cut in sentences") {
    val told = explain(
      "ORDER BY id MEASURES 1 AS n PATTERN (A B) DEFINE B AS text = A.id",
      "(SELECT CAST(id AS STRING) AS id, repeat('x', 5000) AS text FROM range(3))"
    )
    assert(told.exists(_.contains(s"'${"x" * 100}...' = '0' is FALSE")), told.mkString("\n"))
  }

  test("long keys of partitions are cut") {
    val told = explain(
      "PARTITION BY k ORDER BY id MEASURES 1 AS n PATTERN (A B) DEFINE B AS x = -1",
      "(SELECT id, id % 40 AS x, CONCAT(repeat('x', 120), id % 40) AS k FROM range(200))"
    )
    assert(told.exists(_.contains(s"of partition k = ${"x" * 100}...")))
  }

  test("a window whose frame the search leaves out, which is said first") {
    def told(end: String, more: String) = {
      val text =
        s"SELECT COUNT(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND $end FOLLOWING $more " +
          "PATTERN (A B) DEFINE B AS id > 5) AS n FROM range(9)"
      rows(s"SELECT sentence FROM match_recognize_explain('$text')").map(_.getString(0))
    }
    def said(frame: String) = s"The search was made in whole partitions: it leaves out the frame " +
      s"`ROWS BETWEEN CURRENT ROW AND $frame`, in which the query looks for the match of each row, " +
      "so that the query may find others."
    val total = "7 attempts in 9 rows found 2 matches."
    assert(told("2", "").take(2) == Seq(said("2L FOLLOWING INITIAL"), total))
    assert(told("2", "SEEK").take(2) == Seq(said("2L FOLLOWING SEEK"), total))
    assert(told("UNBOUNDED", "SEEK").take(2) == Seq(said("UNBOUNDED FOLLOWING SEEK"), total))
    assert(told("UNBOUNDED", "INITIAL").head == total)
  }

  test("memory that cannot be had while conditions are counted") {
    val registry = spark.asInstanceOf[ClassicSession].sessionState.functionRegistry
    registry.createOrReplaceTempFunction("no_memory", is => NoMemory(is.head), "scala_udf")
    val found = intercept[Exception](
      explain("ORDER BY id MEASURES 1 AS n PATTERN (A) DEFINE A AS no_memory(id)", numbers)
    )
    spark.sql("DROP TEMPORARY FUNCTION no_memory")
    val told = Iterator.iterate[Throwable](found)(_.getCause).takeWhile(_ != null).map(_.getMessage)
    assert(told.exists(_.contains("[MATCH_RECOGNIZE_MEMORY_EXCEEDED.PATHS]")))
  }
}

/** Stands for a row that is read again when no memory is left. */
private final case class NoMemory(child: Expression) extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = BooleanType
  override def eval(input: InternalRow): Any = throw new RowStoreFull(4096L)
  override protected def withNewChildInternal(newChild: Expression): Expression =
    copy(child = newChild)
}
