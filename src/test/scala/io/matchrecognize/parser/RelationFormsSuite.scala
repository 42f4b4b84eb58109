package io.matchrecognize.parser

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedSubqueryColumnAliases
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.execution.SparkSqlParser
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled

/**
 * The clause after and before every form of relation of Spark's grammar. Its input is the plan that
 * Spark's own parser makes of the relation, and the plan around it is that of a table in its place.
 */
class RelationFormsSuite extends AnyFunSuite with ParserSupport {
  import RelationForms._
  import RelationFormsSuite._

  private val mr =
    "MATCH_RECOGNIZE (ORDER BY k MEASURES count(*) AS c PATTERN (A+) DEFINE A AS v > 1)"
  private val table = Rendered.table
  private val sparks = new SparkSqlParser

  private def parsed(sql: String): Try[LogicalPlan] = Try(parser.parsePlan(sql)) match {
    case Failure(e) if !e.isInstanceOf[AnalysisException] => fail(sql, e)
    case result => result
  }

  /** What Spark reads in FROM, without the name that Spark's parser wants for some of it. */
  private def relation(text: String): Option[LogicalPlan] =
    Try(sparks.parsePlan(s"SELECT * FROM $text AS $table")).toOption.map {
      _.children.head.transformDown {
        case SubqueryAlias(alias, child) if alias.name == table => child
      }
    }

  private def checkInput(text: String, alias: String, name: String, columns: Seq[String]): Unit =
    // The alias of a PIVOT has no columns.
    if (isRead(s"SELECT * FROM $text$alias"))
      checkReadable(text, alias, name, columns)

  private def checkReadable(
      text: String,
      alias: String,
      name: String,
      columns: Seq[String]
  ): Unit = {
    val sql = s"SELECT * FROM $text$alias $mr AS m"
    val found = parsed(sql) match {
      case Success(plan) => UnresolvedClauses.of(plan)
      case Failure(e) => fail(sql, e)
    }
    val input = relation(text).get
    val renamed =
      if (columns.isEmpty) input else new UnresolvedSubqueryColumnAliases(columns, input)
    val expected = if (name.isEmpty) input else SubqueryAlias(name, renamed)
    assert(found.length == 1, sql)
    assert(Rendered(found.head.child) == Rendered(expected), sql)
  }

  /** After a keyword that is not the name of a table. */
  private def needsAs(text: String): Boolean =
    Set("limit", "END", "INCLUSIVE", "ORDINALITY", "current_timestamp").exists(text.endsWith)

  private def checkAround(statement: String, input: String): Unit = {
    val plain = sparks.parsePlan(statement.replace("%s", table))
    val sql = statement.replace("%s", s"$input $mr")
    parsed(sql) match {
      case Success(plan) =>
        assert(Rendered(plan) == Rendered(plain), sql)
        assert(parsed(sql).isSuccess)
      case Failure(e) => fail(sql, e)
    }
  }

  private def checkRefused(sql: String): Unit =
    assert(failure(sql).getCondition == "PARSE_SYNTAX_ERROR", sql)

  /** Not every Spark minor has all forms. */
  private val readRelations = relations.filter(relation(_).isDefined)
  private val readStatements = statements.filter(text => isRead(text.replace("%s", table)))
  private val readFollowers = followers.filter(text => isRead(s"SELECT * FROM $table $text"))

  test("most forms are tested") {
    assert(readRelations.length >= MinRelations)
    assert(readStatements.length >= MinStatements)
    assert(readFollowers.length >= MinFollowers)
  }

  Sampled.oneIn(6, readRelations).foreach { text =>
    test(s"after $text") {
      checkInput(text, "", "", Nil)
      checkInput(text, " AS s", "s", Nil)
      checkInput(text, " AS s (a, b)", "s", Seq("a", "b"))
      checkInput(text, " AS data (a)", "data", Seq("a"))
      checkRefused(s"SELECT * FROM $text data $mr")
      if (!needsAs(text)) {
        checkInput(text, " s", "s", Nil)
        checkInput(text, " s(a)", "s", Seq("a"))
        checkInput(text, " `s s`", "s s", Nil)
      }
    }
  }

  Sampled.oneIn(6, readStatements).foreach { statement =>
    test(s"in ${statement.replace("%s", "MR")}") {
      Seq(
        "t",
        "t s",
        "t AS s (a, b)",
        "data",
        "t TABLESAMPLE (2 ROWS)",
        "t WITH ('a' = 'b') TABLESAMPLE (2 ROWS) AS s",
        "(SELECT * FROM t TABLESAMPLE (2 ROWS)) s",
        // What it has is not the relation's own.
        "(SELECT * FROM t WATERMARK ts DELAY OF INTERVAL 1 MINUTE)",
        "VALUES (1), (2)",
        "f(1) AS s"
      ).filter(input => isAllowed(statement, input)).foreach(checkAround(statement, _))
    }
  }

  /** MERGE reads a table or a query. */
  private def isAllowed(statement: String, input: String): Boolean =
    isRead(statement.replace("%s", input.stripSuffix(" s")))

  Sampled.oneIn(6, readFollowers).foreach { follower =>
    test(s"before $follower") {
      Seq("t", "t AS s", "a JOIN t", "(a JOIN b) s").foreach { input =>
        Seq("", " AS m", " m", " AS m (a, b)").foreach { alias =>
          val around = s"SELECT * FROM %s$alias $follower"
          if (isRead(around.replace("%s", table)) && input != "a JOIN t")
            checkAround(around, input)
        }
      }
    }
  }

  noRelations.foreach { text =>
    test(s"refused after $text")(checkRefused(s"SELECT * FROM $text $mr"))
  }

  test("refused after what is written") {
    Seq(
      s"DELETE FROM t $mr WHERE a",
      s"DELETE FROM IDENTIFIER('t') $mr WHERE a",
      s"UPDATE t $mr SET a = 1",
      s"UPDATE t AS s $mr SET a = 1",
      s"MERGE INTO t $mr USING u ON a WHEN MATCHED THEN DELETE",
      s"MERGE INTO t AS s $mr USING u ON a WHEN MATCHED THEN DELETE",
      s"INSERT INTO t $mr SELECT 1",
      s"INSERT INTO TABLE t $mr SELECT 1",
      s"INSERT OVERWRITE TABLE t $mr SELECT 1",
      s"INSERT INTO t (SELECT 1) $mr",
      s"TABLE t $mr",
      s"SELECT a $mr FROM t",
      s"SELECT a, b x $mr FROM t",
      s"SELECT join x $mr FROM t",
      s"SELECT a IS DISTINCT FROM t x $mr FROM u",
      s"SELECT a IS DISTINCT FROM (SELECT 1) x $mr FROM u",
      s"SELECT * FROM t LATERAL VIEW explode(a) x AS y $mr",
      s"SELECT * FROM t LATERAL VIEW explode(a) x $mr"
    ).foreach(checkRefused)
  }
}

private object RelationFormsSuite {
  // About what Spark 4.0 has.
  private final val MinRelations = 80
  private final val MinStatements = 45
  private final val MinFollowers = 30
}
