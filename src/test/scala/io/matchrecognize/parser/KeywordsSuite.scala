package io.matchrecognize.parser

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.parser.{ParseException, SqlBaseLexer}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.execution.SparkSqlParser
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tagobjects.Slow

import io.matchrecognize.Sampled

/** Every keyword of Spark's lexer as a name, around clauses and in statements without any. */
class KeywordsSuite extends AnyFunSuite with ParserSupport {
  import KeywordsSuite._

  private val sparks = new SparkSqlParser

  private def spark(sql: String): Option[LogicalPlan] = Try(sparks.parsePlan(sql)).toOption

  private def input(sql: String): Option[String] = Try(parser.parsePlan(sql)) match {
    case Success(plan) => Some(UnresolvedClauses.of(plan).map(c => Rendered(c.child)).mkString)
    case Failure(_: AnalysisException) => None
    case Failure(e) => fail(sql, e)
  }

  test("as the name of a table") {
    // `SELECT * FROM limit` is none to Spark, where `* FROM` is a column with a name.
    def isTable(word: String) = Seq("", " x", " AS x").forall { alias =>
      spark(s"SELECT * FROM $word$alias").exists(_.exists {
        case table: UnresolvedRelation => table.multipartIdentifier == Seq(word)
        case _ => false
      })
    }
    keywords.filter(isTable).foreach { word =>
      val plain = spark(s"SELECT * FROM $word AS x").map(_.children.head).collect {
        case SubqueryAlias(_, table: UnresolvedRelation) => Rendered(table)
      }
      assert(input(s"SELECT * FROM $word $mr") == plain, word)
      Seq(s"SELECT * FROM a JOIN %s ON true", s"SELECT * FROM a, %s WHERE a > 1")
        .filter(text => spark(text.replace("%s", s"$word AS x")).isDefined)
        .foreach { text =>
          val found = input(text.replace("%s", s"$word $mr"))
          assert(found == plain, text.replace("%s", word))
        }
      assert(input(s"SELECT * FROM b.$word $mr").isDefined, word)
    }
  }

  test("as the alias of the input") {
    keywords.foreach { word =>
      val expected = Rendered(SubqueryAlias(word, UnresolvedRelation(Seq("t"))))
      assert(input(s"SELECT * FROM t AS $word $mr").contains(expected), word)
      val bare = input(s"SELECT * FROM t $word $mr")
      val columns = input(s"SELECT * FROM t $word (k) $mr")
      if (own.contains(word) || word == "x") assert(bare.contains(expected) && columns.isDefined)
      // Options of the table, and a join, are not an alias.
      else assert(bare.isEmpty && (columns.isEmpty || Set("with", "join")(word)), word)
    }
  }

  test("the error for a keyword as an alias says to write AS") {
    Seq(
      s"SELECT * FROM t data $mr",
      s"SELECT * FROM t $mr data WHERE a > 1",
      s"SELECT * FROM a JOIN t $mr data ON true"
    ).foreach { sql =>
      val e = failure(sql)
      assert(e.getCondition == "PARSE_SYNTAX_ERROR")
      assert(e.getMessage.contains("if the keyword data is an alias here, write AS data"), sql)
    }
  }

  test("as the alias of the clause", Slow) {
    keywords.foreach { word =>
      Seq(
        s"SELECT * FROM %s AS $word",
        s"SELECT * FROM %s AS $word WHERE a > 1",
        s"SELECT * FROM %s AS $word (a, b) JOIN c ON true",
        s"SELECT * FROM %s $word",
        s"SELECT * FROM %s $word ORDER BY a",
        s"SELECT * FROM %s $word JOIN c ON true"
      ).foreach { text =>
        val plain = spark(text.replace("%s", Rendered.table)).map(Rendered(_))
        val found = Try(parser.parsePlan(text.replace("%s", s"t $mr"))) match {
          case Success(plan) => Some(Rendered(plan))
          case Failure(_: AnalysisException) => None
          case Failure(e) => fail(text, e)
        }
        if (text.contains("AS ")) assert(plain.isEmpty || found == plain, text)
        else assert(found == plain || found.isEmpty && !own.contains(word), text)
      }
    }
  }

