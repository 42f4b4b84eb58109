package io.matchrecognize.execution.search

import org.apache.spark.sql.Row

import io.matchrecognize.QuerySuite

/** ONE ROW PER MATCH SHOW TIMEOUT MATCHES. */
class TimeoutSuite extends QuerySuite {

  /**
   * Number, first and last key of what is found with WITHIN 10.
   *
   * @param data
   *   key and letter; variables A to C take their letter, X any row
   */
  private def found(
      data: Seq[(Int, String)],
      pattern: String,
      skip: String = "PAST LAST ROW"
  ): Seq[(Option[Long], Int, Int)] = {
    val values = data.map { case (n, e) => s"($n, '$e')" }.mkString(", ")
    val define = Seq("A", "B", "C")
      .filter(v => s"\\b$v\\b".r.findFirstIn(pattern).isDefined)
      .map(v => s"$v AS e = '${v.toLowerCase}'")
    val defines = if (define.isEmpty) "" else define.mkString("DEFINE ", ", ", "")
    rows(s"""SELECT * FROM VALUES $values AS t(n, e) MATCH_RECOGNIZE (ORDER BY n
      |MEASURES MATCH_NUMBER() AS m, FIRST(n) AS s, LAST(n) AS f
      |ONE ROW PER MATCH SHOW TIMEOUT MATCHES AFTER MATCH SKIP $skip
      |PATTERN ($pattern) WITHIN 10 $defines)""".stripMargin).map { row =>
      val number = if (row.isNullAt(0)) None else Some(row.getLong(0))
      (
        number,
        if (row.isNullAt(1)) -1 else row.getInt(1),
        if (row.isNullAt(2)) -1 else row.getInt(2)
      )
    }
  }

  private def out(first: Int, last: Int) = (None, first, last)
  private def matched(number: Long, first: Int, last: Int) = (Some(number), first, last)

  test("a path that waits at the bound, at the end of the partition, not one that a row ended") {
    assert(found(Seq(0 -> "a", 5 -> "b", 20 -> "x"), "A B C") == Seq(out(0, 5)))
    assert(found(Seq(0 -> "a", 5 -> "b"), "A B C") == Seq(out(0, 5)))
    assert(found(Seq(0 -> "a", 5 -> "x", 20 -> "b"), "A B C") == Nil)
    assert(found(Seq(0 -> "a", 20 -> "b"), "A B") == Seq(out(0, 0)))
    assert(found(Seq(0 -> "x"), "A B") == Nil)
  }

  test("a match wins over every path that waits, the empty match too") {
    assert(found(Seq(0 -> "a", 3 -> "c", 5 -> "x"), "A X* C") == Seq(matched(1, 0, 3)))
    assert(found(Seq(0 -> "a"), "(A B)?") == Seq(matched(1, -1, -1)))
    assert(found(Seq(0 -> "a", 1 -> "a"), "A+") == Seq(matched(1, 0, 1)))
    assert(found(Seq(0 -> "a"), "A (B | ())") == Seq(matched(1, 0, 0)))
  }

  test("no number, no skip: the search resumes at the next row") {
    val data = Seq(0 -> "a", 2 -> "b", 20 -> "a", 40 -> "a", 45 -> "b")
    assert(found(data, "A B") == Seq(matched(1, 0, 2), out(20, 20), matched(2, 40, 45)))
    assert(found(Seq(0 -> "a", 1 -> "a"), "A{3}") == Seq(out(0, 1), out(1, 1)))
    // AFTER MATCH SKIP TO B would be an error on a path without B.
    assert(found(Seq(0 -> "a", 1 -> "a"), "A{3} B", "TO B") == Seq(out(0, 1), out(1, 1)))
    val later = Seq(0 -> "a", 8 -> "a", 15 -> "b")
    assert(found(later, "A+ B") == Seq(out(0, 8), matched(1, 8, 15)))
    // Rows of a match start nothing.
    val inside = Seq(0 -> "a", 1 -> "a", 2 -> "b", 3 -> "a", 40 -> "x")
    assert(found(inside, "A+ B") == Seq(matched(1, 0, 2), out(3, 3)))
    assert(
      found(inside, "A+ B", "TO NEXT ROW") ==
        Seq(matched(1, 0, 2), matched(2, 1, 2), out(3, 3))
    )
  }

  test("anchors and exclusion") {
    val data = Seq(0 -> "a", 5 -> "a", 20 -> "a")
    assert(found(data, "A+ $") == Seq(out(0, 5), out(5, 5), matched(1, 20, 20)))
    assert(found(data, "A $ B") == Nil)
    assert(found(data, "^ A B") == Nil)
    assert(found(Seq(0 -> "a", 20 -> "a"), "^ A B") == Seq(out(0, 0)))
    assert(found(Seq(0 -> "a", 5 -> "b", 20 -> "c"), "A {- B -} C") == Seq(out(0, 5)))
  }

