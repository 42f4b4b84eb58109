package io.matchrecognize.parser

import org.apache.spark.sql.catalyst.expressions.{EqualTo, Literal}
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.{CreateView, Filter, LogicalPlan}
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

/**
 * Another extension's parser between ours and Spark's, as table formats add one: it gets a text
 * that it can parse, and the clauses are put into its plan.
 */
class ForeignParserSuite extends AnyFunSuite with ParserSupport {

  /** Adds a condition to every plan, and remembers the texts. */
  private final class Foreign extends SparkSqlParser {
    var texts: Seq[String] = Nil
    override def parsePlan(sqlText: String): LogicalPlan = {
      texts :+= sqlText
      super.parsePlan(sqlText) match {
        case view: CreateView => view
        case plan => Filter(EqualTo(Literal(1), Literal(1)), plan)
      }
    }
  }

  private val foreign = new Foreign
  override protected lazy val parser: ParserInterface =
    new MatchRecognizeSqlParser(foreign, () => SQLConf.get)

  private val mr =
    "MATCH_RECOGNIZE (ORDER BY k MEASURES A.v AS m PATTERN (A{1,2} $) DEFINE A AS v > 1)"

  test("its plan is kept, the clause is in it") {
    Seq(
      s"SELECT * FROM t AS s $mr AS m (x) WHERE x = 1",
      s"SELECT * FROM t $mr\nJOIN u ON true",
      s"SELECT (SELECT max(m) FROM t $mr)",
      s"FROM t |> WHERE k > 1 |> $mr AS m |> SELECT m.m"
    ).foreach { sql =>
      val result = parser.parsePlan(sql)
      assert(result.isInstanceOf[Filter], result)
      assert(sql.contains("(SELECT max") || UnresolvedClauses.of(result).length == 1, result)
      assert(!result.treeString.contains("__mr"), result)
      val text = foreign.texts.last
      assert(text.length == sql.length && !text.contains("PATTERN"), text)
      assert(text.linesIterator.length == sql.linesIterator.length)
    }
  }

  test("a view keeps the user's text") {
    val sql = s"CREATE VIEW a AS SELECT * FROM t AS s $mr AS m -- end"
    parser.parsePlan(sql) match {
      case view: CreateView =>
        assert(view.originalText.exists(text => text.contains(mr) && sql.contains(text)))
        assert(UnresolvedClauses.of(view.query).length == 1)
      case other => fail(other.treeString)
    }
  }

  test("errors around the clause are about the user's text") {
    checkFailure(
      s"SELECT * FROM t $mr AS m TABLESAMPLE (10 ROWS)",
      "PARSE_SYNTAX_ERROR",
      "TABLESAMPLE"
    )
    checkFailure(s"SELECT * FORM t $mr", "PARSE_SYNTAX_ERROR", "MATCH_RECOGNIZE")
    checkFailure(s"SELECT * FROM t WHERE k = 1 $mr", "PARSE_SYNTAX_ERROR", "MATCH_RECOGNIZE")
  }
}
