package io.matchrecognize.optimizer

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{Command, Filter, LogicalPlan}
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.CommandExecutionMode
import org.apache.spark.sql.execution.columnar.InMemoryRelation

class MergeQuerySuite extends MergeSuite {
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    // Of other suites: while anything is cached, nothing is merged here.
    spark.catalog.clearCache()
    spark.sql("""CREATE OR REPLACE TEMP VIEW steps AS
      |SELECT id % 5 AS k, id AS i, CAST(hash(id) % 10 AS INT) AS v FROM range(60)""".stripMargin)
  }

  private def normalized(sql: String): LogicalPlan = query(spark.sql(sql)).normalized

  private def clause(
      number: Int,
      from: String = "steps",
      keys: String = "PARTITION BY k ORDER BY i",
      select: String = "k, n",
      rest: String = ""
  ): String = s"""SELECT 'p$number' AS p, $select FROM $from MATCH_RECOGNIZE ($keys
    |MEASURES COUNT(*) AS n, A.i AS a PATTERN (A B{$number}) DEFINE B AS v > PREV(v)) $rest""".stripMargin

  private val rules = union(clause(1), clause(2), clause(3))

  private def isRead(frame: DataFrame): Boolean =
    query(frame).optimizedPlan.exists(_.isInstanceOf[InMemoryRelation])

  private def whileCached(frames: DataFrame*)(check: => Unit): Unit = {
    frames.foreach(_.cache())
    try check
    finally frames.foreach(_.unpersist(blocking = true))
  }

  test("a query that is nothing but clauses is merged before the optimizer") {
    val named = clause(2, rest = "AS m")
    for (sql <- Seq(rules, union(clause(1), clause(2)), union(clause(1), named, clause(3)))) {
      assert(groups(normalized(sql)) == Seq(sql.split("UNION").length))
      val found = sorted(sql)
      assert(found.nonEmpty)
      withConf(apart) {
        assert(!groups(normalized(sql)).exists(_ > 1))
        assert(sorted(sql) == found)
      }
    }
  }

  test("a query that a command writes") {
    spark.sql("CREATE TABLE merged_found (p STRING, k BIGINT, n INT) USING parquet")
    try {
      val session = spark.asInstanceOf[ClassicSession]
      val insert = session.sessionState.sqlParser.parsePlan(s"INSERT INTO merged_found $rules")
      val command = session.sessionState.executePlan(insert, CommandExecutionMode.SKIP)
      assert(command.normalized.isInstanceOf[Command])
      assert(groups(command.normalized) == Seq(3))
      spark.sql(s"INSERT INTO merged_found $rules")
      assert(sorted("SELECT * FROM merged_found") == sorted(rules))
    } finally spark.sql("DROP TABLE merged_found"): Unit
  }

  test("what the optimizer simplifies is merged by it") {
    val folded = Seq("k < 2", "k < 1 + 1").map(c => s"(SELECT * FROM steps WHERE $c)")
    val filtered = union(clause(1, rest = "WHERE k = 1"), clause(2, rest = "WHERE k = 1"))
    val sqls = Seq(
      s"SELECT * FROM ($rules) WHERE p = 'p2'" -> Seq(1),
      s"SELECT p FROM ($rules)" -> Seq(3),
      s"SELECT *, IF(p = 'p1', n, 0) FROM ($rules)" -> Seq(3),
      s"$rules LIMIT 2" -> Seq(3),
      filtered -> Seq(2),
      union(clause(1), clause(2), "SELECT 'q', 1L, 2L") -> Seq(2),
      union(clause(1), clause(2), clause(3, select = "k, nullif(n, 3)")) -> Seq(3),
      union(clause(1, folded.head), clause(2, folded.last), clause(3, folded.head)) -> Seq(3)
    )
    for ((sql, expected) <- sqls) {
      assert(!groups(normalized(sql)).exists(_ > 1), sql)
      assert(groups(query(spark.sql(sql)).optimizedPlan) == expected, sql)
    }
    val pushed = query(spark.sql(filtered)).optimizedPlan.collect { case f: Filter => f }
    assert(pushed.exists(_.condition.sql.contains("= 1")), "the filter goes below the clauses")
  }

  test("inputs with other orders of a sum or a product are not one") {
    def sum(terms: String, from: String = "steps") = s"""SELECT m FROM
      |(SELECT /*+ COALESCE(1) */ k, i, 1e16D + $terms AS x FROM $from)
      |MATCH_RECOGNIZE (ORDER BY k, i MEASURES LAST(x) AS m PATTERN (A B*))""".stripMargin
    for (orders <- Seq(Seq("1 + 2", "2 + 1"), Seq("k + i", "i + k"), Seq("1 + 1", "(1 + 1)"))) {
      val sums = orders.map(terms => sum(terms, "(SELECT 1L AS k, 2L AS i)"))
      val found = sums.map(rows(_).head)
      assert(found.distinct.length == 2 && rows(union(sums: _*)) == found, orders)
      assert(groups(normalized(union(sums: _*))) == Seq(1, 1))
    }
    // Spark computes only one of such subqueries, merged or not.
    val subqueries = Seq("k + i", "i + k").map(s => sum(s"(SELECT sum(1e16D + $s) FROM steps)"))
    assert(groups(normalized(union(subqueries: _*))) == Seq(1, 1))
    assert(groups(normalized(union(subqueries.head, subqueries.head))) == Seq(2))
    assert(groups(normalized(union(sum("k"), sum("k")))) == Seq(2))
    def over(column: String) = s"""SELECT m FROM (SELECT k, $column AS x FROM steps GROUP BY k)
      |MATCH_RECOGNIZE (ORDER BY k MEASURES LAST(x) AS m PATTERN (A B*))""".stripMargin
    val percentile = over("approx_percentile(v, 0.25 + 0.25)")
    assert(groups(normalized(union(percentile, percentile))) == Seq(2))
    assert(rows(union(percentile, percentile)).distinct == rows(percentile))
    val most = Seq("k + 9223372036854775807", "try_add(k, 9223372036854775807)").map(over)
    assert(groups(normalized(union(most: _*))) == Seq(1, 1))
  }

  test("a cached query is read from the cache by whatever is made of it") {
    val found = sorted(rules)
    val whole = spark.sql(rules)
    assert(groups(query(whole).normalized) == Seq(3))
    whileCached(whole) {
      assert(isRead(spark.sql(rules)) && sorted(rules) == found)
      assert(
        isRead(whole.where("n > 2")) && isRead(whole.limit(2)) && isRead(whole.groupBy().count())
      )
      assert(isRead(spark.sql(s"SELECT a.n FROM ($rules) a JOIN steps USING (k)")))
      assert(whole.storageLevel.useMemory)
      withConf(apart)(assert(isRead(spark.sql(rules))))
      whileCached(spark.sql(clause(2)), spark.range(3).toDF())(assert(isRead(spark.sql(rules))))
    }
    assert(!isRead(spark.sql(rules)))
    whole.cache()
    spark.sql(rules).unpersist(blocking = true)
    assert(!isRead(spark.sql(rules)))
  }

  test("a cached clause and a cached input are read from the cache") {
    val found = sorted(rules)
    whileCached(spark.sql(clause(2))) {
      val sql = spark.sql(rules)
      assert(isRead(sql) && groups(query(sql).optimizedPlan) == Seq(2))
      assert(sorted(rules) == found)
      spark.sql(rules).cache()
    }
    assert(isRead(spark.sql(rules)))
    spark.sql(rules).unpersist(blocking = true)
    assert(!isRead(spark.sql(rules)))
    val clauses = Seq(clause(1), clause(2)).map(spark.sql)
    whileCached(clauses: _*) {
      val named = clauses.map(_.selectExpr("concat(p, '!') AS q", "n")).reduce(_ union _)
      assert(isRead(named) && groups(query(named).optimizedPlan).isEmpty)
    }
    whileCached(spark.table("steps"))(assert(isRead(spark.sql(rules)) && sorted(rules) == found))
  }

  test("a cached query follows a table that it reads") {
    spark.sql("CREATE TABLE merged_steps USING parquet AS SELECT * FROM steps")
    val sql = union(clause(1, "merged_steps"), clause(2, "merged_steps"))
    try
      whileCached(spark.sql(sql)) {
        val before = sorted(sql)
        spark.sql("INSERT INTO merged_steps SELECT 7L, i, v FROM steps")
        assert(isRead(spark.sql(sql)))
        val after = sorted(sql)
        assert(after.length > before.length)
        withConf(apart)(assert(sorted(s"SELECT * FROM ($sql) WHERE n > 0") == after))
      }
    finally spark.sql("DROP TABLE merged_steps"): Unit
  }
}
