package io.matchrecognize.execution.truth

import scala.util.{Random, Try}

import org.apache.spark.SparkThrowable

import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Which failures of a condition surface, and which an earlier part hides, in all ways to test it.
 */
class ConditionFailuresSuite extends QuerySuite {

  // Row 500 divides by zero, in the middle of many rows that are alike.
  private val input =
    """SELECT id, IF(id = 500, 0, 1) AS n, CASE WHEN id = 0 THEN 100 WHEN id < 900 THEN 200 ELSE 50 END AS price,
      |  CASE WHEN id = 500 THEN NULL WHEN id < 900 THEN 200 ELSE 50 END AS maybe FROM range(0, 1000, 1, 1)""".stripMargin

  private sealed trait Way
  private case object Default extends Way
  private case object NotAnchored extends Way
  private case object NoDeadlines extends Way
  private case object NoCode extends Way

  private val ways: Seq[Way] = Seq(NotAnchored, Default, NoCode, NoDeadlines)

  private def in[T](way: Way)(body: => T): T = way match {
    case Default => body
    case NotAnchored => withSearch(anchored = false)(body)
    case NoDeadlines => withSearch(deadlines = false)(body)
    case NoCode => withConf("spark.sql.codegen.factoryMode" -> "NO_CODEGEN")(body)
  }

  private def outcome(sql: String, way: Way): String =
    withConf("spark.sql.ansi.enabled" -> "true") {
      in(way) {
        Try(rows(sql).mkString).fold(_.asInstanceOf[SparkThrowable].getCondition, identity)
      }
    }

  /** In `make test` each condition is tested in one way, as many of them in each. */
  private def some(name: String): Seq[Way] =
    if (Sampled.all) ways
    else ways.indices.filter(i => (name.hashCode + i) % 4 == 0).map(ways)

  private def check(name: String, sql: String, expected: String): Unit = some(name).foreach { way =>
    val found = outcome(sql, way)
    assert(found == expected, s"$name, $way")
  }

  private val fails = "DIVIDE_BY_ZERO"

  private def condition(define: String, expected: String): Unit = test(define) {
    check(
      define,
      s"""SELECT * FROM ($input) MATCH_RECOGNIZE (ORDER BY id MEASURES LAST(id) AS l
         |  PATTERN (A X*? B) DEFINE A AS id = 0, B AS $define)""".stripMargin,
      expected
    )
  }

  private val found = "[900]"

  // Parts on the first row and the tested one are passed over in blocks.
  condition("B.price < A.price", found)
  condition("B.price < A.price AND 10 / B.n > 0", found)
  condition("10 / B.n > 0 AND B.price < A.price", fails)
  condition("B.price < A.price AND (10 / B.n > 0 OR B.price > A.price)", found)
  condition("B.maybe < A.price AND 10 / B.n > 0", fails)
  condition("B.price < A.price AND B.maybe < A.price AND 10 / B.n > 0", found)
  condition("B.maybe < A.price AND B.price < A.price AND 10 / B.n > 0", found)
  condition("B.maybe - A.price < 0 AND 10 / B.n > 0", fails)
  condition("B.price - A.price < 0 AND 10 / B.n > 0", found)
  condition("B.maybe < 100 AND 10 / B.n > A.price - 100", fails)
  condition("B.price < 100 AND 10 / B.n > A.price - 100", found)
  condition("10 / B.n > A.price - 100 AND B.price < 100", fails)
  condition("NOT (B.price >= A.price) AND 10 / B.n > A.price - 100", found)

  test("a threshold is the value that the condition compares") {
    val sums = "((B.n * 0.1D + B.n * 0.2D) + B.n * 0.3D) - (B.n * 0.1D + (B.n * 0.2D + B.n * 0.3D))"
    check(
      "sums in two orders",
      s"""SELECT * FROM (SELECT *, 0.0D AS d FROM ($input)) MATCH_RECOGNIZE (ORDER BY id
         |  MEASURES LAST(id) AS l PATTERN (A X*? B) DEFINE A AS id = 0, B AS $sums > A.d)""".stripMargin,
      "[1]"
    )
  }

  test("an argument of an aggregate hides failures also after as many rows as have it compiled") {
    val quotients = "COUNT(CASE WHEN A.n <> 0 AND 10 / A.n BETWEEN 1 AND 50 THEN 1 END)"
    check(
      "an argument",
      s"""SELECT * FROM (SELECT id, IF(id = 15000, 0, 1) AS n FROM range(0, 20000, 1, 1))
         |  MATCH_RECOGNIZE (ORDER BY id MEASURES $quotients AS l PATTERN (A+)
         |  DEFINE A AS $quotients < 99999)""".stripMargin,
      "[19999]"
    )
  }

