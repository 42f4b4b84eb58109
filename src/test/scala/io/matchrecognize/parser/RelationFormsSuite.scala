package io.matchrecognize.parser

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedSubqueryColumnAliases
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.execution.SparkSqlParser
import org.scalatest.funsuite.AnyFunSuite

/**
 * The clause after and before every form of relation of Spark's grammar. Its input is the plan that
 * Spark's own parser makes of the relation, and the plan around it is that of a table in its place.
 */
class RelationFormsSuite extends AnyFunSuite with ParserSupport {
  import RelationFormsSuite._

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

  readRelations.foreach { text =>
    test(s"after $text") {
      checkInput(text, "", "", Nil)
      checkInput(text, " s", "s", Nil)
      checkInput(text, " AS s", "s", Nil)
      checkInput(text, " AS s (a, b)", "s", Seq("a", "b"))
      checkInput(text, " s(a)", "s", Seq("a"))
      checkInput(text, " `s s`", "s s", Nil)
      checkInput(text, " AS data (a)", "data", Seq("a"))
      checkInput(text, " data", "data", Nil)
    }
  }

  readStatements.foreach { statement =>
    test(s"in ${statement.replace("%s", "MR")}") {
      Seq(
        "t",
        "t s",
        "t AS s (a, b)",
        "data",
        "t TABLESAMPLE (2 ROWS)",
        "t WITH ('a' = 'b') TABLESAMPLE (2 ROWS) AS s",
        "(SELECT * FROM t TABLESAMPLE (2 ROWS)) s",
        "VALUES (1), (2)",
        "f(1) AS s"
      ).filter(input => isAllowed(statement, input)).foreach(checkAround(statement, _))
    }
  }

  /** MERGE reads a table or a query. */
  private def isAllowed(statement: String, input: String): Boolean =
    isRead(statement.replace("%s", input.stripSuffix(" s")))

  readFollowers.foreach { follower =>
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
      s"SELECT * FROM t LATERAL VIEW explode(a) x AS y $mr",
      s"SELECT * FROM t LATERAL VIEW explode(a) x $mr"
    ).foreach(checkRefused)
  }
}

private object RelationFormsSuite {
  private val mr =
    "MATCH_RECOGNIZE (ORDER BY k MEASURES count(*) AS c PATTERN (A+) DEFINE A AS v > 1)"
  private val table = Rendered.table

  // About what Spark 4.0 has.
  private final val MinRelations = 80
  private final val MinStatements = 45
  private final val MinFollowers = 30

  private val tables = Seq(
    "t",
    "a.b.t",
    "`a b`.`t`",
    "data",
    "a.table",
    "IDENTIFIER('t')",
    "IDENTIFIER('a' || 'b')",
    "t VERSION AS OF 1",
    "t VERSION AS OF '1'",
    "t FOR VERSION AS OF 1",
    "t FOR SYSTEM_VERSION AS OF 1",
    "t@1",
    "t@v1",
    "t TIMESTAMP AS OF '2020-01-01'",
    "t TIMESTAMP AS OF current_timestamp",
    "t TIMESTAMP AS OF current_timestamp()",
    "t TIMESTAMP AS OF (current_timestamp())",
    "t TIMESTAMP AS OF (x)",
    "t TIMESTAMP AS OF x",
    "t TIMESTAMP AS OF x + f (x)",
    "t TIMESTAMP AS OF x[0]",
    "t TIMESTAMP AS OF x COLLATE UTF8_BINARY",
    "t TIMESTAMP AS OF 12L",
    "t TIMESTAMP AS OF 1.5",
    "t TIMESTAMP AS OF 1e3",
    "t TIMESTAMP AS OF ?",
    "t TIMESTAMP AS OF :p",
    "t TIMESTAMP AS OF :limit",
    "t TIMESTAMP AS OF x DIV y",
    "t TIMESTAMP AS OF CASE WHEN x THEN y END",
    "t TIMESTAMP AS OF now() - INTERVAL 1 DAY",
    "t TIMESTAMP AS OF now() - INTERVAL '1' DAY",
    "t TIMESTAMP AS OF match_recognize(pattern(x))",
    "t FOR SYSTEM_TIME AS OF DATE '2020-01-01'",
    "t FOR TIMESTAMP AS OF (SELECT max(x) FROM u)",
    "t CHANGES FROM VERSION 1 TO VERSION 2",
    "t CHANGES FROM VERSION 1 INCLUSIVE",
    "t CHANGES FROM TIMESTAMP x TO TIMESTAMP y",
    "t WITH ('a' = 'b')",
    "t WITH (a = 'b', c)",
    "t WITH (a)",
    "t TIMESTAMP AS OF x WITH (a)"
  )

