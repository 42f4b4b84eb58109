package io.matchrecognize.parser

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.expressions._
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AfterMatchSkip, RowPattern}
import io.matchrecognize.plans._

/** The parts of a clause and the logical nodes built from them. */
class ClauseSuite extends AnyFunSuite with ParserSupport {
  private def pattern(text: String): RowPattern = of(s"PATTERN ($text)").pattern
  private def measure(text: String): Expression =
    of(s"MEASURES $text AS m PATTERN (A)").measures.head
  private val a = Variable("A")
  private val b = Variable("B")
  private val c = Variable("C")

  test("only PATTERN: the defaults") {
    val node = of("PATTERN (A)")
    assert(node.partitionSpec.isEmpty && node.orderSpec.isEmpty && node.measures.isEmpty)
    assert(node.rowsPerMatch == RowsPerMatch.OneRow(showTimeoutMatches = false))
    assert(node.afterMatchSkip == AfterMatchSkip.PastLastRow)
    assert(node.pattern == a && node.within.isEmpty)
    assert(node.subsets.isEmpty && node.definedVariables.isEmpty && node.conditions.isEmpty)
  }

  test("all parts together") {
    val node = clause("""SELECT * FROM t MATCH_RECOGNIZE (
      |  PARTITION BY g, upper(h)
      |  ORDER BY ts, k + 1 DESC, v NULLS LAST
      |  MEASURES A.v AS first_v, COUNT(*) n
      |  ALL ROWS PER MATCH WITH UNMATCHED ROWS
      |  AFTER MATCH SKIP TO FIRST B
      |  PATTERN (A B+) WITHIN INTERVAL '1' HOUR
      |  SUBSET U = (A, B), W = (B)
      |  DEFINE A AS v > 1, B AS B.v > A.v
      |) AS m""".stripMargin)
    assert(node.clause.partitionSpec.length == 2)
    assert(node.clause.orderSpec.map(_.direction) == Seq(Ascending, Descending, Ascending))
    assert(node.clause.orderSpec.map(_.nullOrdering) == Seq(NullsFirst, NullsLast, NullsLast))
    assert(node.measureNames == Seq("first_v", "n"))
    assert(node.clause.measures.head == ColumnReference(Seq("A", "v")))
    assert(node.clause.rowsPerMatch == RowsPerMatch.AllRows(AllRowsMode.WithUnmatchedRows))
    assert(node.clause.afterMatchSkip == AfterMatchSkip.ToVariable("B", first = true))
    assert(node.clause.within.exists(_.isInstanceOf[Literal]))
    assert(node.clause.subsets == Seq(Subset("U", Seq("A", "B")), Subset("W", Seq("B"))))
    assert(node.clause.definedVariables == Seq("A", "B"))
    assert(
      node.clause.conditions.last == GreaterThan(
        ColumnReference(Seq("B", "v")),
        ColumnReference(Seq("A", "v"))
      )
    )
  }

  test("row pattern") {
    assert(pattern("A B C") == Concatenation(Seq(a, b, c)))
    assert(pattern("A | B C") == Alternation(Seq(a, Concatenation(Seq(b, c)))))
    assert(pattern("(A)") == a)
    assert(pattern("()") == Empty)
    assert(pattern("^A$") == Concatenation(Seq(StartAnchor, a, EndAnchor)))
    assert(
      pattern("{-A-}+B") == Concatenation(Seq(Quantified(Exclusion(a), 1, None, greedy = true), b))
    )
    assert(pattern("PERMUTE(A, B C)") == Permutation(Seq(a, Concatenation(Seq(b, c)))))
    assert(pattern("PERMUTE") == Variable("PERMUTE"))
    assert(
      pattern("permute permute") == Concatenation(Seq(Variable("permute"), Variable("permute")))
    )
    assert(pattern("`a b`") == Variable("a b"))
    assert(pattern("MATCH ONE ROW") == Concatenation(Seq("MATCH", "ONE", "ROW").map(Variable)))
    assert(pattern("((A|B)+)") == Quantified(Alternation(Seq(a, b)), 1, None, greedy = true))
    assert(pattern("A /* x ) */ B -- y )\n") == Concatenation(Seq(a, b)))
  }