  test("before and after functions with the names of a clause", Slow) {
    for {
      word <- keywords
      text <- Seq(
        s"SELECT $word match_recognize(x + 1) FROM t",
        s"SELECT a $word match_recognize(x + 1) FROM t",
        s"SELECT a, $word FROM t $word match_recognize (a)",
        s"SELECT $word over(pattern(x)) FROM t",
        s"SELECT a $word over(pattern(x)) FROM t",
        s"SELECT over $word over FROM t AS over",
        s"SELECT $word(match_recognize(pattern(x))) FROM t",
        s"SELECT f(a $word match_recognize(pattern(x))) FROM t"
      )
    } checkPlain(text)
  }

  test("a clause in an argument of a function called match_recognize") {
    val argument = s"match_recognize(pattern(x), (SELECT max(c) FROM t $mr AS m))"
    Seq(
      "SELECT trim(BOTH %s FROM s) FROM t",
      "SELECT trim(LEADING %s FROM s) FROM t",
      "SELECT overlay(s PLACING %s FROM 2) FROM t",
      "SELECT substring(s FROM 1 FOR %s) FROM t",
      "SELECT %s, CASE WHEN %s THEN 1 END FROM t WHERE %s"
    ).foreach { shape =>
      val text = shape.replace("%s", argument)
      val plain = spark(shape.replace("%s", "match_recognize(pattern(x), (SELECT max(c) FROM t))"))
      assert(plain.isDefined, text)
      val clauses = Try(parser.parsePlan(text)) match {
        case Success(plan) => UnresolvedClauses.of(plan).length
        case Failure(e) => fail(text, e)
      }
      assert(clauses == shape.split("%s", -1).length - 1, text)
    }
  }

  plain.foreach(text => test(s"plain: $text")(checkPlain(text)))

  test("words of a window as names beside a row pattern window") {
    val window = "WINDOW w AS (ORDER BY k MEASURES v AS m " +
      "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A+))"
    val shapes = Seq(
      "SELECT m OVER w AS c, %s FROM t #",
      "SELECT m OVER w AS c FROM t, %s AS o WHERE %s IS NOT NULL #",
      "SELECT m OVER w AS c FROM t # ORDER BY %s DESC",
      "SELECT count(*) OVER w AS c FROM t AS %s #",
      "SELECT CASE WHEN %s THEN %s ELSE %s END AS x, count(*) OVER w AS c FROM t #",
      "SELECT m OVER w AS c, %s.%s AS x, a AS %s FROM t GROUP BY %s #"
    )
    var compared = 0
    for (
      shape <- shapes; word <- Seq("over", "pattern", "measures", "define", "within", "window")
    ) {
      def read(name: String) = shape.replace("%s", name)
      def plain(name: String) =
        spark(read(name).replace("OVER w", "").replace("#", "")).map(Rendered(_))
      if (plain(word).nonEmpty && plain(word) == plain(s"`$word`")) {
        def parsed(name: String) = Rendered(parser.parsePlan(read(name).replace("#", window)))
        compared += 1
        assert(parsed(word) == parsed(s"`$word`"), read(word))
      }
    }
    assert(compared > 15)
  }

  private def checkPlain(text: String): Unit =
    (Try(sparks.parsePlan(text)), Try(parser.parsePlan(text))) match {
      case (Success(a), Success(b)) => assert(Rendered(a) == Rendered(b), text)
      case (Failure(a: ParseException), Failure(b: AnalysisException)) =>
        val isClause = text.contains("match_recognize(pattern") || text.contains("over(pattern") ||
          own.exists(word => text.contains(s"$word match_recognize("))
        assert(isClause || a.getMessage == b.getMessage, text)
      case (a, b) => fail(s"$text\n$a\n$b")
    }
}

private object KeywordsSuite {
  private val mr =
    "MATCH_RECOGNIZE (ORDER BY k MEASURES count(*) AS c PATTERN (A+) DEFINE A AS v > 1)"

  /** Words of the clause that Spark does not know. */
  private lazy val own: Seq[String] =
    "pattern define measures subset match permute prev final running seek initial".split(' ').toSeq

  private val keywords: Seq[String] = {
    val names = SqlBaseLexer.VOCABULARY
    val words = (1 to names.getMaxTokenType)
      .flatMap(i => Option(names.getLiteralName(i)))
      .map(_.stripPrefix("'").stripSuffix("'"))
      .filter(_.matches("[A-Z][A-Z_]*"))
      .map(_.toLowerCase(java.util.Locale.ROOT))
    Sampled.oneIn(18, words) ++ own
  }