  test("of the paths that wait the most preferred one is shown") {
    val sql =
      """SELECT * FROM VALUES (0, 'a'), (3, 'a') AS t(n, e) MATCH_RECOGNIZE (ORDER BY n
        |MEASURES FIRST(n) AS s, LAST(P.n) AS p, LAST(Q.n) AS q, CLASSIFIER() AS c, COUNT(*) AS k
        |ONE ROW PER MATCH SHOW TIMEOUT MATCHES
        |PATTERN (BRANCHES B) WITHIN 10 DEFINE B AS e = 'b')""".stripMargin
    def shown(branches: String) = rows(sql.replace("BRANCHES", branches))
    assert(shown("(P P | Q Q)") == Seq(Row(0, 3, null, "P", 2L), Row(3, 3, null, "P", 1L)))
    assert(shown("(P | Q Q)") == Seq(Row(0, null, 3, "Q", 2L), Row(3, 3, null, "P", 1L)))
    assert(shown("(P+ Q+)") == Seq(Row(0, 3, null, "P", 2L), Row(3, 3, null, "P", 1L)))
    assert(shown("(P+? Q+)") == Seq(Row(0, 0, 3, "Q", 2L), Row(3, 3, null, "P", 1L)))
  }

  test("measures over the path: aggregates, FINAL, NEXT beyond it, NULL number, the partition") {
    val sql =
      """SELECT * FROM VALUES (0, 'a'), (3, 'b'), (6, 'b'), (30, 'c') AS t(n, e)
        |MATCH_RECOGNIZE (PARTITION BY lower('P') ORDER BY n
        |MEASURES FIRST(n) AS s, MATCH_ROWTIME() AS rt, SUM(B.n) AS sb, FINAL LAST(B.n, 1) AS l1,
        |  NEXT(n) AS nx, C.n AS c, COUNT(C.*) AS cc, COALESCE(MATCH_NUMBER(), -1) AS m
        |ONE ROW PER MATCH SHOW TIMEOUT MATCHES
        |PATTERN (A B+ C) WITHIN 10 DEFINE A AS e = 'a', B AS e = 'b', C AS e = 'c')""".stripMargin
    assert(rows(sql) == Seq(Row(0, 6, 9L, 3, 30, null, 0L, -1L)))
    val keyed =
      """SELECT * FROM VALUES ('x', 0), ('x', 50), ('y', 7) AS t(g, n) MATCH_RECOGNIZE (
        |PARTITION BY g ORDER BY n MEASURES n AS f ONE ROW PER MATCH SHOW TIMEOUT MATCHES
        |PATTERN (A B) WITHIN 10) ORDER BY g, f""".stripMargin
    assert(rows(keyed) == Seq(Row("x", 0), Row("x", 50), Row("y", 7)))
  }

  test("a condition that fails on the way is raised, one beyond the bound is not") {
    def query(bound: Int) =
      s"""SELECT s FROM VALUES (0, 5), (1, 0) AS t(n, v) MATCH_RECOGNIZE (ORDER BY n
        |MEASURES FIRST(n) AS s ONE ROW PER MATCH SHOW TIMEOUT MATCHES
        |PATTERN (A B C) WITHIN $bound DEFINE A AS n = 0, B AS 1 / B.v > 0)""".stripMargin
    assert(rows(query(0)) == Seq(Row(0)))
    assert(intercept[Exception](rows(query(1))).getMessage.contains("DIVIDE_BY_ZERO"))
  }

  test("a NULL key is a window of its own, at whose end a path waits") {
    val sql =
      """SELECT s FROM VALUES (1, NULL), (2, NULL), (3, 0), (4, 5) AS t(k, n)
        |MATCH_RECOGNIZE (ORDER BY n, k MEASURES FIRST(k) AS s
        |ONE ROW PER MATCH SHOW TIMEOUT MATCHES PATTERN (A B) WITHIN 10) ORDER BY s""".stripMargin
    assert(rows(sql) == Seq(Row(1), Row(2), Row(3)))
  }

  test("time-outs count as rows, not as matches; a limit stops the search") {
    val frame = spark.sql(
      """SELECT * FROM range(0, 100, 1, 1) MATCH_RECOGNIZE (ORDER BY id
        |MEASURES FIRST(id) AS s, COUNT(*) AS n ONE ROW PER MATCH SHOW TIMEOUT MATCHES
        |PATTERN (A{20}) WITHIN 10 DEFINE A AS id >= 50)""".stripMargin
    )
    assert(frame.collect().map(_.getLong(0)).toSeq == (50L until 100L))
    val metrics = matchNodes(frame).head.metrics
    assert(metrics("numMatches").value == 0)
    assert(metrics("numOutputRows").value == 50)
    val failing =
      """SELECT * FROM range(0, 1000, 1, 1) MATCH_RECOGNIZE (ORDER BY id MEASURES FIRST(id) AS s
        |ONE ROW PER MATCH SHOW TIMEOUT MATCHES PATTERN (A B{9}) WITHIN 3
        |DEFINE A AS 1 / (id - 900) < 1) LIMIT 2""".stripMargin
    assert(rows(failing) == Seq(Row(0L), Row(1L)))
  }
}
