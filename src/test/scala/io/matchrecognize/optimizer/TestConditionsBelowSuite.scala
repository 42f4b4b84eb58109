package io.matchrecognize.optimizer

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.scalatest.tagobjects.Slow

import io.matchrecognize.QuerySuite
import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.expressions.ConditionBit
import io.matchrecognize.plans.MatchRecognize

class TestConditionsBelowSuite extends QuerySuite {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql("""SELECT id % 5 AS k, id AS ts, IF(id % 11 = 0, NULL, pmod(hash(id, 7), 13)) AS v,
        |  IF(id % 17 = 0, NULL, substr('abcde', pmod(hash(id), 5) + 1, 1)) AS letter,
        |  'x' AS unused, id % 2 = 0 AS even
        |FROM range(400)""".stripMargin)
      .createOrReplaceTempView("tested_rows")
  }

  private def query(parts: String): String =
    s"SELECT * FROM tested_rows MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts $parts)"

  private def optimized(sql: String): LogicalPlan =
    spark.sql(sql).asInstanceOf[ClassicDataset[Row]].queryExecution.optimizedPlan

  private def node(plan: LogicalPlan): MatchRecognize =
    plan.collectFirst { case m: MatchRecognize => m }.get

  private def bits(m: MatchRecognize): Seq[ConditionBit] =
    m.clause.conditions.flatMap(_.collect { case bit: ConditionBit => bit })

  /** Columns of the operator's input, of the rewritten plan. */
  private def compared(sql: String): Seq[String] = {
    val found = Seq("true", "false").map { isOn =>
      withConf(MatchRecognizeConf.TestBelow.key -> isOn)(rows(sql).map(_.toString))
    }
    assert(found.head == found.last, sql)
    assert(found.head.nonEmpty, sql)
    node(optimized(sql)).child.output.map(_.name)
  }

  private val letters = "A AS letter = 'a', B AS letter <> 'a', C AS letter = 'c' AND v > 3"
  private val one = "MEASURES FIRST(ts) AS f, LAST(ts) AS l, COUNT(*) AS n"

  test("columns that only conditions on one row read are dropped below the operator") {
    val sql = query(s"$one PATTERN (A B*? C) DEFINE $letters")
    assert(compared(sql) == Seq("k", "ts", "conditions"))
    val m = node(optimized(sql))
    assert(bits(m).map(_.bit) == Seq(0, 1, 2))
    assert(m.child.isInstanceOf[Project])
    val shown = rows(s"EXPLAIN FORMATTED $sql").head.getString(0)
    assert(shown.contains("letter") && shown.contains("A AS (LAST(letter"), shown)
  }

  test("not if nothing is saved, or if it is switched off") {
    val needed = query(
      s"$one, LAST(letter) AS x PATTERN (A B*? C) DEFINE A AS letter = 'a', C AS letter = 'c'"
    )
    assert(compared(needed) == Seq("k", "ts", "letter"))
    val number = query(s"$one PATTERN (A B) DEFINE A AS v > 3, B AS v < 9")
    assert(compared(number) == Seq("k", "ts", "v"))
    val two = query(s"$one PATTERN (A B) DEFINE A AS v > 3, B AS even")
    assert(compared(two) == Seq("k", "ts", "conditions"))
    withConf(MatchRecognizeConf.TestBelow.key -> "false") {
      val m = node(optimized(query(s"$one PATTERN (A B*? C) DEFINE $letters")))
      assert(bits(m).isEmpty && m.child.output.map(_.name) == Seq("k", "ts", "v", "letter"))
    }
  }

  test("conjuncts that read other rows stay") {
    val sql = query(
      s"""$one PATTERN (A B+ C) SUBSET U = (B, C)
      DEFINE A AS letter <> 'b', B AS U.letter <> 'c' AND v > PREV(v),
        C AS letter <> 'd' AND C.v < A.v + 2.5D"""
    )
    assert(compared(sql) == Seq("k", "ts", "v", "conditions"))
    val m = node(optimized(sql))
    assert(bits(m).map(_.bit) == Seq(0, 1, 2))
    assert(m.clause.conditions.forall(!_.references.exists(_.name == "letter")))
  }

  test("equal conditions share a bit") {
    val sql = query(
      s"$one PATTERN (A X*? B Y*? C) DEFINE A AS letter = 'a', X AS letter <> 'e', B AS letter = 'b', " +
        "Y AS letter <> 'e', C AS C.letter = 'c'"
    )
    assert(compared(sql) == Seq("k", "ts", "conditions"))
    assert(bits(node(optimized(sql))).map(_.bit) == Seq(0, 1, 2, 1, 3))
  }

  test("every output shape, NULLs and unmatched rows", Slow) {
    val unknown = "A AS letter <> 'a', B AS NOT (letter = 'c') OR letter IS NULL"
    Seq(
      s"$one ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW PATTERN (A B+) DEFINE $unknown",
      s"$one ALL ROWS PER MATCH PATTERN (A B*) DEFINE $unknown",
      s"$one ALL ROWS PER MATCH WITH UNMATCHED ROWS PATTERN (A B+ A) DEFINE $unknown",
      s"$one PATTERN (A* B? ) WITHIN 7 DEFINE $unknown",
      s"$one, CLASSIFIER() AS c, MATCH_NUMBER() AS m AFTER MATCH SKIP TO LAST B PATTERN (A+ B) " +
        s"DEFINE $unknown",
      s"$one PATTERN (PERMUTE(A, B)) DEFINE $unknown"
    ).foreach { parts =>
      val all = query(parts)
      compared(all)
      assert(compared(all.replace("SELECT *", "SELECT k, f, n")) == Seq("k", "ts", "conditions"))
    }
  }

  test("conditions that may fail are tested where the search tests them") {
    withConf("spark.sql.ansi.enabled" -> "true") {
      val sql =
        query(s"$one PATTERN (A B) DEFINE A AS letter = 'a', B AS letter = 'b' OR 10 / v > 1")
      assert(bits(node(optimized(sql))).isEmpty)
      val none = query("MEASURES COUNT(*) AS n PATTERN (A B) DEFINE A AS ts < 0, B AS 1 / v > 0")
      assert(rows(none).isEmpty)
    }
  }

  test("many variables have the bits that there are") {
    val names = (0 until 40).map(i => s"V$i")
    val sql = query(
      s"$one PATTERN ((${names.mkString(" | ")})+) DEFINE " +
        names.zipWithIndex.map { case (n, i) => s"$n AS v <> $i AND letter <> 'e'" }.mkString(", ")
    )
    withConf(MatchRecognizeConf.TestBelow.key -> "true") {
      val plan = node(optimized(sql.replace("letter <> 'e'", "even")))
      assert(bits(plan).isEmpty)
    }
    compared(sql)
    val few = names.take(31)
    val known = query(
      s"$one PATTERN ((${few.mkString(" | ")})+) DEFINE " +
        few.zipWithIndex.map { case (n, i) => s"$n AS v = $i AND letter <> 'e'" }.mkString(", ")
    )
    assert(compared(known) == Seq("k", "ts", "conditions"))
  }

  test("row pattern windows stay as they are") {
    val sql =
      """SELECT count(*) OVER w AS n FROM tested_rows WINDOW w AS (PARTITION BY k ORDER BY ts
      ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING PATTERN (A B+)
      DEFINE A AS letter = 'a', B AS letter <> 'c')"""
    assert(compared(sql) == Seq("k", "ts", "letter"))
  }

  test("a self-join and the reuse of exchanges") {
    val clause = query(s"$one PATTERN (A B*? C) DEFINE $letters")
    val join = s"WITH m AS ($clause) SELECT x.f, y.l FROM m x JOIN m y ON x.k = y.k AND x.f = y.f"
    val found = Seq("true", "false").map { isOn =>
      withConf(MatchRecognizeConf.TestBelow.key -> isOn)(rows(join).map(_.toString).sorted)
    }
    assert(found.head == found.last && found.head.nonEmpty)
    val plans = Seq(clause, clause).map(sql => optimized(sql))
    assert(plans.head.sameResult(plans.last))
  }
}
