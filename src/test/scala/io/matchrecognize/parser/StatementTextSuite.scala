package io.matchrecognize.parser

import org.apache.spark.sql.catalyst.expressions._
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.parser.statement.StatementText
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.pattern.RowPattern.{Concatenation, EndAnchor, Variable}

/** Tokens of characters that have another meaning in PATTERN than for Spark, and their places. */
class StatementTextSuite extends AnyFunSuite with ParserSupport {
  private def pattern(text: String): RowPattern = of(s"PATTERN ($text) DEFINE Z AS TRUE").pattern

  test("anchors beside each other open no string of Spark's") {
    assert(pattern("A $$") == Concatenation(Seq(Variable("A"), EndAnchor, EndAnchor)))
    assert(pattern("$A$") == Concatenation(Seq(EndAnchor, Variable("A"), EndAnchor)))
    assert(pattern("$b$ | c$$") == pattern("$ b $ | c $ $"))
  }

  test("comments right after a quantifier or a brace") {
    assert(pattern("A*/* many */B") == pattern("A* B"))
    assert(pattern("A+/* many */B?-- one\n") == pattern("A+ B?"))
    assert(pattern("A /*+ hint */ B*/* many */C") == pattern("A B* C"))
    checkFailure(
      "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A {--} B))",
      "PARSE_SYNTAX_ERROR",
      "-} B",
      "write () to match no row"
    )
  }

  test("shifts after words that can begin a type") {
    val node = of(
      "MEASURES array(1)[0] AS a, map(1, 2)[1] AS m, struct(v).v AS s, v::ARRAY<ARRAY<INT>> AS c " +
        "PATTERN (array map struct) DEFINE array AS v >> 1 > 0 AND v >>> 2 < 1"
    )
    assert(node.conditions.head.exists(_.isInstanceOf[ShiftRight]), node)
    assert(node.conditions.head.exists(_.isInstanceOf[ShiftRightUnsigned]), node)
    assert(node.measures.length == 4)
  }

  test("places are indexes of the String") {
    val sql = "SELECT '\uD83D\uDE00' AS \uD835\uDC9C, a -- \uD83D\uDE00\n, `\uD83D\uDE00`"
    val statement = new StatementText(sql)
    statement.tokens.init.foreach { token =>
      assert(sql.substring(token.getStartIndex, token.getStopIndex + 1) == token.getText)
    }
    assert(statement.tokens.map(_.getText).contains("`\uD83D\uDE00`"))
    assert(statement.tokens.find(_.getText == "a").get.getCharPositionInLine == 17)
  }

  test("long patterns and many expressions") {
    val names = (1 to 10000).map(i => s"V$i")
    Seq(" ", " | ").foreach { between =>
      val node = of(s"PATTERN (${names.mkString(between)}) DEFINE V1 AS v > 1")
      assert(node.pattern.toString.length > 50000)
    }
    val define = names.take(1000).map(n => s"$n AS $n.v > FIRST($n.v)").mkString(", ")
    assert(
      of(s"PATTERN (${names.take(1000).mkString(" ")}) DEFINE $define").conditions.length == 1000
    )
  }
}
