package io.matchrecognize.parser

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.analysis.{NamedParameter, PosParameter}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.plans.PatternClause

/** Parameter markers inside and outside clauses. */
class ParameterSuite extends AnyFunSuite with ParserSupport {
  private val sql = """SELECT ? AS first FROM t MATCH_RECOGNIZE (
    |  ORDER BY k MEASURES v + ? AS m PATTERN (A? B??) WITHIN ? DEFINE A AS v > ?
    |) AS x WHERE m > ?""".stripMargin
  private val values = Seq(1, 2, 3, 4, 5).map(Literal(_))

  private def parse(
      text: String,
      context: ParameterContext
  ): (LogicalPlan, PatternClause) = {
    val plan = parser.parsePlanWithParameters(text, context)
    (plan, UnresolvedClauses.of(plan).head.clause)
  }

  private def literals(e: Expression): Seq[Any] = e.collect { case l: Literal => l.value }

  private def checkPositional(plan: LogicalPlan, clause: PatternClause): Unit = {
    assert(literals(clause.measures.head) == Seq(2))
    assert(clause.within.toSeq.flatMap(literals) == Seq(3))
    assert(literals(clause.conditions.head) == Seq(4))
    assert(plan.expressions.flatMap(literals) == Seq(1))
    assert(plan.collect { case f: Filter => literals(f.condition) }.flatten == Seq(5))
  }

  test("positional") {
    val (plan, clause) = parse(sql, PositionalParameterContext(values))
    checkPositional(plan, clause)
  }

  test("hybrid, as EXECUTE IMMEDIATE gives them") {
    val (plan, clause) = parse(sql, HybridParameterContext(values, values.map(_ => "")))
    checkPositional(plan, clause)
    val named =
      "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A?) DEFINE A AS v > :low) WHERE x = :high"
    val (outer, inner) =
      parse(named, HybridParameterContext(values.take(2), Seq("low", "high")))
    assert(literals(inner.conditions.head) == Seq(1))
    assert(outer.collect { case f: Filter => literals(f.condition) }.flatten == Seq(2))
  }

  test("named, also in subqueries and IDENTIFIER") {
    val text = """SELECT * FROM t MATCH_RECOGNIZE (
      |  MEASURES (SELECT max(x) FROM u WHERE x > :low) AS s, PREV(v, :low) AS p PATTERN (A?)
      |  DEFINE A AS v > :low) WHERE x = :high""".stripMargin
    val (plan, clause) =
      parse(text, NamedParameterContext(Map("low" -> Literal(7), "high" -> Literal(8))))
    assert(literals(clause.conditions.head) == Seq(7))
    assert(literals(clause.measures(1)) == Seq(7))
    val inner = clause.measures.head.collectFirst { case s: ScalarSubquery => s.plan }.get
    assert(inner.collect { case f: Filter => literals(f.condition) }.flatten == Seq(7))
    assert(plan.collect { case f: Filter => literals(f.condition) }.flatten == Seq(8))
  }

  test("only inside the clause") {
    val text = "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A?) DEFINE A AS v > ?)"
    val (_, hybrid) = parse(text, HybridParameterContext(Seq(Literal(3)), Seq("")))
    assert(literals(hybrid.conditions.head) == Seq(3))
    val named = "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A?) DEFINE A AS v > :p)"
    val (_, byName) = parse(named, HybridParameterContext(Seq(Literal(3)), Seq("p")))
    assert(literals(byName.conditions.head) == Seq(3))
    val (_, clause) = parse(text, PositionalParameterContext(Seq(Literal(3))))
    assert(literals(clause.conditions.head) == Seq(3))
  }

  test("without a value the marker stays, with its position") {
    val text = "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (A?) DEFINE A AS v > ? AND v < :p)"
    val clause = UnresolvedClauses.of(parser.parsePlan(text)).head
    assert(clause.clause.conditions.head.collect { case p: PosParameter =>
      p.pos
    } == Seq(text.lastIndexOf('?')))
    assert(clause.clause.conditions.head.collect { case p: NamedParameter => p.name } == Seq("p"))
    withConf("spark.sql.legacy.parameterSubstitution.constantsOnly" -> "true") {
      val (_, legacy) = parse(text, PositionalParameterContext(Seq(Literal(3))))
      assert(legacy.conditions.head.collect { case p: PosParameter => p }.length == 1)
    }
  }

  test("a view keeps the values") {
    val named = "SELECT :low AS low, :text AS text, n, minus FROM range(9) MATCH_RECOGNIZE (" +
      "ORDER BY id MEASURES COUNT(*) AS n, -:minus AS minus PATTERN (A{2,}) " +
      "DEFINE A AS id>:low AND ':low' <> :text) WHERE n < 9"
    val arguments = Map[String, Any]("low" -> 3, "text" -> "it's", "minus" -> -2L)
    Seq("TEMPORARY VIEW", "VIEW").foreach { kind =>
      spark.sql(s"CREATE $kind with_values AS $named", arguments)
      try
        assert(spark.table("with_values").collect().toSeq == Seq(Row(3, "it's", 5L, 2L)), kind)
      finally spark.sql("DROP VIEW with_values")
    }
    val positional = "SELECT ? AS a, n, d FROM range(9) MATCH_RECOGNIZE (ORDER BY id " +
      "MEASURES COUNT(*) AS n, ? AS d PATTERN (A? B+?) DEFINE A AS id = ?) WHERE n > ?"
    val date = java.sql.Date.valueOf("2024-02-29")
    spark.sql(s"CREATE TEMPORARY VIEW with_values AS $positional", Array[Any]("x", date, 4L, 1))
    try assert(spark.table("with_values").collect().toSeq == Seq(Row("x", 2L, date)))
    finally spark.sql("DROP VIEW with_values")
  }
}
