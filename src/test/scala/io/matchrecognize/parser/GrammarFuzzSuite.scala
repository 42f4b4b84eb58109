package io.matchrecognize.parser

import scala.util.{Failure, Random, Success, Try}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlParser
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled

/**
 * Random sentences of Spark's grammar whose names are words of the clause: without a clause the
 * plan is Spark's, and with one at the place of a table nothing else in the plan changes. What
 * Spark refuses is refused, not ended by an internal error.
 *
 * `-Dfuzz.sentences=5000 -Dfuzz.seed=7` for more and for others.
 */
class GrammarFuzzSuite extends AnyFunSuite with ParserSupport {
  import GrammarFuzzSuite._

  private val sentences = sys.props.get("fuzz.sentences").fold(Sampled.size(40, 24))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val sparks = new SparkSqlParser

  Sampled.oneIn(2, confs).foreach { conf =>
    test(s"without a clause: ${conf.map(_._1).mkString(", ")}") {
      val random = new Random(seed)
      val all = new GrammarSentences(random, () => word(random))
      compare(conf) {
        val rule = Seq("query", "statement", "compoundOrSingleStatement")(random.nextInt(3))
        val text = all.next(rule, 5 + random.nextInt(50))
        (text, text)
      }
    }

    test(s"with clauses: ${conf.map(_._1).mkString(", ")}") {
      val random = new Random(seed)
      def table(rule: String): Option[String] =
        Option.when(rule == "relationPrimary" && random.nextInt(3) > 0) {
          Seq(place, s"$place AS ${word(random)}", s"$place y")(random.nextInt(3))
        }
      val all = new GrammarSentences(random, () => word(random), table)
      compare(conf) {
        val rule =
          Seq("query", "query", "statement", "compoundOrSingleStatement")(random.nextInt(4))
        val text = Iterator
          .continually(all.next(rule, 5 + random.nextInt(40)))
          .find(text => text.contains(place) && !differs(text))
          .get
        val input = inputs(random.nextInt(inputs.length))
        (text.replace(place, Rendered.table), text.replace(place, s"$input $matches"))
      }
    }
  }

  private def compare(conf: Seq[(String, String)])(next: => (String, String)): Unit =
    withConf(conf: _*) {
      val read = (1 to sentences).count { _ =>
        val (plain, text) = next
        (shown(sparks.parsePlan(plain)), shown(parser.parsePlan(text))) match {
          case (Success(expected), Success(found)) => assert(found == expected, text); true
          case (Failure(_), Failure(_: SparkThrowable)) => false
          case (Success(expected), Failure(_)) if quoted(text).exists { alias =>
                shown(parser.parsePlan(alias)).toOption.contains(expected)
              } =>
            true
          // A reserved keyword is a name after AS.
          case (Failure(_), Success(_)) if text.contains(s"$matches AS ") => false
          // Spark's own mistakes.
          case (Failure(a), Failure(b)) if a.getClass == b.getClass => false
          case (expected, found) => fail(s"$text\nSpark: $expected\nhere: $found")
        }
      }
      assert(read > sentences / 12)
    }

  private def shown(plan: => LogicalPlan): Try[String] =
    Try(Rendered(plan).replaceAll("PosParameter\\(\\d+\\)", "PosParameter"))
}

private object GrammarFuzzSuite {
  private val words = ("match_recognize pattern over window measures define within subset after " +
    "initial seek running final first last a b k w rows match permute t c one all order " +
    "partition").split(' ').toIndexedSeq

  private def word(random: Random): String = words(random.nextInt(words.length))

  private val place = "zz_table"
  private val inputs = Seq("t", "t x", "t AS x", "a.b", "(SELECT 1 AS k, 2 AS v) AS q", "t `over`")
  private val matches =
    "MATCH_RECOGNIZE (ORDER BY k MEASURES count(*) AS c PATTERN (A+) DEFINE A AS v > 1)"

  /**
   * Where the plans differ on purpose: LATERAL may precede a subquery and not a table, ASOF is no
   * alias of a clause, and a shift is read after `STRUCT(...)`, where Spark reads two brackets.
   */
  private def differs(text: String): Boolean =
    text.contains(s"LATERAL $place") || text.contains("ASOF") || text.contains(">>")

  /** A keyword as the alias of a clause needs backticks. */
  private def quoted(text: String): Seq[String] = {
    val alias = s"(\\Q$matches\\E) (\\w+)".r
    val found = alias.findAllMatchIn(text).toSeq
    val each = found.map(m => text.patch(m.start(2), s"`${m.group(2)}`", m.group(2).length))
    each :+ alias.replaceAllIn(text, "$1 `$2`")
  }

  private val confs = Seq(
    Seq("spark.sql.ansi.enabled" -> "true"),
    Seq("spark.sql.ansi.enabled" -> "true", "spark.sql.ansi.doubleQuotedIdentifiers" -> "true"),
    Seq("spark.sql.ansi.enabled" -> "true", "spark.sql.ansi.enforceReservedKeywords" -> "true"),
    Seq(
      "spark.sql.parser.quotedRegexColumnNames" -> "true",
      "spark.sql.parser.escapedStringLiterals" -> "true",
      "spark.sql.legacy.setopsPrecedence.enabled" -> "true",
      "spark.sql.legacy.exponentLiteralAsDecimal.enabled" -> "true",
      "spark.sql.legacy.consecutiveStringLiterals.enabled" -> "true"
    )
  )
}