  // The same for OR, where rows are passed over on which it is TRUE.
  private def disjunction(define: String, expected: String): Unit = test(define) {
    check(
      define,
      s"""SELECT * FROM ($input) MATCH_RECOGNIZE (ORDER BY id MEASURES LAST(id) AS l
         |  PATTERN (A B+ X) DEFINE A AS id = 0, B AS B.id < 800 AND ($define), X AS id >= 700)""".stripMargin,
      expected
    )
  }

  disjunction("B.price > A.price OR 10 / B.n > 0", "[800]")
  disjunction("10 / B.n > 0 OR B.price > A.price", fails)
  disjunction("B.maybe > A.price OR 10 / B.n > 0", fails)
  disjunction("B.maybe > A.price OR B.price > A.price OR 10 / B.n > 0", "[800]")

  // What occurs twice is not evaluated before the parts that hide it, in blocks of rows and on
  // the path.
  condition("B.price < 100 AND 10 / B.n > 0 AND 10 / B.n < 100", found)
  condition("B.price < 100 AND 10 / B.n BETWEEN 1 AND 100", found)
  condition("B.price < A.price AND 10 / B.n BETWEEN 1 AND 100", found)
  condition("B.price < A.price AND 10 / B.n - A.n BETWEEN 1 AND 100", found)
  condition("B.price < 100 AND 10 / B.n BETWEEN 1 AND COUNT(*)", found)
  condition("B.price < 100 AND NEXT(10 / B.n) > 0 AND NEXT(10 / B.n) < 100", found)
  disjunction("B.price > 100 OR 10 / B.n BETWEEN 1 AND 100", "[800]")
  disjunction("B.price > A.price OR 10 / B.n + A.n BETWEEN 1 AND 100", "[800]")

  test("random conditions fail or not as they do row by row") {
    val random = new Random(1)
    def pick[T](options: T*): T = options(random.nextInt(options.size))
    def comparison() =
      s"${pick("B.price", "B.price", "B.maybe", "B.price - 1")} ${pick("<", ">", "<=", ">=")} " +
        pick("A.price", "A.price", "A.price - 40", "100")
    def part(fallible: Boolean) =
      if (fallible) s"10 / B.n > ${pick("0", "A.price - 100")}" else comparison()
    def group(word: String, other: String, depth: Int): String =
      (0 until 2 + random.nextInt(2))
        .map { i =>
          if (depth > 0 && random.nextInt(4) == 0) s"(${group(other, word, depth - 1)})"
          else part(random.nextInt(if (i == 0) 2 else 5) == 0)
        }
        .mkString(s" $word ")
    val found = (0 until Sampled.size(40, 12)).map { _ =>
      val (word, other) = pick("AND" -> "OR", "OR" -> "AND")
      val condition = group(word, other, 1)
      val sql = s"""SELECT * FROM ($input) MATCH_RECOGNIZE (ORDER BY id MEASURES LAST(id) AS l
        |  PATTERN (A ${pick("X*? B", "B+ X")}) DEFINE A AS id = 0, B AS $condition)""".stripMargin
      val ends = ways.take(2).map(outcome(sql, _))
      assert(ends.distinct.size == 1, sql)
      ends.head
    }
    assert(found.count(_ == fails) > Sampled.size(5, 1) && found.distinct.size > Sampled.size(3, 1))
  }

  test("a filter of an aggregate") {
    check(
      "FILTER",
      s"""SELECT * FROM ($input) MATCH_RECOGNIZE (ORDER BY id
         |  MEASURES COUNT(*) FILTER (WHERE n <> 0 AND 10 / n BETWEEN 1 AND 100) AS c
         |  PATTERN (A+) DEFINE A AS COUNT(*) FILTER (WHERE n <> 0 AND 10 / n > 0 AND 10 / n < 11) >= 0)
         |""".stripMargin,
      "[999]"
    )
  }

  // Sums in another order, 0.6000000000000001 and 0.6: Spark takes them for one common expression.
  private val sums = "(B.n * 0.1D + B.n * 0.2D) + B.n * 0.3D > 0.6D AND " +
    "B.n * 0.1D + (B.n * 0.2D + B.n * 0.3D) < 0.6000000000000001D"
  condition(sums, "[1]")
  condition(s"$sums AND B.price > A.price", "[1]")
  condition(s"COUNT(*) > 0 AND $sums", "[1]")
}
