package io.matchrecognize.parser

import java.sql.Timestamp
import java.time.{Duration, LocalDateTime}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.{Interpreted, Sampled}

/** Parameter markers where a clause has a literal, and values that depend on settings. */
class ParameterPlacesSuite extends Interpreted {
  private val legacy = SQLConf.LEGACY_PARAMETER_SUBSTITUTION_CONSTANTS_ONLY.key
  private val timestampType = SQLConf.TIMESTAMP_TYPE.key

  private def clause(
      within: String = "",
      measure: String = "COUNT(*)",
      pattern: String = "A B*",
      define: String = "B AS true"
  ): String =
    "SELECT * FROM (SELECT id, id * 10 AS v, timestamp_seconds(id) AS ts FROM range(6)) " +
      s"MATCH_RECOGNIZE (ORDER BY ts MEASURES $measure AS m PATTERN ($pattern) " +
      (if (within.isEmpty) "" else s"WITHIN $within ") + s"DEFINE $define)"

  /** The first row, with named values and, where the markers are as many, with positional ones. */
  private def first(sql: String, values: (String, Any)*): Row = {
    val named = spark.sql(sql, values.toMap).head()
    val positional = values.foldLeft(sql) { case (text, (name, _)) => text.replace(s":$name", "?") }
    assert(spark.sql(positional, values.map(_._2).toArray).head() == named, positional)
    named
  }

  private def failure(sql: String, values: (String, Any)*): AnalysisException =
    intercept[AnalysisException](spark.sql(sql, values.toMap).collect())

  /** Checks a syntax error and the text at its caret. */
  private def checkSyntax(e: AnalysisException, sql: String, at: String, message: String): Unit = {
    assert(e.getCondition == "PARSE_SYNTAX_ERROR", e.getMessage)
    assert(e.getMessage.contains(message), e.getMessage)
    assert(e.startPosition.map(sql.substring(_)).exists(_.startsWith(at)), e.getMessage)
  }

  test("the bound of WITHIN") {
    val bounds = Seq("INTERVAL :w SECOND", ":w SECOND", "INTERVAL :w SECONDS")
    Sampled.oneIn(3, bounds).foreach { bound =>
      assert(first(clause(bound), "w" -> 3) == Row(4L), bound)
      assert(first(clause(bound), "w" -> "3") == Row(4L), bound)
    }
    assert(first(clause("INTERVAL :w DAY TO SECOND"), "w" -> "0 00:00:02") == Row(3L))
    assert(first(clause(":w"), "w" -> Duration.ofSeconds(2)) == Row(3L))
    val negative = failure(clause("INTERVAL :w SECOND"), "w" -> -3)
    assert(negative.getCondition == failure(clause("INTERVAL -3 SECOND")).getCondition)
  }

  test("a value that is no literal of the kind that is needed") {
    val interval = clause("INTERVAL :w SECOND")
    checkSyntax(
      failure(interval, "w" -> 3.5),
      interval,
      ":w SECOND",
      "'3.5D': :w has this value, and the literal cannot be written here"
    )
    val cast = clause(measure = "CAST(LAST(v) AS VARCHAR(:n))")
    checkSyntax(failure(cast, "n" -> "x"), cast, ":n)", "''x'': :n has this value")
    val name = clause("INTERVAL 1 SECOND").replace("DEFINE", "SUBSET U = (:p) DEFINE")
    checkSyntax(failure(name, "p" -> "A"), name, ":p)", "a pattern consists of variables")
    val noUnit = clause("INTERVAL :w")
    checkSyntax(failure(noUnit, "w" -> "3 SECONDS"), noUnit, ":w", "a bound is a number or an")
  }

  test("literals in expressions") {
    assert(
      first(clause(measure = "CAST(LAST(v) AS DECIMAL(:p, :s))"), "p" -> 9, "s" -> 2) ==
        Row(new java.math.BigDecimal("50.00"))
    )
    assert(first(clause(measure = "'a' :p"), "p" -> "b") == Row("ab"))
    assert(first(clause(measure = "PREV(v, :p)"), "p" -> 1) == Row(40L))
    assert(first(clause(pattern = "A B{:n,:m}"), "n" -> 1, "m" -> 2) == Row(3L))
    val like = clause(define = "B AS '%' LIKE :p ESCAPE :e")
    assert(first(like, "p" -> "a%", "e" -> "a") == Row(6L))
    val query = clause(measure = "(SELECT count(*) FROM (SELECT 1 FROM range(9) LIMIT :n))")
    assert(first(query, "n" -> 4) == Row(4L))
    val running = clause(measure = "FINAL LAST(v) + :p")
    assert(first(running, "p" -> -7) == Row(43L))
    assert(first(clause(measure = "1 -:p"), "p" -> -7) == Row(8))
  }

  test("the frame of a window") {
    val sql = "SELECT count(*) OVER (ORDER BY id ROWS %s PATTERN (A+) DEFINE A AS true) AS n " +
      "FROM range(9) ORDER BY id"
    assert(first(sql.replace("%s", "BETWEEN CURRENT ROW AND :p FOLLOWING"), "p" -> 2) == Row(3L))
    val short = sql.replace("%s", ":p PRECEDING")
    assert(
      failure(short, "p" -> 2).getCondition ==
        failure(short.replace(":p", "2")).getCondition
    )
  }