  private val queries = Seq(
    "(SELECT * FROM t)",
    "(SELECT * FROM t TABLESAMPLE (2 ROWS))",
    "(WITH c AS (SELECT 1) SELECT * FROM c)",
    "(VALUES (1, 2))",
    "(TABLE t)",
    "(FROM t SELECT a)",
    "(FROM t |> WHERE a > 1)",
    "(SELECT 1 UNION ALL SELECT 2)",
    "(SELECT TRANSFORM (a) USING 'cat' AS (z STRING) FROM t)",
    "(a JOIN b ON a.x = b.x)",
    "(a JOIN b USING (k))",
    "(a CROSS JOIN b)",
    "(a)",
    "(t AS s)",
    "(t TABLESAMPLE (2 ROWS))"
  )

  private val others = Seq(
    "VALUES 1, 2",
    "VALUES (1, 2), (3, 4)",
    "VALUES (a)",
    "range(10)",
    "f(1, x => 2)",
    "a.f(1)",
    "f(TABLE t)",
    "f(TABLE (SELECT * FROM t) PARTITION BY a ORDER BY b)",
    "match_recognize(1 + 1)",
    "over(1)",
    "UNNEST(array(1, 2))",
    "UNNEST(array(1, 2)) WITH ORDINALITY",
    "JSON_TABLE(x, '$' COLUMNS (a INT PATH '$.a'))",
    "STREAM t",
    "STREAM a.b.t",
    "STREAM(t)",
    "STREAM t WITH (a)",
    "STREAM t WITH ('a' = 'b')",
    "STREAM t CHANGES FROM VERSION 1",
    "STREAM t IDENTIFIED BY x",
    "STREAM f(1)",
    "STREAM(f(1))",
    "t PIVOT (sum(a) FOR k IN (1, 2))",
    "t UNPIVOT (a FOR k IN (b, c))",
    "t UNPIVOT INCLUDE NULLS (a FOR k IN (b, c))",
    "t BIN BY (RANGE a TO b BIN WIDTH 1 DISTRIBUTE UNIFORM (c))"
  )

  private val samples = Seq(
    " TABLESAMPLE (2 ROWS)",
    " TABLESAMPLE (10 PERCENT)",
    " TABLESAMPLE (10 PERCENT) REPEATABLE (3)",
    " TABLESAMPLE (a ROWS)",
    " TABLESAMPLE (BUCKET 1 OUT OF 2)",
    " TABLESAMPLE BERNOULLI (10 PERCENT)"
  )
  private val watermark = " WATERMARK ts DELAY OF INTERVAL"
  private val watermarks = Seq(
    s"$watermark 1 MINUTE",
    s"$watermark '1' MINUTE",
    s"$watermark '1:00' MINUTE TO SECOND",
    s"$watermark 1 MINUTE 2 SECONDS",
    " WATERMARK f(a) AS ts DELAY OF INTERVAL 1 DAY"
  )

  private val relations: Seq[String] = tables ++ queries ++ others ++
    (for {
      input <- Seq(
        "t",
        "data",
        "t WITH (a)",
        "t WITH ('a' = 'b')",
        "t TIMESTAMP AS OF (current_timestamp())",
        "t VERSION AS OF 1",
        "IDENTIFIER('t')",
        "(SELECT * FROM t)",
        "(SELECT * FROM t WATERMARK ts DELAY OF INTERVAL 1 MINUTE)",
        "(a JOIN b)"
      )
      sample <- "" +: samples
      delay <- "" +: watermarks
      if sample.nonEmpty || delay.nonEmpty
      // Not all pairs.
      if sample.length < 25 || delay.length < 40
    } yield input + sample + delay) ++
    (for (input <- Seq("f(1)", "STREAM t", "STREAM t WITH (a)"); delay <- watermarks)
      yield input + delay)

