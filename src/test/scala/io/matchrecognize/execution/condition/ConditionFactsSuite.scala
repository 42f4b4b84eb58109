package io.matchrecognize.execution.condition

import io.matchrecognize.QuerySuite
import io.matchrecognize.expressions.ConditionShape

/** What is known about conditions, by what they are written as. */
class ConditionFactsSuite extends QuerySuite {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.sql("SELECT id, id AS x FROM range(10)").createOrReplaceTempView("few")
  }

  /** The condition of C in (A B D+ C), and its necessary part. */
  private def compile(condition: String): (RowExpression, Option[RowExpression]) = {
    val sql = s"""SELECT * FROM few MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS n
      |  PATTERN (A B D+ C) SUBSET U = (C, D), V = (A, D) DEFINE C AS $condition)""".stripMargin
    val clause = matchNodes(spark.sql(sql)).head.program.clause
    val symbol = clause.automaton.symbols.indexOf("C")
    (clause.conditions.bySymbol(symbol).get, clause.conditions.necessary(symbol))
  }

  private def check(tested: Boolean, first: Boolean, path: Boolean)(conditions: String*): Unit =
    conditions.foreach { condition =>
      test(condition) {
        val (found, _) = compile(condition)
        assert((found.readsTested, found.readsFirst, found.readsPath) == ((tested, first, path)))
        assert(found.rowLocal == (!first && !path) && found.isFixed == (!tested && !path))
      }
    }

  check(tested = true, first = false, path = false)(
    "x > 5",
    "C.x > U.x",
    "PREV(x) > 5 AND NEXT(C.x) < 3",
    "CLASSIFIER() = 'C'"
  )
  check(tested = false, first = true, path = false)(
    "A.x > B.x",
    "FIRST(D.x) > 3",
    "NEXT(A.x) > FIRST(x, 2)"
  )
  check(tested = true, first = true, path = false)("x > A.x", "PREV(U.x) + FIRST(V.x) > 3")
  check(tested = false, first = false, path = true)(
    "LAST(D.x) > 3",
    "V.x > 3",
    "LAST(x, 1) > 3",
    "COUNT(D.x) > 3",
    "CLASSIFIER(D) = 'D'",
    "MATCH_NUMBER() > 1"
  )
  // There may be no such row yet.
  check(tested = false, first = false, path = true)("FIRST(x, 4) > 3")
  check(tested = true, first = true, path = true)("x > A.x OR SUM(A.x) > 3")

  test("the necessary part is that of the tested row and its neighbours") {
    val (local, nothing) = compile("x > 5 AND NEXT(x) < 3 OR C.x = 7")
    assert(local.rowLocal && nothing.isEmpty)
    val (whole, necessary) =
      compile("x > 5 AND LAST(D.x) > 3 AND (A.x = 1 OR x = 2) AND NEXT(x) < 8")
    assert(!whole.rowLocal && necessary.exists(_.rowLocal))
    val found = ConditionShape.conjuncts(necessary.get.expression)
    assert(found.length == 2 && found.forall(ConditionShape.conjuncts(whole.expression).contains))
    assert(compile("x > A.x OR x > 5")._2.isEmpty)
  }
}