  /** Statements without a clause, in which its words name functions, tables and columns. */
  private val plain = {
    val call = Seq("match_recognize(x + 1)", "match_recognize(pattern(x))", "over(pattern(x))")
    val shapes = Seq(
      "SELECT %s FROM t",
      "SELECT DISTINCT %s FROM t",
      "SELECT trim(BOTH %s FROM s) FROM t",
      "SELECT trim(LEADING %s FROM s) FROM t",
      "SELECT trim(TRAILING FROM %s) FROM t",
      "SELECT substring(s FROM %s FOR %s) FROM t",
      "SELECT overlay(s PLACING %s FROM %s FOR %s) FROM t",
      "SELECT position(%s IN %s) FROM t",
      "SELECT extract(YEAR FROM %s) FROM t",
      "SELECT s REGEXP %s, s RLIKE %s, s NOT LIKE %s, s ILIKE %s, s DIV %s FROM t",
      "SELECT s BETWEEN %s AND %s, s IS DISTINCT FROM %s, s | %s, s & %s, %s[0], -%s FROM t",
      "SELECT CASE %s WHEN %s THEN %s ELSE %s END FROM t",
      "SELECT CAST(%s AS INT), %s::INT, struct(%s), (%s, %s), x -> %s FROM t",
      "SELECT f(DISTINCT %s), f(ALL %s), f(x => %s), f(x) FILTER (WHERE %s) FROM t",
      "SELECT sum(%s) OVER (PARTITION BY %s ORDER BY %s ROWS BETWEEN %s PRECEDING AND CURRENT ROW) FROM t",
      "SELECT * FROM %s",
      "SELECT * FROM a JOIN %s ON %s",
      "SELECT * FROM a, LATERAL %s",
      "SELECT * FROM STREAM %s",
      "SELECT * FROM t LATERAL VIEW OUTER %s v AS c",
      "SELECT * FROM t LATERAL VIEW %s v AS c",
      "SELECT * FROM t TIMESTAMP AS OF %s",
      "SELECT * FROM t WHERE %s GROUP BY %s HAVING %s ORDER BY %s LIMIT %s OFFSET 1",
      "SELECT * FROM t SORT BY %s",
      "SELECT * FROM t QUALIFY %s",
      "SELECT * FROM t TABLESAMPLE (%s ROWS)",
      "FROM t |> EXTEND %s AS x",
      "FROM t |> EXTEND %s",
      "FROM t |> AGGREGATE %s GROUP BY %s",
      "FROM t |> SET a = %s",
      "FROM t |> WHERE %s |> SELECT %s |> ORDER BY %s",
      "VALUES (%s), (%s)",
      "EXECUTE IMMEDIATE %s",
      "EXECUTE IMMEDIATE 'SELECT ?' USING %s",
      "CALL p(%s)",
      "SET VAR x = %s",
      "DECLARE x INT DEFAULT %s",
      "INSERT INTO t VALUES (%s)",
      "UPDATE t SET a = %s WHERE %s",
      "DELETE FROM t WHERE %s",
      "MERGE INTO t USING u ON %s WHEN MATCHED AND %s THEN UPDATE SET a = %s",
      "CREATE FUNCTION f(x INT) RETURNS INT RETURN %s",
      "CREATE TABLE t (a INT DEFAULT %s)",
      "BEGIN IF %s THEN SELECT %s; ELSEIF %s THEN SELECT 1; END IF; WHILE %s DO SELECT 1; END WHILE; END",
      "SELECT * FROM t PIVOT (sum(%s) FOR k IN (1))"
    )
    (for (shape <- shapes; name <- call) yield shape.replace("%s", name)) ++ Seq(
      "SELECT over, pattern FROM over AS over, pattern AS pattern WHERE over IS NOT NULL ORDER BY over DESC",
      "SELECT CASE WHEN over THEN over ELSE over END FROM t, over AS o WHERE pattern > 1",
      "SELECT over.over, pattern.pattern(x) FROM over",
      "SELECT sum(x) OVER w, over FROM t, over WINDOW w AS (ORDER BY pattern(x)), over AS (ORDER BY x)",
      "SELECT measures(x), define(x), subset(x), within(x), match(x), permute(x), final(x) FROM pattern",
      "SELECT within, pattern FROM t WHERE within > pattern(within)",
      "SELECT $$match_recognize (pattern (a))$$ AS over, pattern('x')",
      "SELECT r'over (pattern (a))' AS over"
    )
  }
}