  /** Statements with a relation. */
  private val statements = Seq(
    "SELECT * FROM %s",
    "SELECT * FROM a, %s",
    "SELECT * FROM %s, a",
    "SELECT * FROM a JOIN %s ON a.x = 1",
    "SELECT * FROM a JOIN %s USING (k)",
    "SELECT * FROM a NATURAL JOIN %s",
    "SELECT * FROM a LEFT OUTER JOIN %s ON true",
    "SELECT * FROM a LEFT SEMI JOIN %s ON true",
    "SELECT * FROM a CROSS JOIN %s",
    "SELECT * FROM a ASOF JOIN %s MATCH_CONDITION (a.x > 1) USING (k)",
    "SELECT * FROM a JOIN %s APPROX NEAREST 3 BY DISTANCE a.x - 1",
    "SELECT * FROM a JOIN (b JOIN %s ON true) ON true",
    "SELECT * FROM (%s JOIN a ON true) AS j",
    "SELECT * FROM (%s) AS j",
    "SELECT * FROM (SELECT * FROM %s) TABLESAMPLE (2 ROWS)",
    "SELECT * FROM a WHERE x IN (SELECT y FROM %s)",
    "SELECT * FROM a WHERE EXISTS (SELECT y FROM %s WHERE y = x)",
    "SELECT (SELECT max(c) FROM %s) AS x",
    "WITH w AS (SELECT * FROM %s) SELECT * FROM w",
    "SELECT 1 UNION ALL SELECT * FROM %s",
    "SELECT * FROM %s EXCEPT SELECT 1",
    "SELECT * FROM %s INTERSECT SELECT 1 ORDER BY 1 LIMIT 2",
    "SELECT * FROM a LATERAL VIEW explode(x) e AS y UNION SELECT * FROM %s",
    "SELECT /*+ BROADCAST(a) */ * FROM %s",
    "SELECT TRANSFORM (a) USING 'cat' AS (z STRING) FROM %s",
    "FROM %s SELECT *",
    "FROM %s SELECT * WHERE a > 1",
    "FROM %s MAP a USING 'cat' AS (z STRING)",
    "FROM %s REDUCE a USING 'cat' AS (z STRING)",
    "FROM %s INSERT INTO x SELECT a INSERT INTO y SELECT b",
    "MAP a USING 'cat' AS (z STRING) FROM %s",
    "FROM %s |> TABLESAMPLE (1 ROWS)",
    "FROM %s |> WHERE a |> TABLESAMPLE (1 ROWS)",
    "FROM %s |> SELECT a |> LIMIT 1",
    "FROM %s |> AS x |> JOIN b ON true",
    "FROM a |> JOIN %s ON true |> TABLESAMPLE (1 ROWS)",
    "FROM a |> UNION ALL SELECT * FROM %s",
    "FROM %s | WHERE a",
    "INSERT INTO a SELECT * FROM %s",
    "INSERT INTO a (b) SELECT * FROM %s",
    "INSERT OVERWRITE TABLE a PARTITION (p = 1) SELECT * FROM %s",
    "INSERT INTO a BY NAME SELECT * FROM %s",
    "INSERT INTO a REPLACE WHERE x = 1 SELECT * FROM %s",
    "INSERT OVERWRITE DIRECTORY '/x' USING parquet SELECT * FROM %s",
    "CREATE TABLE a AS SELECT * FROM %s",
    "CREATE TABLE a USING parquet PARTITIONED BY (b) AS SELECT * FROM %s",
    "REPLACE TABLE a USING parquet AS SELECT * FROM %s",
    "CREATE VIEW a AS SELECT * FROM %s",
    "CREATE OR REPLACE TEMPORARY VIEW a (b) AS SELECT * FROM %s",
    "ALTER VIEW a AS SELECT * FROM %s",
    "CACHE LAZY TABLE a AS SELECT * FROM %s",
    "EXPLAIN SELECT * FROM %s",
    "EXPLAIN EXTENDED SELECT * FROM %s",
    "DESCRIBE QUERY SELECT * FROM %s",
    "DELETE FROM a WHERE x IN (SELECT y FROM %s)",
    "UPDATE a SET x = (SELECT max(y) FROM %s)",
    "MERGE INTO a USING %s ON a.x = 1 WHEN MATCHED THEN DELETE",
    "MERGE INTO a USING (SELECT * FROM %s) AS s ON a.x = 1 WHEN MATCHED THEN DELETE",
    "DECLARE x INT DEFAULT (SELECT max(y) FROM %s)",
    "SET VAR x = (SELECT max(y) FROM %s)",
    "BEGIN SELECT * FROM %s; END",
    "BEGIN DECLARE x INT DEFAULT 1; SELECT * FROM %s; SELECT x; END",
    "BEGIN IF EXISTS (SELECT 1 FROM %s) THEN SELECT 1; ELSE SELECT * FROM %s; END IF; END"
      .replaceFirst("%s\\)", "a)"),
    "BEGIN FOR r AS SELECT * FROM %s DO SELECT r.c; END FOR; END",
    "BEGIN WHILE x < (SELECT max(y) FROM %s) DO SELECT 1; END WHILE; END"
  )

