package io.matchrecognize.window

import scala.util.{Failure, Random, Success, Try}

import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.tagobjects.Slow

import io.matchrecognize.Interpreted

/** Row patterns in the windows of a query with GROUP BY: they read the groups. */
class GroupedWindowSuite extends Interpreted {
  private val input =
    "VALUES (1, 1, 90), (1, 2, 80), (1, 3, 70), (2, 1, 50), (2, 2, 40), (3, 1, 60) AS t(p, k, v)"

  private def window(keys: String, define: String, measures: String = ""): String =
    s"""WINDOW w AS (ORDER BY $keys $measures
       |  ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
       |  AFTER MATCH SKIP TO NEXT ROW PATTERN (A B*) DEFINE B AS $define)""".stripMargin

  private def grouped(select: String, by: String, window: String): Seq[Seq[Any]] =
    rows(s"SELECT $select FROM $input GROUP BY $by $window").map(_.toSeq).sortBy(_.toString)

  private def row(values: Any*): Seq[Any] = values

  test("ROLLUP, CUBE and GROUPING SETS") {
    val w = window("p", "p > 1")
    val expected = Seq(row(1, 240L, 3L), row(2, 90L, 2L), row(3, 60L, 1L), row(null, 390L, 1L))
    assert(grouped("p, sum(v), count(*) OVER w", "ROLLUP (p)", w) == expected)
    assert(grouped("p, sum(v), count(*) OVER w", "ROLLUP (1)", w) == expected)
    assert(
      grouped("p, sum(v), count(*) OVER w, grouping(p) AS g, grouping_id() AS i", "CUBE (p)", w) ==
        expected.map(r => r ++ (if (r.head == null) row(1, 1L) else row(0, 0L)))
    )
    val sets = grouped(
      "t.p, k, sum(v), count(*) OVER w",
      "GROUPING SETS ((p), (k), ()) HAVING sum(v) > 65",
      window("sum(v), t.p", "k IS NOT NULL")
    )
    assert(
      sets == Seq(
        row(1, null, 240L, 1L),
        row(2, null, 90L, 3L),
        row(null, 1, 200L, 1L),
        row(null, 2, 120L, 2L),
        row(null, 3, 70L, 1L),
        row(null, null, 390L, 1L)
      )
    )
  }

  test("DEFINE and MEASURES read a key that is an expression") {
    val measures = "MEASURES LAST(p % 2) AS m"
    Seq("p % 2 <> PREV(p % 2)", "B.p % 2 <> PREV(P % 2)", "p % 2 <> LAST(A.p % 2)").foreach {
      define =>
        val w = window("p", define, measures)
        val found = grouped("p, count(*) OVER w, m OVER w", "p % 2, p", w)
        assert(found.map(_.head) == Seq(1, 2, 3))
        val last = if (define.contains("LAST")) Seq(2L, 2L, 1L) else Seq(3L, 2L, 1L)
        assert(found.map(_(1)) == last, define)
    }
    Seq("p + 1", "q", "1").foreach { by =>
      val w = window("sum(v)", "p + 1 < 4", "MEASURES COUNT(DISTINCT p + 1) AS m")
      val found = grouped("p + 1 AS q, count(*) OVER w, m OVER w", by, w)
      assert(found == Seq(row(2, 1L, 1L), row(3, 2L, 2L), row(4, 3L, 3L)), by)
    }
    val both =
      grouped("k % 2 AS e, count(*) OVER w", "ROLLUP (p, k % 2)", window("p, k % 2", "k % 2 = 1"))
    assert(both.length == 9)
  }

  test("DEFINE and MEASURES read a key by its name in the SELECT list") {
    val expected = Seq(row(2, 1L, 2), row(3, 2L, 3), row(4, 3L, 4))
    def check(by: String, define: String): Unit = {
      val w = window("sum(v)", define, "MEASURES FIRST(q) AS m")
      assert(grouped("p + 1 AS q, count(*) OVER w, m OVER w", by, w) == expected, s"$by $define")
    }
    Seq("q", "1", "p + 1", "ALL", "p, p + 1").foreach(check(_, "B.q < 4"))
    Seq("Q < 4 AND PREV(q) > 1", "p + 1 < 4 AND q > 0").foreach(check("q", _))
    val column = grouped("p AS q, count(*) OVER w", "q", window("p", "q > 2"))
    assert(column == Seq(row(1, 1L), row(2, 2L), row(3, 1L)))
    val sets = grouped("p AS q, count(*) OVER w", "ROLLUP (q)", window("p", "q IS NOT NULL"))
    assert(sets == Seq(row(1, 3L), row(2, 2L), row(3, 1L), row(null, 4L)))
    val struct =
      grouped("named_struct('f', p) AS q, count(*) OVER w", "q", window("sum(v)", "q.f < 3"))
    assert(struct.map(_(1)) == Seq(1L, 2L, 3L))
  }

