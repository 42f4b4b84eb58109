package io.matchrecognize.parser

import scala.util.Try

import org.apache.spark.sql.execution.SparkSqlParser
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled

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
        // Some of the places, others for each word.
        (body, m) <- all.zipWithIndex
        if (n + m) % Sampled.size(8, 96) == 0
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
      word <- Sampled.oneIn(36, words)
      quoted <- rendered(place.replace("%s", s"`$word`")).toOption
    } {
      val text = place.replace("%s", word)
      val found = rendered(text)
      found.failed.foreach(e => fail(s"$text\n${e.getMessage}"))
      assert(found.get == quoted, text)
    }
  }

  private val frame = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"

  test("before a parameter with a name") {
    val keys = Seq(
      "",
      "PARTITION BY g",
      "PARTITION BY g measures",
      "ORDER BY k",
      "ORDER BY k DESC",
      "PARTITION BY g ORDER BY f(k) NULLS LAST"
    )
    val measures = Seq("%s AS x", "%s + LAST(v) AS x", "%s AS x, v AS y", "%s * measures x")
    val bounds = Seq("%s", "%s DEFINE A AS v > %s", "%s SUBSET U = (A)", "%s + 1")
    val bodies =
      (for (k <- keys; m <- measures) yield s"$k MEASURES $m PATTERN (A) DEFINE A AS v > 1") ++
        bounds.map(bound => s"ORDER BY k PATTERN (A) WITHIN $bound")
    // A marker without a name has only one meaning.
    def named(rendered: String, name: String) =
      rendered.replaceAll("PosParameter\\(\\d+", s"NamedParameter($name")
    for (body <- bodies; name <- Seq("p", "limit")) {
      val text = body.replace("%s", s":$name").replace(":p", s":$name")
      val expected = named(rendered(text.replace(s":$name", " ?")).get, name)
      assert(rendered(text).get == expected, text)
    }
    for {
      k <- keys if !k.endsWith("measures") // a key of a window has no name
      m <- measures
      window <- Seq("SELECT x OVER (%s) FROM t", "SELECT x OVER w FROM t WINDOW w AS (%s)")
    } {
      val text = window.replace("%s", s"$k MEASURES $m $frame PATTERN (A)")
      def read(marker: String) = Rendered(parser.parsePlan(text.replace("%s", marker)))
      assert(read(":p") == named(read("?"), "p"), text)
    }
  }

  test("before a path") {
    if (isName("%s:p", "v"))
      Seq(
        "ORDER BY %s:p PATTERN (A)",
        "PARTITION BY g, %s:p.q MEASURES %s:p AS x PATTERN (A) DEFINE A AS %s:p > 1",
        "MEASURES a AS y, %s:p AS x PATTERN (A)"
      ).foreach { body =>
        Seq("measures", "within").foreach { word =>
          val quoted = rendered(body.replace("%s", s"`$word`")).get
          assert(rendered(body.replace("%s", word)).get == quoted, s"$body $word")
        }
      }
  }

  test("the name of a measure before PATTERN") {
    val names = "in is div case from like between and or not when running final by distinct end"
    names.split(' ').foreach { name =>
      Seq(
        "MEASURES LAST(v) AS %s PATTERN (A) DEFINE A AS v > 1",
        "MEASURES a AS b, LAST(v) AS %s PATTERN (A) DEFINE A AS NOT pattern(v) > 1"
      ).foreach { body =>
        val quoted = rendered(body.replace("%s", s"`$name`")).get
        assert(rendered(body.replace("%s", name)).get == quoted, s"$body $name")
      }
      val window = s"SELECT `$name` OVER w FROM t WINDOW w AS (MEASURES v AS %s $frame PATTERN (A))"
      val read = Seq(name, s"`$name`").map(n => Rendered(parser.parsePlan(window.replace("%s", n))))
      assert(read.head == read.last, name)
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
