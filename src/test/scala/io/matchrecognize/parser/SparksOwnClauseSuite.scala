package io.matchrecognize.parser

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.{AnalysisException, Row, SparkSession, SparkSessionExtensions}
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.SharedSession
import io.matchrecognize.shims.ParseExceptions

/**
 * A Spark whose parser reads MATCH_RECOGNIZE itself: ours takes the clause while
 * `spark.matchRecognize.enabled` is true, and hands the statement down untouched otherwise.
 */
class SparksOwnClauseSuite extends AnyFunSuite with SharedSession {
  import SparksOwnClauseSuite._

  private lazy val session: SparkSession = {
    val own: SparkSessionExtensions => Unit = _.injectParser((_, _) => OwnParser.parser)
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    try
      SparkSession
        .builder()
        .config(spark.sparkContext.getConf.getAll.toMap)
        .withExtensions(own)
        .getOrCreate()
    finally {
      SparkSession.setActiveSession(spark)
      SparkSession.setDefaultSession(spark)
    }
  }

  /** Rows of a query, and the texts that Spark's own parser got. */
  private def run(sql: String, enabled: Boolean): (Seq[Row], Seq[String]) = {
    session.conf.set("spark.matchRecognize.enabled", enabled.toString)
    session.conf.set("own.clause.column", "n")
    OwnParser.texts = Nil
    val rows = session.sql(sql).collect().toSeq
    (rows, OwnParser.texts)
  }

  test("its parser is below ours") {
    SharedSession.parserOf(session) match {
      case ours: MatchRecognizeSqlParser => assert(delegateOf(ours) eq OwnParser.parser)
      case other => fail(other.getClass.getName)
    }
  }

  statements.foreach { case (what, sql) =>
    test(s"$what: ours reads the clause while it is enabled") {
      val (rows, texts) = run(sql, enabled = true)
      assert(rows == Seq(Row(3L)))
      assert(texts.nonEmpty)
      texts.foreach(text => assert(!text.contains("PATTERN"), text))
    }

    test(s"$what: Spark's own clause gets the text as it was written") {
      val (rows, texts) = run(sql, enabled = false)
      assert(rows == Seq(Row(ownAnswer)))
      assert(texts.contains(sql), texts)
    }
  }

  test("the setting decides statement by statement") {
    val (_, sql) = statements.head
    Seq(true, false, true, false).foreach { enabled =>
      assert(run(sql, enabled)._1 == Seq(Row(if (enabled) 3L else ownAnswer)))
    }
    session.sql("SET spark.matchRecognize.enabled = true")
    assert(session.sql(sql).head() == Row(3L))
  }

  test("parameters are handed down with the text") {
    session.conf.set("spark.matchRecognize.enabled", "false")
    val sql = s"SELECT n FROM $input MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS k > :low)"
    OwnParser.texts = Nil
    assert(session.sql(sql, Map("low" -> 1)).head() == Row(ownAnswer))
    assert(OwnParser.texts.contains(sql))
  }

  test("a view stays with the engine of its creation") {
    val (_, sql) = statements.head
    session.conf.set("spark.matchRecognize.enabled", "true")
    session.sql(s"CREATE OR REPLACE TEMP VIEW kept AS $sql")
    assert(run("SELECT * FROM kept", enabled = false)._1 == Seq(Row(3L)))
  }

  test("what only one of the two accepts") {
    val sql = s"SELECT * FROM t MATCH_RECOGNIZE ($onlyOwn)"
    session.range(3).toDF("k").createOrReplaceTempView("t")
    assert(run(sql, enabled = false)._1 == Seq(Row(ownAnswer)))
    intercept[AnalysisException](run(sql, enabled = true))
  }

  test("a mistake in its clause is shown as Spark tells it") {
    val mistake = "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY k PATTERN WRONG HERE)"
    val own = intercept[AnalysisException](run(mistake, enabled = false))
    assert(own.getCondition == "PARSE_SYNTAX_ERROR")
    assert(own.getMessageParameters.get("error") == "'HERE'")
  }

  test("statements without the clause are the delegate's in both cases") {
    Seq(true, false).foreach { enabled =>
      val sql = "SELECT 7L AS MATCH_RECOGNIZE"
      assert(run(sql, enabled) == ((Seq(Row(7L)), Seq(sql))))
    }
  }
}

object SparksOwnClauseSuite {
  private val ownAnswer = -1L
  private val onlyOwn = "ONLY SPARK READS THIS"
  private val clause =
    "MATCH_RECOGNIZE (ORDER BY k MEASURES COUNT(*) AS n PATTERN (A{2,}? $) DEFINE A AS k >= 0)"
  private val input = "(VALUES (1), (2), (3) AS t(k))"

  private val statements = Seq(
    "a query" -> s"SELECT n FROM $input $clause -- ${"\u00fc"}",
    "a subquery" -> s"SELECT (SELECT max(n)\n FROM $input $clause AS m) AS n",
    "a CTE" -> s"/* ? */ WITH m AS (SELECT * FROM $input\n$clause)\nSELECT n FROM m",
    "variables" -> s"SELECT $${own.clause.column} FROM $input $clause"
  )

  private def delegateOf(parser: MatchRecognizeSqlParser): AnyRef = {
    val field = classOf[MatchRecognizeSqlParser].getDeclaredField("delegate")
    field.setAccessible(true)
    field.get(parser)
  }

  /**
   * Reads the clause, whatever is in it, and answers with one row. All calls of a plan's parser go
   * through it, also those that only some minors have.
   */
  private object OwnParser extends InvocationHandler {
    @volatile var texts: Seq[String] = Nil

    private val spark = new SparkSqlParser

    val parser: ParserInterface = Proxy
      .newProxyInstance(getClass.getClassLoader, Array(classOf[ParserInterface]), this)
      .asInstanceOf[ParserInterface]

    override def invoke(proxy: AnyRef, method: Method, arguments: Array[AnyRef]): AnyRef = {
      val passed = (method.getName, arguments) match {
        case ("parsePlan" | "parsePlanWithParameters" | "parseQuery", Array(text: String, _*)) =>
          texts :+= text
          if (text.contains("WRONG HERE")) wrong(text)
          else if (text.contains("MATCH_RECOGNIZE (")) ownPlan +: arguments.tail
          else arguments
        case _ => arguments
      }
      try method.invoke(spark, Option(passed).getOrElse(Array.empty[AnyRef]): _*)
      catch { case e: InvocationTargetException => throw e.getCause }
    }

    private def wrong(text: String): Array[AnyRef] = {
      val position = Origin(Some(1), Some(text.indexOf("HERE")))
      val parameters = Map("error" -> "'HERE'", "hint" -> "")
      throw ParseExceptions.create(
        Some(text),
        position,
        "PARSE_SYNTAX_ERROR",
        parameters,
        Array.empty
      )
    }

    private def ownPlan: AnyRef = s"SELECT ${ownAnswer}L AS n"
  }
}
