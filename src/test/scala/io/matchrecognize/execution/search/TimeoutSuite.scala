package io.matchrecognize.execution.search

import org.apache.spark.sql.Row

import io.matchrecognize.QuerySuite

/** Measures, errors and metrics of SHOW TIMEOUT MATCHES; random queries cover what it finds. */
class TimeoutSuite extends QuerySuite {
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
