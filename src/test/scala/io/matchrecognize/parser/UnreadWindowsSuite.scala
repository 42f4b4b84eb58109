package io.matchrecognize.parser

import scala.util.Try

import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.execution.SparkSqlParser
import org.scalatest.funsuite.AnyFunSuite

/** Spark's own errors in statements with windows, without and with parts of row patterns. */
class UnreadWindowsSuite extends AnyFunSuite with ParserSupport {
  private val sparks = new SparkSqlParser

  test("an error in a long statement takes no longer than Spark") {
    // As a column, `measures` makes the windows be searched for parts.
    Seq("v", "measures").foreach { column =>
      val queries = (1 to 400).map(i => s"c$i AS (SELECT sum($column) OVER (ORDER BY k) FROM t)")
      val definitions = (1 to 400).map(i => s"w$i AS (ORDER BY $column)")
      Seq(
        queries.mkString("WITH ", ", ", " SELECT * FROM c1 )"),
        definitions.mkString("SELECT count(*) OVER w1 FROM t WINDOW ", ", ", " )")
      ).foreach { text =>
        val own = seconds(intercept[ParseException](sparks.parsePlan(text)))
        val ours = seconds(assert(failure(text).getCondition == "PARSE_SYNTAX_ERROR"))
        assert(ours < 5 * own + 2, text.take(80))
      }
    }
  }

  test("an error of plain SQL stays Spark's") {
    Seq(
      "SELECT over between over FROM t AS over",
      "SELECT a over f(x) FROM t",
      "SELECT * FROM t over x",
      "SELECT * FROM t AS m over x JOIN u",
      "SELECT a FROM t WHERE m over w",
      "SELECT a FROM t GROUP BY m over w",
      "SELECT a FROM t JOIN over over over ON a",
      "SELECT a over from FROM t",
      "SELECT f(a) FROM t ORDER BY a over over",
      "SELECT (SELECT 1 FROM t over u)",
      "WITH measures AS (SELECT 1), define AS (SELECT sum(v) OVER (ORDER BY k) FROM t) SELECT * FROM t )",
      "INSERT INTO t over w"
    ).foreach { text =>
      val own = Try(sparks.parsePlan(text)).failed.toOption.map(_.getMessage)
      assert(Try(parser.parsePlan(text)).failed.toOption.map(_.getMessage) == own, text)
    }
  }

  test("a measure in a list of SELECT, and parts without PATTERN") {
    Seq(
      "SELECT m OVER w FROM t",
      "SELECT a, m OVER (ORDER BY k) FROM t",
      "SELECT (SELECT 1 FROM t) + m OVER w FROM t",
      "SELECT a FROM (SELECT m OVER w FROM t)"
    ).foreach(text => assert(failure(text).getMessage.contains("a name alone is a measure"), text))
    val frame = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    Seq(
      s"SELECT sum(v) OVER (ORDER BY k $frame DEFINE A AS v > 1) FROM t",
      s"SELECT sum(v) OVER w FROM t WINDOW w AS (ORDER BY k $frame DEFINE A AS v > 1)",
      s"SELECT sum(v) OVER w FROM t WINDOW u AS (ORDER BY k), x AS u, " +
        s"w AS (ORDER BY k $frame DEFINE A AS v > 1)"
    ).foreach(text => assert(failure(text).getCondition.endsWith("MISSING_PATTERN"), text))
  }
}
