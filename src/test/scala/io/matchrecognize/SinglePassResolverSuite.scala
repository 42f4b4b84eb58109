package io.matchrecognize

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.{Row, SparkSession}

/**
 * Spark's single-pass resolver, which does not run the rules of extensions, under each setting that
 * some minor has for it. A minor takes no notice of those that it lacks.
 */
class SinglePassResolverSuite extends Interpreted {
  private final val Prefix = "spark.sql.analyzer.singlePassResolver."
  private final val Enabled = s"${Prefix}enabled"
  private final val Clause = "MATCH_RECOGNIZE (PARTITION BY k ORDER BY t " +
    "MEASURES FIRST(v) AS f, COUNT(*) AS n PATTERN (A B+) DEFINE B AS v > PREV(v))"

  private val queries: Seq[(String, String)] = Seq(
    "the clause" -> s"SELECT * FROM resolved $Clause",
    "a filter and an order above it" -> s"SELECT f FROM resolved $Clause WHERE n > 1 ORDER BY f",
    "WITH" -> s"WITH q AS (SELECT * FROM resolved) SELECT * FROM q $Clause",
    "in WITH" -> s"WITH q AS (SELECT * FROM resolved $Clause) SELECT a.k FROM q a JOIN q b USING (k)",
    "in a subquery" -> s"SELECT (SELECT MAX(n) FROM resolved $Clause) AS m",
    "a window" -> ("SELECT k, n OVER w AS n FROM resolved WINDOW w AS (PARTITION BY k ORDER BY t " +
      "MEASURES COUNT(*) AS n ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING " +
      "PATTERN (A B+) DEFINE B AS v > PREV(v))"),
    "a view" -> "SELECT * FROM resolved_view",
    "a view beside a table" -> "SELECT k FROM resolved_view JOIN resolved USING (k)",
    "a temporary view" -> "SELECT * FROM resolved_temp WHERE n > 1"
  )

  /** Settings under which Spark asks the other analyzer for what it cannot resolve. */
  private val settings: Seq[Seq[String]] = Seq(
    Seq("enabledTentatively"),
    Seq("dualRunWithLegacy"),
    Seq("dualRunWithLegacy", "returnSinglePassResultInDualRun"),
    Seq("dualRunWithLegacy", "runExtendedResolutionChecks", "runHeavyExtendedResolutionChecks"),
    Seq("enabledTentatively", "preventUsingAliasesFromNonDirectChildren", "validationEnabled")
  )

  private def under[T](names: String*)(body: => T): T =
    withConf(
      (names.map(name => s"$Prefix$name" -> "true") :+ s"${Prefix}dualRunSampleRate" -> "1.0"): _*
    )(body)

  private def found(query: String): Seq[Row] = rows(query).sortBy(_.toString)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql("CREATE TABLE resolved (k INT, t INT, v INT) USING parquet")
    spark.sql(
      "INSERT INTO resolved VALUES (1, 1, 5), (1, 2, 6), (1, 3, 7), (2, 1, 3), (2, 2, 4), (3, 1, 9)"
    )
    spark.sql(s"CREATE VIEW resolved_view AS SELECT * FROM resolved $Clause")
    spark.sql(s"CREATE TEMPORARY VIEW resolved_temp AS SELECT * FROM resolved $Clause")
  }

  override protected def afterAll(): Unit =
    try spark.sql("DROP VIEW resolved_temp")
    finally super.afterAll()

  Sampled.oneIn(9, settings).foreach { names =>
    test(s"the same rows under ${names.mkString(", ")}") {
      Sampled.oneIn(3, queries).foreach { case (name, query) =>
        val expected = found(query)
        assert(expected.nonEmpty, name)
        assert(under(names: _*)(found(query)) == expected, name)
      }
      under(names: _*) {
        val frame = spark.sql(queries.head._2)
        assert(frame.filter("n > 2").join(frame, "k").select(frame("k")).collect().length == 1)
      }
    }
  }

  queries.foreach { case (name, query) =>
    test(s"with the single-pass resolver alone, an error says what to set: $name") {
      val error = intercept[ParseException](under("enabled")(spark.sql(query)))
      assert(error.getCondition == "FEATURE_NOT_ENABLED")
      assert(error.getMessageParameters.get("configKey") == s"\"$Enabled\"")
      assert(error.getMessageParameters.get("configValue") == "\"false\"")
    }
  }

  /** Two sessions, of which one has the single-pass resolver alone. */
  private def besideAnother(body: SparkSession => Unit): Unit = {
    val other = spark.newSession()
    other.conf.set(Enabled, "true")
    try body(other)
    finally SparkSession.setActiveSession(spark)
  }

  private def checkBoth(other: SparkSession, query: String): Unit = {
    assert(intercept[ParseException](other.sql(query)).getCondition == "FEATURE_NOT_ENABLED", query)
    assert(spark.sql(query).collect().nonEmpty, query)
  }

  test("a query is refused by the setting of its session, whichever is active") {
    val clauses = Seq("SELECT * FROM resolved_view", queries.head._2)
    val condition = s"k IN (SELECT k FROM resolved $Clause)"
    besideAnother { other =>
      Seq(spark, other).foreach { active =>
        SparkSession.setActiveSession(active)
        clauses.foreach(checkBoth(other, _))
        val error = intercept[ParseException](other.table("resolved").where(condition))
        assert(error.getCondition == "FEATURE_NOT_ENABLED")
        assert(spark.table("resolved").where(condition).collect().nonEmpty)
      }
    }
  }

  test("with the single-pass resolver alone, plain queries are Spark's") {
    under("enabled") {
      assert(spark.sql("SELECT k FROM resolved WHERE t = 3").collect().toSeq == Seq(Row(1)))
    }
  }

  test("a DataFrame with a clause that was made before has Spark's error") {
    val frame = spark.sql(queries.head._2)
    val error = intercept[SparkThrowable](under("enabled")(frame.filter("n > 2")))
    assert(error.getCondition == "UNSUPPORTED_SINGLE_PASS_ANALYZER_FEATURE")
  }
}