  test("a name of the SELECT list that a variable has, or for one of two keys of one name") {
    def found(select: String) = {
      val measures = "MEASURES CLASSIFIER(B) AS c, MATCH_ROWTIME(A) AS r"
      grouped(s"$select, c OVER w, r OVER w", "p", window("p", "B.p > 1", measures))
    }
    val expected = Seq(row(1, "B", 1), row(2, "B", 2), row(3, null, 3))
    Seq("p", "p AS a", "p AS B").foreach(select => assert(found(select) == expected, select))
    // The key has the name of a variable, and q is not one.
    val unknown = intercept[AnalysisException](
      rows(
        "SELECT l.a AS q, c OVER w FROM VALUES (1) AS l(a) GROUP BY l.a " +
          window("l.a", "l.a > 1", "MEASURES CLASSIFIER(q) AS c")
      )
    )
    assert(unknown.getCondition == "MATCH_RECOGNIZE_INVALID_VARIABLE.UNKNOWN")
    val pairs = "VALUES (1), (2) AS l(a) CROSS JOIN (VALUES (1), (2) AS r(a)) r"
    Seq("y > 1", "B.y > 1", "r.a > 1", "Y > 1 AND x < 3").foreach { define =>
      val counts = rows(
        s"SELECT l.a AS x, r.a AS y, count(*) OVER w FROM $pairs GROUP BY l.a, r.a " +
          window("l.a, r.a", define)
      )
      val wanted = Seq(row(1, 1, 2L), row(1, 2, 1L), row(2, 1, 2L), row(2, 2, 1L))
      assert(counts.map(_.toSeq).sortBy(_.toString) == wanted, define)
    }
  }

  test("keys with qualifiers, and variables that are called like the table", Slow) {
    val values = "VALUES (1, 1, 90), (1, 2, 81), (1, 3, 72), (2, 1, 53), (2, 2, 44), (3, 1, 65)"
    val random = new Random(5)
    def pick[T](options: T*): T = options(random.nextInt(options.length))
    def pattern(order: String, define: String) =
      s"""WINDOW w AS (ORDER BY $order ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
         |  AFTER MATCH SKIP TO NEXT ROW PATTERN (A B*) DEFINE B AS $define)""".stripMargin
    var compared = 0
    (0 until 40).foreach { _ =>
      val table = pick("t", "A", "a", "b")
      val key = pick("%sp % 2", "%sk % 3", "%sp", "%sp * 10 + %sk")
      val ofKey = pick("", s"$table.")
      val by = key.replace("%s", ofKey)
      val qualifiers = Seq.fill(2)(pick("", "A.", "B.", s"$table.", ofKey))
      val (operator, bound) = (pick("<>", "<=", ">"), pick("", "0", "1", "12"))
      def define(of: String => String) =
        s"${of(qualifiers.head)} $operator ${if (bound.isEmpty) of(qualifiers.last) else bound}"
      val groups = s"FROM $values AS $table(p, k, v) GROUP BY $by"
      val written = define(q => s"(${key.replace("%s", q)})")
      def found = rows(s"SELECT sum(v) AS s, count(*) OVER w $groups ${pattern("sum(v)", written)}")
      // A variable comes before a table of its name.
      val isVariable = Set("A.", "a.", "B.", "b.")
      def expected = rows(
        s"SELECT s, count(*) OVER w FROM (SELECT $by AS key, sum(v) AS s $groups) " +
          pattern("s", define(q => if (isVariable(q)) s"${q}key" else "key"))
      )
      Try(found) match {
        case Success(some) =>
          compared += 1
          assert(some.toSet == expected.toSet, s"$table, $by, $written")
        // An expression is a key if it is written with the same table, or with a variable for none.
        case Failure(e: AnalysisException) =>
          assert(ofKey.nonEmpty || qualifiers.exists(q => q.nonEmpty && !isVariable(q)), e)
          assert(e.getCondition == "MISSING_AGGREGATION", written)
        case Failure(e) => throw e
      }
    }
    assert(compared > 10)
  }