  test("markers without a value") {
    Seq(
      clause("INTERVAL :w SECOND"),
      clause(":w SECOND"),
      clause(measure = "'a' :w"),
      clause(measure = "CAST(LAST(v) AS VARCHAR(:w))"),
      clause(measure = ":w")
    ).foreach { sql =>
      Seq(failure(sql), failure(sql, "other" -> 1)).foreach { e =>
        assert(e.getCondition == "UNBOUND_SQL_PARAMETER", sql)
        assert(e.getMessageParameters.get("name") == "w", sql)
      }
      val positional = intercept[AnalysisException] {
        spark.sql(sql.replace(":w", "?"), Array.empty[Any])
      }
      assert(positional.getCondition == "UNBOUND_SQL_PARAMETER", sql)
    }
    // Without substitution in the text a bound has no value until the plan is analyzed.
    val bound = failure(clause(pattern = "A{:w} B"))
    assert(bound.getCondition == "MATCH_RECOGNIZE_INVALID_PATTERN.QUANTIFIER_VALUE")
    assert(bound.getMessageParameters.get("bound") == "`:w`")
    val sql = clause("INTERVAL :w SECOND")
    assert(failure(sql).startPosition.contains(sql.indexOf(":w")))
  }

  test("without substitution in the text, a marker is no literal, as outside the clause") {
    withConf(legacy -> "true") {
      Seq("INTERVAL :w SECOND", ":w SECOND").foreach { bound =>
        val sql = clause(bound)
        val e = failure(sql, "w" -> 3)
        checkSyntax(e, sql, ":w", "a bound is a number or an interval")
      }
      assert(first(clause(measure = "PREV(v, :p)"), "p" -> 1) == Row(40L))
    }
  }

  test("a timestamp has the type that it has outside the clause") {
    val sql = clause(measure = "typeof(:t) || ', ' || (:t = ts)", define = "B AS ts < :t")
      .replaceFirst("SELECT \\*", "SELECT typeof(:t) AS o, m")
    val local = LocalDateTime.parse("2024-01-01T03:04:05")
    val types = for {
      setting <- Seq("TIMESTAMP_LTZ", "TIMESTAMP_NTZ")
      substituted <- Seq("false", "true")
      value <- Seq(Timestamp.valueOf(local), local)
    } yield withConf(timestampType -> setting, legacy -> substituted) {
      val row = spark.sql(sql, Map("t" -> value)).head()
      assert(row.getString(1).startsWith(row.getString(0) + ","), (setting, substituted, value))
      row.getString(0)
    }
    assert(types.distinct.length == 2, types)
  }

  test("errors quote the marker, not the value") {
    val sql = clause(measure = "PREV(v, :p)")
    val e = failure(sql, "p" -> "x")
    assert(e.getCondition == "MATCH_RECOGNIZE_INVALID_OFFSET")
    assert(e.getMessage.contains("The offset `:p` of `PREV(v, :p)`"))
    assert(e.startPosition.contains(sql.indexOf(":p")))
    val frame = "SELECT count(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND :p FOLLOWING " +
      "PATTERN (A) DEFINE A AS true) AS n FROM range(9)"
    assert(failure(frame, "p" -> "x").getMessage.contains("ends at :p FOLLOWING"))
  }

  test("a view that the handler of a script creates keeps the values") {
    val view = "CREATE OR REPLACE TEMPORARY VIEW handled AS SELECT :v AS v, n FROM range(3) " +
      "MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS n PATTERN (A+) DEFINE A AS id < :w)"
    val values = Map[String, Any]("v" -> "a", "w" -> 2)
    Seq(
      s"BEGIN DECLARE EXIT HANDLER FOR DIVIDE_BY_ZERO $view; SELECT 1 / 0; END",
      s"BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN $view; END; SELECT 1 / 0; END",
      s"BEGIN DECLARE EXIT HANDLER FOR SQLSTATE '22012' $view; SELECT 1 / 0; END"
    ).foreach { script =>
      withConf(SQLConf.ANSI_ENABLED.key -> "true") {
        spark.sql(script, values).collect()
        assert(spark.table("handled").collect().toSeq == Seq(Row("a", 2L)), script)
        spark.sql("DROP VIEW handled")
      }
    }
    val text = view.replace("'", "''").replace(":v", "?").replace(":w", "?")
    spark.sql(s"EXECUTE IMMEDIATE '$text' USING 'a', 2").collect()
    assert(spark.table("handled").collect().toSeq == Seq(Row("a", 2L)))
    spark
      .sql(
        s"BEGIN DECLARE EXIT HANDLER FOR DIVIDE_BY_ZERO EXECUTE IMMEDIATE '$text' USING 'b', 1; " +
          "SELECT 1 / 0; END"
      )
      .collect()
    assert(spark.table("handled").collect().toSeq == Seq(Row("b", 1L)))
    spark.sql("DROP VIEW handled")
  }

  test("no value ends in an internal error") {
    val values = Seq[Any](1, "x", 2.5, true, null, Array[Byte](1), new java.math.BigDecimal("1.5"))
    val cases = for {
      sql <- Seq(
        clause("INTERVAL :w SECOND"),
        clause(":w SECOND"),
        clause(":w"),
        clause(pattern = "A{:w}"),
        clause(measure = "PREV(v, :w)"),
        clause(measure = "'a' :w"),
        clause(measure = "CAST(LAST(v) AS VARCHAR(:w))")
      )
      value <- values
    } yield (sql, value)
    Sampled.oneIn(3, cases).foreach { case (sql, value) =>
      try spark.sql(sql, Map("w" -> value)).collect()
      catch {
        case e: Throwable with SparkThrowable =>
          assert(e.getCondition != null && !e.getCondition.contains("UNEXPECTED_USE"), sql)
          assert(e.getSqlState != "XX000", e.getMessage)
      }
    }
  }
}
