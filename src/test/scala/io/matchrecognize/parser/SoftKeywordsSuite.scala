package io.matchrecognize.parser

import scala.util.Try

import org.apache.spark.sql.execution.SparkSqlParser
import org.scalatest.funsuite.AnyFunSuite

/**
 * Every word of the clause as a column, a variable, a qualifier, a function and an alias, in each
 * position of each part: as in backticks, where it can be nothing else.
 */
class SoftKeywordsSuite extends AnyFunSuite with ParserSupport {
  import SoftKeywordsSuite._

  private val sparks = new SparkSqlParser

  private def rendered(body: String): Try[String] =
    Try(parser.parsePlan(s"SELECT * FROM t MATCH_RECOGNIZE ($body)"))
      .map(plan => Rendered.clause(UnresolvedClauses.of(plan).head))

  /** Whether the word is a name in an expression of Spark's, which reserves some. */
  private def isName(text: String, word: String): Boolean = {
    def parsed(name: String) = Try(sparks.parseExpression(text.replace("%s", name)))
    parsed(word).toOption.exists(parsed(s"`$word`").toOption.contains)
  }

  private val expressions = Seq(
    "%s",
    "%s.n",
    "%s + 1",
    "%s - 1",
    "%s * 2",
    "%s > 1",
    "%s[0]",
    "-%s",
    "%s IS NULL",
    "%s.n + 1",
    "%s::INT",
    "(%s)",
    "a + %s",
    "a > %s.n",
    "%s(a)",
    "%s(a) + 1",
    "%s(a) > 1",
    "CASE WHEN %s THEN %s END"
  )

  private def bodies(before: Seq[String], items: Seq[String], after: Seq[String]): Seq[String] =
    for (b <- before; i <- items; a <- after) yield s"$b $i $a"

  expressions.foreach { e =>
    test(s"as $e") {
      val all =
        bodies(Seq("PARTITION BY", "PARTITION BY a,"), Seq(e, s"$e AS p", s"$e, b"), afterKeys) ++
          bodies(
            Seq("ORDER BY", "PARTITION BY p ORDER BY", "ORDER BY a,"),
            Seq(e, s"$e DESC", s"$e NULLS LAST", s"$e, b"),
            afterOrder
          ) ++
          bodies(
            Seq("MEASURES", "PARTITION BY p MEASURES", "ORDER BY k MEASURES", "MEASURES a AS y,"),
            Seq(s"$e AS x", s"$e AS x, b AS y", s"$e x"),
            afterMeasures
          ) ++
          bodies(
            Seq("PATTERN (A) DEFINE A AS", "PATTERN (A) WITHIN 5 DEFINE B AS a, A AS"),
            Seq(e, s"$e, C AS b"),
            Seq("")
          )
      for {
        (word, n) <- words.zipWithIndex
        if isName(e, word)
        // An eighth of the places, others for each word.
        (body, m) <- all.zipWithIndex
        if (n + m) % 8 == 0
        quoted <- rendered(body.replace("%s", s"`$word`")).toOption
      } {
        val text = body.replace("%s", word)
        val found = rendered(text)
        found.failed.foreach(e => fail(s"$text\n${e.getMessage}"))
        assert(found.get == quoted, text)
      }
    }
  }

  test("as a variable or a name") {
    val names = Seq(
      "ORDER BY k MEASURES LAST(%s.n) AS x PATTERN (%s) DEFINE %s AS a > 1",
      "ORDER BY k MEASURES FINAL LAST(%s.n) AS x PATTERN (%s)",
      "MEASURES count(%s.*) AS %s PATTERN (%s B) SUBSET u = (%s, B) DEFINE %s AS %s.n > 1",
      "MEASURES a %s PATTERN (A)",
      "MEASURES a %s, b AS c PATTERN (A)",
      "MEASURES a %s ONE ROW PER MATCH PATTERN (A)",
      "MEASURES a AS %s ALL ROWS PER MATCH PATTERN (A)",
      "PARTITION BY a %s, b PATTERN (A)",
      "PARTITION BY a AS %s ORDER BY k PATTERN (A)",
      "AFTER MATCH SKIP TO %s PATTERN (%s)",
      "AFTER MATCH SKIP TO FIRST %s PATTERN (%s B)",
      "AFTER MATCH SKIP TO LAST %s PATTERN (%s B)",
      "PATTERN (A %s+ B)",
      "PATTERN ((%s | A)* %s {- %s -})",
      "PATTERN (PERMUTE(%s, A))",
      "PATTERN (A) SUBSET %s = (A)",
      "PATTERN (A) WITHIN 5 SUBSET %s = (A), u = (A, B)",
      "PATTERN (%s) DEFINE %s AS a > 1, B AS %s.n < 2",
      "PATTERN (A) DEFINE A AS a > 1, %s AS b"
    )
    for {
      place <- names
      word <- words
      quoted <- rendered(place.replace("%s", s"`$word`")).toOption
    } {
      val text = place.replace("%s", word)
      val found = rendered(text)
      found.failed.foreach(e => fail(s"$text\n${e.getMessage}"))
      assert(found.get == quoted, text)
    }
  }
}

private object SoftKeywordsSuite {
  private val words = (
    "pattern define measures subset within one all after initial seek partition order permute " +
      "match_recognize row rows per match show omit empty timeout matches with unmatched skip past " +
      "to next first last asc desc nulls running final classifier match_number prev exclude " +
      "range groups over window"
  ).split(' ').toSeq

  private val afterMeasures = Seq(
    "PATTERN (A)",
    "ONE ROW PER MATCH PATTERN (A)",
    "AFTER MATCH SKIP TO NEXT ROW PATTERN (A) WITHIN 5 SUBSET u = (A) DEFINE A AS v > 1"
  )
  private val afterOrder = afterMeasures :+ "MEASURES c AS z PATTERN (A)"
  private val afterKeys = afterOrder :+ "ORDER BY k PATTERN (A)"
}