  test("a column of the input comes before a name of the SELECT list") {
    // As in GROUP BY: the key is the column k.
    val found = grouped("p - p AS k, count(*) OVER w", "k, p", window("t.k, p", "k > 1"))
    assert(found.map(_.last.toString).sorted == Seq("1", "1", "1", "2", "3", "4"))
    val other = "p + 1 AS k, count(*) OVER w"
    val e = intercept[AnalysisException](grouped(other, "p + 1", window("sum(v)", "k > 1")))
    assert(e.getCondition == "MISSING_AGGREGATION")
    val total = "p + 1 AS q, sum(v) AS s, count(*) OVER w"
    val unknown =
      intercept[AnalysisException](grouped(total, "q", window("p + 1", "s > 1"))).getCondition
    assert(unknown.startsWith("UNRESOLVED_COLUMN."))
  }

  test("numbers, names of the SELECT list and ALL") {
    val w = window("p", "p > 1")
    val expected = Seq(row(1, 240L, 3L), row(2, 90L, 2L), row(3, 60L, 1L))
    Seq("p", "1", "ALL", "t.p").foreach { by =>
      assert(grouped("p, sum(v), count(*) OVER w", by, w) == expected)
    }
    assert(grouped("p, count(*) OVER w AS n, n + 1 AS n1", "p", w).map(_(2)) == Seq(4, 3, 2))
    assert(
      rows(s"SELECT sum(sum(v)) OVER w AS s FROM $input ${window("max(v)", "TRUE")}") == Seq(
        Row(390)
      )
    )
  }

  test("a variable comes before a table of its name, in keys too") {
    def counts(table: String, key: String, define: String) = {
      val from = input.replace("AS t(", s"AS $table(")
      val query = s"SELECT count(*) OVER w FROM $from GROUP BY $key ${window(key, define)}"
      rows(query).map(_.getLong(0)).sorted
    }
    Seq("A", "B").foreach { variable =>
      val define = s"$variable.p % 3 = 0"
      assert(counts(variable, s"$variable.p % 3", define) == counts("t", "p % 3", define), define)
    }
    assert(counts("A", "A.p % 3", "A.p % 3 = 0") == Seq(1, 1, 3))
  }

  test("HAVING reads names of the SELECT list") {
    val w = window("p", "p > 1")
    def having(select: String, by: String, condition: String) =
      grouped(s"$select, count(*) OVER w", s"$by HAVING $condition", w)
    val two = Seq(row(1, 240L, 2L), row(2, 90L, 1L))
    assert(having("p, sum(v) AS s", "p", "s > 80") == two)
    assert(having("p, sum(v) AS s", "p", "coalesce(s, 0) BETWEEN 80 AND 300 AND max(v) > 0") == two)
    assert(having("p AS q, sum(v) AS s", "ROLLUP (p)", "s > 80 AND q IS NOT NULL") == two)
    // Before a column of the input that only aggregates may read, and after a key.
    assert(having("p, sum(v) AS v", "p", "v > 80 AND min(v) < 80") == two)
    assert(having("p AS k, sum(v) AS p", "p", "p > 2") == Seq(row(3, 60L, 1L)))
  }

  test("aggregates whose types Spark coerces, beside windows") {
    val w = window("p", "TRUE")
    Seq(
      "sum(p + 1L)",
      "sum(v * 1.5)",
      "count(*) FILTER (WHERE v > 50L)",
      "max(p + 0.5D) + min(1L + k)",
      "coalesce(sum(v + 1L), 0)",
      "count(DISTINCT v % 2L)"
    ).foreach { aggregate =>
      val expected = rows(s"SELECT p, $aggregate FROM $input GROUP BY p").map(_.toSeq)
      val found = grouped(s"p, $aggregate, count(*) OVER w", "p", w).map(_.init)
      assert(found == expected.sortBy(_.toString), aggregate)
      val inside = grouped(s"p, coalesce(max($aggregate) OVER w, 0L) AS m", "p", w)
      assert(inside.length == 3, aggregate)
    }
    val alias = grouped("p, count(*) OVER w AS n, abs(n + 1L) + sum(v + 1L) AS s", "p", w)
    assert(alias.map(_(2)) == Seq(247L, 95L, 63L))
  }

