package io.matchrecognize.parser

import org.apache.spark.sql.catalyst.analysis.{NamedParameter, PosParameter}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType}
import org.apache.spark.sql.{AnalysisException, Row}
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

  test("of both kinds, wherever each is") {
    def clause(marker: String) = s"t MATCH_RECOGNIZE (PATTERN (A?) DEFINE A AS v >= $marker)"
    val mixed = Seq(
      s"SELECT * FROM ${clause(":x")} WHERE n > ?",
      s"SELECT ? AS c FROM ${clause(":x")}",
      s"SELECT * FROM ${clause("?")} WHERE n > :x",
      s"SELECT * FROM ${clause("? AND v < :x")}",
      "SELECT * FROM t MATCH_RECOGNIZE (MEASURES :x AS m PATTERN (A{1,?}))",
      s"CREATE TEMPORARY VIEW w AS SELECT * FROM ${clause(":x")} WHERE n > ?",
      "SELECT count(*) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND :x FOLLOWING " +
        "PATTERN (A) DEFINE A AS v >= ?) FROM t"
    )
    for {
      text <- mixed
      names <- Seq(Seq("x"), Seq("x", ""))
    } {
      val context = HybridParameterContext(names.map(_ => Literal(1)), names)
      val error = intercept[AnalysisException](parser.parsePlanWithParameters(text, context))
      assert(error.getCondition == "INVALID_QUERY_MIXED_QUERY_PARAMETERS", text)
    }
    // A value with a name may be taken by its place.
    val (_, clauseOf) =
      parse(s"SELECT * FROM ${clause("?")}", HybridParameterContext(Seq(Literal(3)), Seq("x")))
    assert(literals(clauseOf.conditions.head) == Seq(3))
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

  test("a function called pattern has markers") {
    val text = """SELECT * FROM t MATCH_RECOGNIZE (
      |  MEASURES pattern(?) + ? AS m PATTERN (A? B{?}) WITHIN ?
      |  DEFINE A AS pattern(?) > 5, B AS v > pattern(v, ?)) WHERE m > ?""".stripMargin
    val (plan, clause) =
      parse(text, PositionalParameterContext((1 to 7).map(Literal(_))))
    assert(literals(clause.measures.head) == Seq(1, 2))
    assert(clause.pattern.sql == "A? B{3}")
    assert(clause.within.toSeq.flatMap(literals) == Seq(4))
    assert(clause.conditions.map(literals) == Seq(Seq(5, 5), Seq(6)))
    assert(plan.collect { case f: Filter => literals(f.condition) }.flatten == Seq(7))
  }

  test("a decimal has the type that it has outside the clause") {
    // Connect sends decimals of at least ten digits.
    val decimals = Seq("1.50", "-0.007", "12345678901.5", "0", "100").map { digits =>
      val value = new java.math.BigDecimal(digits)
      val dataType = DecimalType(20, value.scale)
      Literal(Decimal(value, dataType.precision, dataType.scale), dataType)
    }
    def types(e: Expression): Seq[DataType] = e.collect { case l: Literal => l.dataType }
    val clause = "FROM t MATCH_RECOGNIZE (MEASURES %s AS m PATTERN (A) DEFINE A AS v > abs(%s))"
    decimals.foreach { value =>
      val all = Seq(
        parse(
          s"SELECT ? AS o ${clause.replace("%s", "?")}",
          PositionalParameterContext(Seq.fill(3)(value))
        ),
        parse(
          s"SELECT :p AS o ${clause.replace("%s", ":p")}",
          NamedParameterContext(Map("p" -> value))
        )
      )
      all.foreach { case (plan, inside) =>
        val outside = plan.expressions.flatMap(types)
        assert(outside.nonEmpty)
        assert(types(inside.measures.head) == outside, value)
        assert(types(inside.conditions.head) == outside, value)
      }
    }
  }

  test("a hint has markers") {
    val text = "SELECT /*+ REPARTITION(?) */ * FROM t MATCH_RECOGNIZE (PATTERN (A) " +
      "DEFINE A AS v > ?) WHERE m > ?"
    val (plan, clause) = parse(text, PositionalParameterContext((1 to 3).map(Literal(_))))
    assert(literals(clause.conditions.head) == Seq(2))
    assert(plan.collect { case f: Filter => literals(f.condition) }.flatten == Seq(3))
  }

  private val smile = "\uD83D\uDE00"
  private val window = "count(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED " +
    s"FOLLOWING PATTERN (A B*) DEFINE A AS '$smile' <> CAST(id AS STRING))"

  test("characters outside the basic plane, with markers") {
    val tail = s"FROM range(2) MATCH_RECOGNIZE (ORDER BY id MEASURES LAST(id) AS l " +
      s"ALL ROWS PER MATCH PATTERN (A /* $smile */) DEFINE A AS '$smile' <> 'a')"
    Seq[(String, Seq[Any])](
      s"SELECT '$smile$smile$smile' AS e, ? AS p, $window FROM range(3)" -> Seq("long enough"),
      s"SELECT '$smile', ?, $window, '$smile' || ? AS q FROM range(3) WHERE '$smile' <> ?" ->
        Seq(1, "b", "c"),
      s"SELECT ? AS a, '$smile' AS b, ? AS c $tail WHERE '$smile' <> ?" -> Seq("x", 2, "y")
    ).foreach { case (text, values) =>
      val asked = spark.sql(text, values.toArray)
      val literal = values.foldLeft(text) { (rest, value) =>
        rest.replaceFirst(
          "\\?",
          value match {
            case text: String => s"'$text'"
            case other => other.toString
          }
        )
      }
      val written = spark.sql(literal)
      assert(asked.collect().toSeq == written.collect().toSeq, text)
      val names = asked.schema.names.toSeq.zip(written.schema.names).filter(_._1.contains("OVER"))
      names.foreach { case (a, b) => assert(a == b, text) }
      spark.sql(s"CREATE OR REPLACE TEMP VIEW smiles AS $text", values.toArray)
      assert(spark.table("smiles").collect().toSeq == written.collect().toSeq, text)
    }
    spark.sql("DROP VIEW smiles")
  }

  test("an error after characters outside the basic plane") {
    val text = s"SELECT '$smile$smile', ? FROM t MATCH_RECOGNIZE (PATTERN (A /* $smile */)) AS m " +
      "WHERE CAST(a AS nothing) = 1"
    val e = intercept[org.apache.spark.sql.AnalysisException](
      parse(text, PositionalParameterContext(values.take(1)))
    )
    assert(e.getQueryContext.head.fragment == "nothing", e.getMessage)
  }

  test("views in scripts and under EXPLAIN, with values") {
    val view = "CREATE OR REPLACE TEMP VIEW kept AS SELECT %s AS v, n FROM range(3) " +
      "MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS n PATTERN (A+) DEFINE A AS id < %s)"
    val named = view.replaceFirst("%s", ":v").replace("%s", ":w")
    Seq(
      s"BEGIN $named; SELECT * FROM kept; END",
      s"BEGIN DECLARE x INT DEFAULT 1; IF x = 1 THEN $named; END IF; SELECT * FROM kept; END"
    ).foreach { script =>
      val rows = spark.sql(script, Map[String, Any]("v" -> "a", "w" -> 2)).collect().toSeq
      assert(rows == Seq(Row("a", 2L)), script)
    }
    spark.sql(s"EXPLAIN $named", Map[String, Any]("v" -> "a", "w" -> 2)).collect()
    spark.sql("DROP VIEW kept")
  }
}
