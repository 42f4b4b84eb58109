package io.matchrecognize.plans.advice

import scala.collection.mutable.ArrayBuffer

import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.{Level, LogManager}

import io.matchrecognize.QuerySuite
import io.matchrecognize.execution.plan.MatchRecognizeExec

/** What is accepted and rarely meant is told in EXPLAIN FORMATTED, and once in the log. */
class ClauseWarningsSuite extends QuerySuite {
  private def query(clause: String): String =
    s"SELECT * FROM (SELECT id AS k, id % 3 AS v FROM range(9)) MATCH_RECOGNIZE ($clause)"

  private def warnings(clause: String): Seq[String] = {
    val plan = spark.sql(s"EXPLAIN FORMATTED ${query(clause)}").collect().head.getString(0)
    plan.linesIterator.filter(_.startsWith("Warning: ")).map(_.drop(9)).toSeq
  }

  private val noRow = "which has no row yet where PATTERN has"

  Seq(
    "MEASURES COUNT(*) AS n PATTERN (A+)" -> Seq("There is no ORDER BY"),
    "ORDER BY k PATTERN (STRT DONW* DOWN+) DEFINE DOWN AS v < PREV(v)" ->
      Seq("DONW has no definition and matches any row. DEFINE has DOWN"),
    "ORDER BY k PATTERN (A B) DEFINE B AS v > 1" -> Nil,
    "PARTITION BY lower('K') ORDER BY v, 1 + 1 PATTERN (A)" ->
      Seq("PARTITION BY 'k' is a constant and separates no rows", "ORDER BY 2 is a constant"),
    "PARTITION BY 'EU' AS region, k % 2 ORDER BY v PATTERN (A)" -> Nil,
    "ORDER BY k PATTERN (A PERMUTE(B C)) DEFINE B AS v > 1" -> Seq("PERMUTE(B C) has one element"),
    "ORDER BY k PATTERN (PERMUTE(B, C)) DEFINE B AS v > 1" -> Nil,
    "ORDER BY k PATTERN (PERMUTE B C) DEFINE B AS v > 1" -> Seq("write PERMUTE(A, B)"),
    "ORDER BY k PATTERN (A or not B) DEFINE B AS v > 1" ->
      Seq("or is a variable in PATTERN", "not is a variable in PATTERN"),
    "ORDER BY k PATTERN (A NOT B) DEFINE NOT AS v > 1" -> Nil,
    "ORDER BY k PATTERN (A) DEFINE A AS k > 1 AND v = NULL" ->
      Seq("The condition of A is never true, because a part of it is NULL"),
    "ORDER BY k PATTERN (A | B) DEFINE A AS 1 > 2" -> Seq("The condition of A is never true."),
    "ORDER BY k PATTERN (A | B | C) DEFINE A AS v > 10 AND k < 5 AND v < 3, B AS v BETWEEN 3 AND 1, " +
      "C AS 1 = PREV(v) AND PREV(v) > 1" ->
      Seq("A", "B", "C").map(name => s"$name is never true: two of its parts exclude each other."),
    "ORDER BY k PATTERN (A | B) DEFINE A AS v >= 1 AND v <= 1 AND v > 0, B AS PREV(v) > 2 AND v < 1" ->
      Nil,
    "ORDER BY k PATTERN (A) DEFINE A AS v IS NULL" -> Nil,
    "ORDER BY k PATTERN (A B) DEFINE A AS v > B.v" -> Seq(s"reads B, $noRow A"),
    "ORDER BY k PATTERN (A (B | C)) DEFINE C AS v > PREV(LAST(B.v))" -> Seq(s"reads B, $noRow C"),
    "ORDER BY k PATTERN (A (B | C)+) DEFINE C AS v > PREV(LAST(B.v))" -> Nil,
    "ORDER BY k PATTERN (A B C) SUBSET U = (B, C), W = (A, C) DEFINE B AS U.v > 1 AND W.v > 1" -> Nil,
    "ORDER BY k PATTERN (A B C) SUBSET U = (B, C) DEFINE A AS U.v > 1" -> Seq(s"reads U, $noRow A"),
    "ORDER BY k PATTERN (A B) DEFINE A AS COUNT(B.*) = 0 AND v < NEXT(v)" -> Nil
  ).foreach { case (clause, expected) =>
    test(clause) {
      val found = warnings(clause.replace("PATTERN (", "ALL ROWS PER MATCH PATTERN ("))
      assert(found.length == expected.length, found)
      found.zip(expected).foreach { case (text, part) => assert(text.contains(part)) }
    }
  }

  test("a run logs each warning once") {
    val said = ArrayBuffer.empty[String]
    val appender = new AbstractAppender("warnings", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit =
        said.synchronized(said += event.getMessage.getFormattedMessage): Unit
    }
    appender.start()
    val logger = LogManager.getLogger(classOf[MatchRecognizeExec].getName).asInstanceOf[Logger]
    val level = logger.getLevel
    logger.addAppender(appender)
    logger.setLevel(Level.WARN) // tests are silent otherwise
    try spark.sql(query("PARTITION BY v MEASURES COUNT(*) AS n PATTERN (A+)")).collect()
    finally {
      logger.removeAppender(appender)
      logger.setLevel(level)
    }
    assert(said.count(_.startsWith("There is no ORDER BY")) == 1, said)
  }
}