  test("mistakes in the SELECT list are named") {
    def condition(select: String, by: String = "p") =
      intercept[AnalysisException](grouped(select, by, window("p", "TRUE"))).getCondition
    val unknown = "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert(condition("p, nosuch, count(*) OVER w") == unknown)
    assert(condition("p, count(*) OVER w", "p, nosuch") == unknown)
    assert(condition("p, max(nosuch) OVER w") == unknown)
    assert(condition("p, array(p) + 1, count(*) OVER w").startsWith("DATATYPE_MISMATCH."))
  }

  test("correlated subqueries beside, of keys that some groups lack", Slow) {
    val frame = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    val groups = s"SELECT p, count(*) OVER (ORDER BY p $frame) AS n FROM $input GROUP BY"
    val subqueries = Seq(
      "(SELECT count(*) FROM VALUES (1), (2) AS o(z) WHERE o.z < p)",
      "EXISTS (SELECT 1 FROM VALUES (1), (2) AS o(z) WHERE o.z > p)",
      "p IN (SELECT z FROM VALUES (1), (2) AS o(z) WHERE z < p + 1)"
    )
    for { by <- Seq("p", "ROLLUP (p)", "CUBE (p)"); subquery <- subqueries } {
      val found = grouped(s"p, $subquery AS c, count(*) OVER w", by, window("p", "TRUE"))
      val expected = rows(s"SELECT p, $subquery AS c, n FROM ($groups $by)").map(_.toSeq)
      assert(found == expected.sortBy(_.toString), s"$subquery $by")
    }
  }

  test("a key that is a field of a struct") {
    val expected = Seq(row(1, 3L, 1), row(2, 2L, 2), row(3, 1L, 3))
    def check(by: String, define: String, last: String = "LAST(B.x.p)"): Unit = {
      val w = window("x.p", define, s"MEASURES COALESCE(FIRST(x.p), $last) AS m")
      val found = rows(
        "SELECT x.p, count(*) OVER w, m OVER w FROM (SELECT named_struct('p', p, 'q', " +
          s"named_struct('r', p)) AS x, v FROM $input) AS t GROUP BY $by $w"
      )
      val kept = found.map(_.toSeq).filter(_.head != null)
      assert(kept.sortBy(_.toString) == expected, s"$by $define")
    }
    Seq("x.p > 1", "B.x.p > 1", "t.x.p > 1", "x.P > 1 AND PREV(x.p) < 3").foreach(check("x.p", _))
    Seq("t.x.p", "1", "ALL").foreach(check(_, "x.p > LAST(A.x.p)"))
    check("ROLLUP (x.p)", "x.p > 1")
    check("x.p, x.q", "x.p > 1 AND x.q.r > 1")
    check("x.p, x.q.r", "x.p > 1 AND B.x.q.r > 1", "FIRST(x.q.r)")
    val e = intercept[AnalysisException](check("x.p", "x.q.r > 1"))
    assert(e.getCondition == "MISSING_AGGREGATION", e.getMessage)
  }

  test("an aggregate in DEFINE is not a key because an item of SELECT is named like one") {
    val e = intercept[AnalysisException] {
      grouped("sum(v) AS k, count(*) OVER w", "k", window("k", "sum(v) > 3"))
    }
    assert(e.getCondition == "MISSING_AGGREGATION", e.getMessage)
  }

  test("ordinary windows and filters of functions beside") {
    val w = window("p", "p > 1")
    val ranked = grouped("p, count(*) OVER w, rank() OVER (ORDER BY sum(v)) AS r", "ALL", w)
    assert(ranked == Seq(row(1, 3L, 3), row(2, 2L, 2), row(3, 1L, 1)))
    val filtered =
      s"SELECT big, count(*) FILTER (WHERE big) OVER w FROM (SELECT v > 60 AS big FROM $input)"
    val found = rows(
      s"$filtered GROUP BY ROLLUP (big) ${window("big", "TRUE").replace("TRUE", "big IS NOT NULL")}"
    )
    assert(found.map(_.toSeq).toSet == Set(row(null, 1L), row(false, 1L), row(true, 1L)))
  }
}
