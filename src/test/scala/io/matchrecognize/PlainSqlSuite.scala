package io.matchrecognize

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.matchrecognize.ExtensionAccess
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.parser.MatchRecognizeSqlParser

/**
 * Statements without the clause have the same meaning with and without the plugin: the same
 * analysed plan, or the same error.
 */
class PlainSqlSuite extends AnyFunSuite with SharedSession {
  private lazy val plain: SparkSession = SharedSession.withoutPlugin

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    Seq(spark, plain).foreach { session =>
      session.sql(
        "CREATE OR REPLACE TEMP VIEW t AS SELECT id AS k, id % 3 AS g, id * 2 AS v, " +
          "cast(id AS STRING) AS s, array(id, 1) AS arr, named_struct('f', id) AS st, " +
          "timestamp_seconds(id) AS ts FROM range(10)"
      )
      session.sql("CREATE OR REPLACE TEMP VIEW u AS SELECT id AS k, id + 1 AS w FROM range(5)")
      session.sql("CREATE OR REPLACE TEMP VIEW match_recognize AS SELECT 1 AS pattern, 2 AS define")
    }
    val location = java.nio.file.Files.createTempDirectory("tab").toUri
    Seq(spark, plain).foreach { session =>
      session.sql(s"CREATE TABLE tab (k BIGINT, v BIGINT) USING parquet LOCATION '$location'")
    }
  }

  private val expressions = Seq(
    "k",
    "first(v)",
    "first(v) IGNORE NULLS",
    "max(v) OVER (PARTITION BY g ORDER BY k)",
    "lag(v, 1) OVER (ORDER BY k)",
    "transform(arr, x -> x + 1)",
    "CASE WHEN v > 1 THEN 'a' ELSE \"b\" END",
    "INTERVAL '1' HOUR",
    "s RLIKE r'\\d+'",
    "current_timestamp() > ts",
    "(SELECT max(w) FROM u)",
    "nosuch(v)",
    "prev(v)",
    "classifier()",
    "match_number()",
    "final",
    "running + 1",
    "struct(*)",
    "t.*",
    "`k`",
    "'MATCH_RECOGNIZE ('",
    "concat('it''s', \"match_recognize (PATTERN (A))\")",
    "percentile_cont(0.5) WITHIN GROUP (ORDER BY v)",
    "match_recognize(v)",
    "v AS match_recognize",
    "-- c\n k",
    "/* MATCH_RECOGNIZE (PATTERN (A)) */ k",
    "/* a /* MATCH_RECOGNIZE ( */ b */ k",
    "INTERVAL 'x' HOUR",
    "v +"
  )

  private val shapes = Seq(
    "SELECT %s FROM t",
    "SELECT g, %s FROM t GROUP BY g",
    "SELECT * FROM t WHERE %s",
    "FROM t |> SELECT %s",
    "SELECT %s\nFROM t -- MATCH_RECOGNIZE (\nORDER BY 1"
  )

  private val statements = Seq(
    "SELECT 1",
    "SELECT * FROM t match_recognize",
    "SELECT * FROM t match_recognize (a, b, c, d, e, f, h)",
    "SELECT match_recognize.k FROM t AS match_recognize",
    "SELECT pattern, define FROM match_recognize",
    "SELECT match_recognize.pattern FROM match_recognize",
    "SELECT * FROM match_recognize m JOIN t ON m.pattern = t.k",
    "WITH match_recognize AS (SELECT 1 AS a) SELECT * FROM match_recognize",
    "WITH match_recognize (a) AS (SELECT 1) SELECT * FROM match_recognize",
    "SELECT * FROM (SELECT 1 AS match_recognize)",
    "SELECT '/*' AS a, 'match_recognize' AS b, '*/' AS c",
    "SELECT `match_recognize` FROM (SELECT 1 AS `match_recognize`)",
    "SELECT g, sum(v) FROM t GROUP BY ALL HAVING sum(v) > 1 ORDER BY ALL",
    "SELECT * FROM t WINDOW w AS (ORDER BY k)",
    "SELECT sum(v) OVER w FROM t WINDOW w AS (PARTITION BY g ORDER BY k ROWS 2 PRECEDING)",
    "FROM t |> WHERE v > 2 |> AGGREGATE sum(v) AS q GROUP BY g |> ORDER BY q |> LIMIT 3",
    "FROM t |> EXTEND v + 1 AS w |> SET w = w + 1 |> DROP g |> AS x |> SELECT x.w",
    "CREATE OR REPLACE TEMP VIEW w (a) AS SELECT k FROM t WHERE s = 'match_recognize ('",
    "CREATE VIEW default.w AS SELECT 1 AS match_recognize",
    "CREATE TABLE w (match_recognize INT, b STRING DEFAULT 'x') USING parquet",
    "INSERT INTO tab SELECT k, v FROM t",
    "MERGE INTO tab USING u ON tab.k = u.k WHEN MATCHED THEN DELETE",
    "ALTER TABLE tab ADD COLUMNS (match_recognize INT)",
    "DESCRIBE QUERY SELECT * FROM t",
    "EXPLAIN SELECT * FROM t",
    "CACHE LAZY TABLE w AS SELECT * FROM t",
    "CREATE TEMPORARY FUNCTION f(x INT) RETURNS INT RETURN x + 1",
    "CREATE TEMPORARY FUNCTION match_recognize(x INT) RETURNS INT RETURN x + 1",
    "CREATE TEMPORARY FUNCTION f(x INT) RETURNS TABLE (a INT) RETURN SELECT x",
    "SET VAR nosuch = 1",
    "SELECT * FROM IDENTIFIER('t')",
    "SELECT $" + "{spark.sql.shuffle.partitions} AS n",
    "SELECT '$" + "{nosuch}' AS n, 'match_recognize' AS m",
    "BEGIN DECLARE x INT DEFAULT 1; SELECT x; END",
    "BEGIN\n-- match_recognize (\nSELECT 'match_recognize';\nEND",
    "EXECUTE IMMEDIATE 'SELECT k FROM t WHERE k = ?' USING 3",
    "SELECT * FROM t WHERE",
    "SELECT 'unclosed",
    "SELECT /* unclosed match_recognize (",
    "SELECT * FROM nosuch",
    "SELECT nosuch, match_recognize FROM t",
    "SELECT * FROM t match_recognize (a)",
    "SELECT match_recognize(v, 1) FROM t",
    "SELECT 1; SELECT 2",
    "",
    ";",
    "SELECT ? AS a",
    "SELECT :p AS a"
  )

  private def normalised(text: String): String = text
    .replaceAll("#\\d+L?", "#")
    .replaceAll("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "uuid")
    .replaceAll("@[0-9a-f]+", "@")
    .replaceAll("(CTERelation(Def|Ref) )\\d+", "$1")
    .replaceAll("plan_id=\\d+", "plan_id")
    .replaceAll("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d+)?", "now")

  /** The result of a statement in a session, as text. */
  private def outcome(session: SparkSession)(plan: SparkSession => String): String = {
    SparkSession.setActiveSession(session)
    try normalised(plan(session))
    catch {
      case e: Exception with SparkThrowable => normalised(s"${e.getCondition}: ${e.getMessage}")
    } finally SparkSession.setActiveSession(spark)
  }

  private def analysed(sql: String)(session: SparkSession): String = {
    val state = session.asInstanceOf[org.apache.spark.sql.classic.SparkSession].sessionState
    val parsed = state.sqlParser.parsePlan(sql)
    parsed.treeString + state.executePlan(parsed).analyzed.treeString
  }

  private def same(name: String)(plan: SparkSession => String): Unit = test(name) {
    assert(outcome(spark)(plan) == outcome(plain)(plan))
  }

  test("the sessions differ in the plugin") {
    assert(parser.isInstanceOf[MatchRecognizeSqlParser])
    assert(!SharedSession.parserOf(plain).isInstanceOf[MatchRecognizeSqlParser])
    assert(spark.sql("SELECT match_recognize_version()").head().getString(0) == BuildInfo.version)
  }

  test("applied twice, the parser is wrapped once") {
    val extensions = new org.apache.spark.sql.SparkSessionExtensions
    val provider = new MatchRecognizeExtensions
    provider(extensions)
    provider(extensions)
    new MatchRecognizeExtensions()(extensions)
    val built =
      ExtensionAccess.buildParser(extensions, spark, SharedSession.parserOf(plain))
    assert(built.isInstanceOf[MatchRecognizeSqlParser])
    assert(ExtensionAccess.buildParser(extensions, spark, built) eq built)
  }

  Sampled.oneIn(4, statements).foreach(sql => same(s"statement: $sql")(analysed(sql)))
  Sampled
    .oneIn(2, shapes.flatMap(shape => expressions.map(shape.replace("%s", _))))
    .foreach(sql => same(s"query: $sql")(analysed(sql)))

  private def withArguments(sql: String, arguments: Map[String, Any])(session: SparkSession) =
    session
      .sql(sql, arguments)
      .asInstanceOf[org.apache.spark.sql.classic.Dataset[_]]
      .queryExecution
      .analyzed
      .treeString

  private def withArguments(sql: String, arguments: Seq[Any])(session: SparkSession) =
    session
      .sql(sql, arguments.toArray)
      .asInstanceOf[org.apache.spark.sql.classic.Dataset[_]]
      .queryExecution
      .analyzed
      .treeString

  Seq(
    "SELECT :a + :b AS x",
    "SELECT * FROM t WHERE k > :a AND s = ':b' AND v < :b",
    "SELECT * FROM IDENTIFIER(:t)",
    "SELECT :nosuch",
    "SELECT :a AS match_recognize -- :c",
    "SELECT 'match_recognize (' AS m, :a AS a FROM t match_recognize"
  ).foreach { sql =>
    same(s"named: $sql")(withArguments(sql, Map[String, Any]("a" -> 1, "b" -> 2, "t" -> "t")))
  }

  Seq(
    "SELECT ? + ? AS x",
    "SELECT * FROM t WHERE k > ? AND s = '?' AND v < ?",
    "SELECT ?, ?, ?",
    "SELECT ? AS match_recognize /* ? */, ? AS b",
    "SELECT 'match_recognize (' AS m, ? AS a FROM t match_recognize WHERE k = ?"
  ).foreach(sql => same(s"positional: $sql")(withArguments(sql, Seq(1, 2))))
}