  /** What follows a relation. */
  private val followers = Seq(
    "WHERE a > 1",
    "WHERE (a) > 1",
    "GROUP BY a",
    "GROUP BY a HAVING count(*) > 1",
    "HAVING true",
    "ORDER BY a",
    "SORT BY a",
    "CLUSTER BY a",
    "DISTRIBUTE BY a",
    "LIMIT 1",
    "LIMIT ALL",
    "OFFSET 1",
    "WINDOW w AS (ORDER BY a)",
    "QUALIFY row_number() OVER (ORDER BY a) = 1",
    "UNION ALL SELECT 1",
    "MINUS SELECT 1",
    "EXCEPT SELECT 1",
    "SETMINUS SELECT 1",
    "INTERSECT SELECT 1",
    "JOIN x ON true",
    "INNER JOIN x ON true",
    "CROSS JOIN x",
    "LEFT JOIN x ON true",
    "LEFT SEMI JOIN x ON true",
    "LEFT ANTI JOIN x ON true",
    "RIGHT OUTER JOIN x ON true",
    "FULL JOIN x USING (k)",
    "SEMI JOIN x ON true",
    "ANTI JOIN x ON true",
    "NATURAL JOIN x",
    "JOIN LATERAL (SELECT 1) ON true",
    "LEFT ASOF JOIN x MATCH_CONDITION (a > 1)",
    "ASOF JOIN x MATCH_CONDITION (a > 1)",
    "JOIN x EXACT NEAREST 3 BY DISTANCE a - 1",
    ", x",
    ", LATERAL (SELECT 1) AS l",
    "LATERAL VIEW explode(a) x AS y",
    "LATERAL VIEW OUTER explode(a) x AS y WHERE y > 1",
    "PIVOT (sum(a) FOR k IN (1, 2))",
    "PIVOT (sum(a) FOR k IN (1, 2)) AS p",
    "UNPIVOT (a FOR k IN (b, c))",
    "UNPIVOT EXCLUDE NULLS (a FOR k IN (b, c)) u",
    "BIN BY (RANGE a TO b BIN WIDTH 1 DISTRIBUTE UNIFORM (c))",
    "|> WHERE a",
    "|> TABLESAMPLE (1 ROWS)",
    "| WHERE a",
    ";"
  )

  /** What ends otherwise than a relation, or with a word that nobody means as an alias. */
  private val noRelations = Seq(
    "u JOIN w USING (k)",
    "u JOIN w ON (k)",
    "u JOIN w ON k",
    "u JOIN w ON u.k = w.k",
    "u WHERE (k)",
    "u WHERE k",
    "u GROUP BY (k)",
    "u GROUP BY k",
    "u GROUP BY k HAVING (k)",
    "u HAVING (k)",
    "u QUALIFY (k)",
    "u ORDER BY k",
    "u ORDER BY (k)",
    "u LIMIT (k)",
    "u LIMIT 1",
    "u OFFSET (k)",
    "u WINDOW w AS (ORDER BY k)",
    "u CROSS",
    "u LEFT",
    "u NATURAL",
    "u JOIN",
    "u WINDOW",
    "u s s",
    "u AS s AS s",
    "u AS"
  )
}