  test("quantifiers") {
    Seq(
      "*" -> ((0, None)),
      "+" -> ((1, None)),
      "?" -> ((0, Some(1))),
      "{2}" -> ((2, Some(2))),
      "{2,}" -> ((2, None)),
      "{2,3}" -> ((2, Some(3))),
      "{,3}" -> ((0, Some(3))),
      "{,}" -> ((0, None)),
      " { 1 , 2 } " -> ((1, Some(2)))
    ).foreach { case (text, (lower, upper)) =>
      assert(pattern("A" + text) == Quantified(a, lower, upper, greedy = true))
      assert(pattern("A" + text + "?") == Quantified(a, lower, upper, greedy = false))
    }
    assert(pattern("A??B") == Concatenation(Seq(Quantified(a, 0, Some(1), greedy = false), b)))
  }

  test("rows per match") {
    def rows(text: String) = of(s"$text PATTERN (A) WITHIN 1").rowsPerMatch
    assert(rows("one row per match") == RowsPerMatch.OneRow(showTimeoutMatches = false))
    assert(rows("ONE ROW PER MATCH SHOW TIMEOUT MATCHES") == RowsPerMatch.OneRow(true))
    assert(rows("ALL ROWS PER MATCH") == RowsPerMatch.AllRows(AllRowsMode.ShowEmptyMatches))
    assert(
      rows("ALL ROWS PER MATCH SHOW EMPTY MATCHES") ==
        RowsPerMatch.AllRows(AllRowsMode.ShowEmptyMatches)
    )
    assert(
      rows("ALL ROWS PER MATCH OMIT EMPTY MATCHES") ==
        RowsPerMatch.AllRows(AllRowsMode.OmitEmptyMatches)
    )
  }

  test("skip") {
    def skip(text: String) =
      of(s"AFTER MATCH SKIP $text PATTERN (A FIRST LAST NEXT)").afterMatchSkip
    assert(skip("PAST LAST ROW") == AfterMatchSkip.PastLastRow)
    assert(skip("TO NEXT ROW") == AfterMatchSkip.ToNextRow)
    assert(skip("TO A") == AfterMatchSkip.ToVariable("A", first = false))
    assert(skip("TO LAST A") == AfterMatchSkip.ToVariable("A", first = false))
    assert(skip("TO FIRST `a b`") == AfterMatchSkip.ToVariable("a b", first = true))
    assert(skip("TO FIRST") == AfterMatchSkip.ToVariable("FIRST", first = false))
    assert(skip("TO LAST LAST") == AfterMatchSkip.ToVariable("LAST", first = false))
    assert(skip("TO NEXT") == AfterMatchSkip.ToVariable("NEXT", first = false))
    assert(skip("TO pattern") == AfterMatchSkip.ToVariable("pattern", first = false))
  }

  test("WITHIN") {
    def bound(text: String) = of(s"PATTERN (A) WITHIN $text DEFINE A AS TRUE").within.get
    val hour = bound("INTERVAL '1' HOUR")
    Seq("1 HOUR", "'1' hour", "INTERVAL 1 HOUR", "INTERVAL '1 hour'", "60 minutes").foreach { text =>
      assert(bound(text).eval() == hour.eval(), text)
    }
    assert(bound("10") == Literal(10))
    assert(bound("-1 hour").isInstanceOf[Expression])
    assert(bound("INTERVAL '30' MINUTE * 2").isInstanceOf[Multiply])
    assert(bound("INTERVAL 'x' HOUR") == MalformedBound("INTERVAL 'x' HOUR"))
    assert(bound("'x' HOUR") == MalformedBound("'x' HOUR"))
    assert(of("PATTERN (A) WITHIN 1 DAY SUBSET U = (A)").subsets.length == 1)
    assert(of("PATTERN (A) WITHIN 5").within.contains(Literal(5)))
  }

