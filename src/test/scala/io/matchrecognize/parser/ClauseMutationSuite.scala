package io.matchrecognize.parser

import scala.util.Random

import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled

/** Damaged clauses fail immediately with a user error, never with an internal error. */
class ClauseMutationSuite extends AnyFunSuite with ParserSupport {
  private val clauses = Seq(
    """SELECT * FROM t AS s (a, b) MATCH_RECOGNIZE (
      |  PARTITION BY g ORDER BY ts DESC NULLS LAST, k
      |  MEASURES FINAL LAST ( A . v , 1 ) AS x , COUNT ( * ) n , transform ( arr , e -> e + B . v ) AS l
      |  ALL ROWS PER MATCH OMIT EMPTY MATCHES
      |  AFTER MATCH SKIP TO LAST B
      |  PATTERN ( ^ A {- B + ? -} ( C | D ) { 1 , 2 } PERMUTE ( A , B ) () $ ) WITHIN INTERVAL '1' HOUR
      |  SUBSET U = ( A , B ) , W = ( C )
      |  DEFINE A AS A . v > PREV ( A . v , 2 ) , B AS CASE WHEN v IS NULL THEN true ELSE v IN ( 1 , 2 ) END
      |) AS m ( p , q ) WHERE x > 1""".stripMargin,
    """SELECT ( SELECT max ( c ) FROM t MATCH_RECOGNIZE (
      |  MEASURES COUNT ( * ) AS c ONE ROW PER MATCH SHOW TIMEOUT MATCHES
      |  PATTERN ( A * ? B ) WITHIN 1 DAY DEFINE B AS B . v > ( SELECT max ( y ) FROM u ) ) AS m )""".stripMargin
  )
  private val words = Seq(
    "MATCH_RECOGNIZE",
    "PATTERN",
    "MEASURES",
    "DEFINE",
    "AS",
    "WITHIN",
    "SUBSET",
    "FINAL",
    "ONE",
    "ROW",
    "(",
    ")",
    ",",
    "{",
    "}",
    "{-",
    "-}",
    "*",
    "?",
    "'",
    "\"",
    "`",
    "/*",
    "--",
    "|",
    "1",
    "x",
    ".",
    "ORDER",
    "BY",
    "SELECT",
    "$",
    "->",
    "=>",
    ":",
    "[",
    "]",
    ";",
    "EXISTS",
    "INTERVAL"
  )

  private def mutate(random: Random, tokens: Vector[String]): Vector[String] = {
    val i = random.nextInt(tokens.length)
    random.nextInt(5) match {
      case 0 => tokens.patch(i, Nil, 1)
      case 1 => tokens.patch(i, Seq(words(random.nextInt(words.length))), 0)
      case 2 => tokens.updated(i, words(random.nextInt(words.length)))
      case 3 =>
        val j = random.nextInt(tokens.length)
        tokens.updated(i, tokens(j)).updated(j, tokens(i))
      case _ => tokens.patch(i, Seq(tokens(i), tokens(i)), 1)
    }
  }

  test("random damage") {
    val random = new Random(42)
    (1 to Sampled.size(3000, 600)).foreach { n =>
      val text = clauses(n % clauses.length)
      var tokens = text.split("(?<=\\s)").toVector
      (0 to random.nextInt(3)).foreach(_ => tokens = mutate(random, tokens).map(t => t + " "))
      check(tokens.mkString)
    }
  }

  test("every prefix") {
    clauses.foreach { text =>
      (1 until text.length by 3).foreach(n => check(text.take(n)))
    }
  }

  private def check(sql: String): Unit = {
    val taken = seconds {
      try {
        val parsed = parser.parsePlan(sql).treeString
        assert(!parsed.contains("__mr"), s"$sql\n$parsed")
      } catch {
        case e: AnalysisException =>
          assert(!e.getMessage.contains("__mr"), s"$sql\n${e.getMessage}")
          assert(e.getCondition != null, s"$sql\n${e.getMessage}")
          assert(!e.getCondition.startsWith("_LEGACY"), s"$sql\n${e.getMessage}")
          assert(e.getCondition != "INTERNAL_ERROR", s"$sql\n${e.getMessage}")
        case e: Exception => fail(s"$sql\n$e\n${e.getStackTrace.take(8).mkString("\n")}")
      }
    }
    assert(taken < 20, sql)
  }
}