  test("words of the clause stay names") {
    assert(
      names(
        "MEASURES 4 AS pattern, define + 1 AS x, last AS final, running + 1 one PATTERN (A)"
      ) == Seq("pattern", "x", "final", "one")
    )
    assert(names("MEASURES v pattern PATTERN (A)") == Seq("pattern"))
    assert(names("MEASURES v AS measures PATTERN (A)") == Seq("measures"))
    assert(
      names("MEASURES v measures, w define PATTERN (A)") == Seq("measures", "define")
    )
    assert(names("MEASURES x one ONE ROW PER MATCH PATTERN (A)") == Seq("one"))
    assert(names("MEASURES v seek PATTERN (A)") == Seq("seek"))
    assert(of("ORDER BY pattern, order PATTERN (A)").orderSpec.length == 2)
    assert(of("PARTITION BY order ORDER BY k PATTERN (A)").partitionSpec.length == 1)
    assert(of("ORDER BY desc PATTERN (A)").orderSpec.head.direction == Ascending)
    assert(of("ORDER BY desc desc PATTERN (A)").orderSpec.head.direction == Descending)
    assert(of("ORDER BY v ASC NULLS LAST PATTERN (A)").orderSpec.head.nullOrdering == NullsLast)
    assert(
      of("PATTERN (A) SUBSET subset = (A) DEFINE A AS define > pattern AND NOT measures").subsets ==
        Seq(Subset("subset", Seq("A")))
    )
    assert(
      of("PATTERN (define pattern) DEFINE define AS x, pattern AS y").definedVariables ==
        Seq("define", "pattern")
    )
    assert(
      of("MEASURES CASE WHEN pattern THEN one ELSE all END AS e PATTERN (A)").measures.length == 1
    )
    assert(
      names("MEASURES listagg(v) WITHIN GROUP (ORDER BY v) l PATTERN (A)") == Seq("l")
    )
    assert(names("MEASURES v within PATTERN (A)") == Seq("within"))
  }

  test("columns and stars") {
    assert(measure("v") == ColumnReference(Seq("v")))
    assert(measure("`a b`.`c.d`") == ColumnReference(Seq("a b", "c.d")))
    assert(measure("A.s.f") == ColumnReference(Seq("A", "s", "f")))
    val count = measure("COUNT(A.*)")
    assert(count.children == Seq(VariableStar(Seq("A"))))
    assert(measure("COUNT(*)").children == Seq(Literal(1)))
    assert(
      of("PARTITION BY t.g ORDER BY t.k PATTERN (A)").partitionSpec == Seq(
        UnresolvedAttribute(Seq("t", "g"))
      )
    )
  }

  test("functions of the clause") {
    val v = ColumnReference(Seq("v"))
    assert(measure("first(v)") == PatternFunctionCall("FIRST", Seq(v)))
    assert(measure("LAST(v, 2)") == PatternFunctionCall("LAST", Seq(v, Literal(2))))
    assert(measure("`prev`(v)") == PatternFunctionCall("PREV", Seq(v)))
    assert(
      measure("PREV(LAST(A.v, 1), 2)") == PatternFunctionCall(
        "PREV",
        Seq(
          PatternFunctionCall("LAST", Seq(ColumnReference(Seq("A", "v")), Literal(1))),
          Literal(2)
        )
      )
    )
    assert(
      measure("CLASSIFIER(A)") == PatternFunctionCall("CLASSIFIER", Seq(ColumnReference(Seq("A"))))
    )
    Seq("MATCH_NUMBER", "MATCH_ROWTIME", "MATCH_PROCTIME", "CLASSIFIER").foreach { name =>
      assert(measure(s"$name()") == PatternFunctionCall(name, Nil))
    }
    assert(measure("a.b.first(v)").collectFirst { case p: PatternFunctionCall => p }.isEmpty)
    assert(measure("any_value(v)").collect { case x: ColumnReference => x } == Seq(v))
  }

  test("RUNNING and FINAL") {
    val last = PatternFunctionCall("LAST", Seq(ColumnReference(Seq("v"))))
    assert(measure("FINAL LAST(v)") == CallMode(isFinal = true, last))
    assert(measure("RUNNING last(v)") == CallMode(isFinal = false, last))
    assert(
      measure("FINAL LAST(v) - RUNNING LAST(v) > 5 OR FINAL LAST(v) IS NULL").collect {
        case r: CallMode => r.isFinal
      } == Seq(true, false, true)
    )
    assert(
      measure("PREV(FINAL LAST(v))") == PatternFunctionCall("PREV", Seq(CallMode(true, last)))
    )
    assert(measure("running + 1") == Add(ColumnReference(Seq("running")), Literal(1)))
    assert(measure("final").isInstanceOf[ColumnReference])
    assert(measure("final(v)").collectFirst { case r: CallMode => r }.isEmpty)
    assert(measure("final AND (v)").isInstanceOf[And])
    assert(measure("FINAL SUM(v) FILTER (WHERE v > 1)").isInstanceOf[CallMode])
    assert(measure("FINAL CAST(v AS INT)").isInstanceOf[CallMode])
    assert(measure("COALESCE(FINAL COUNT(A.*), 0)").children.head.isInstanceOf[CallMode])
    val ofCase = measure("CASE FINAL LAST(v) WHEN 1 THEN 2 WHEN 3 THEN 4 END")
    assert(ofCase.collect { case r: CallMode => r } == Seq.fill(2)(CallMode(isFinal = true, last)))
    val named = measure("FINAL LAST(IDENTIFIER('v' || '')) LIKE ANY (s, t)")
    assert(named.collect { case CallMode(isFinal, _) => isFinal } == Seq(true, true))
  }

  test("lambdas keep their parameters") {
    val m = measure("transform(arr, x -> x + A.v + v)")
    assert(
      m.collect { case r: ColumnReference => r.nameParts } ==
        Seq(Seq("arr"), Seq("A", "v"), Seq("v"))
    )
    assert(m.collect { case x: UnresolvedNamedLambdaVariable => x }.length == 2)
    val nested = measure("transform(arr, x -> transform(x.f, (y, i) -> x.g + y + i + z))")
    assert(nested.collect { case r: ColumnReference => r.nameParts } == Seq(Seq("arr"), Seq("z")))
  }

  test("subqueries stay as they are") {
    val m = measure("v IN (SELECT x FROM u) AND EXISTS (SELECT first(x) FROM u)")
    assert(m.collect { case r: ColumnReference => r } == Seq(ColumnReference(Seq("v"))))
  }

  test("positions") {
    val sql = "SELECT *\nFROM t MATCH_RECOGNIZE (\n  MEASURES A.v + 1 AS m\n  PATTERN (A)\n)"
    val node = clause(sql)
    val origin = node.clause.measures.head.origin
    assert(origin.sqlText.contains(sql) && origin.line.contains(3))
    assert(origin.context.fragment == "A.v + 1")
    assert(node.clause.measures.head.collect { case r: ColumnReference =>
      r.origin.context.fragment
    } == Seq("A.v"))
    assert(node.positions.measureNames.head.context.fragment == "m")
    assert(node.positions.pattern.context.fragment == "A")
    assert(node.origin.context.fragment.startsWith("MATCH_RECOGNIZE ("))
    val statement = parser.parsePlan(sql)
    statement.foreach(p => assert(p.origin.sqlText.forall(_ == sql)))
  }
}
