package io.matchrecognize.execution.truth

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.SparkThrowable

import io.matchrecognize.QuerySuite

class TaskConditionsSuite extends QuerySuite {
  private def query(define: String) =
    s"""SELECT * FROM range(100) MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS n
       |  PATTERN (A A | B | X C) DEFINE $define)""".stripMargin

  test("equal conditions of several variables are evaluated once for each row") {
    spark.udf.register("counted", TaskConditionsSuite.counted)
    def evaluations(a: String, b: String): Long = {
      TaskConditionsSuite.calls.set(0)
      assert(rows(query(s"A AS $a, B AS $b, C AS ${b.replace("B.", "C.")}")).isEmpty)
      TaskConditionsSuite.calls.get
    }
    assert(evaluations("counted(A.id) < 0", "counted(B.id) < 0") == 100)
    // A comparison may not tell zeros apart, a function does.
    assert(evaluations("counted(id) < 0.0D", "counted(id) < -0.0D") == 200)
  }

  test("an error of equal conditions is that of the variable") {
    val sql = query("A AS 10 / (id - 5) > 100, B AS FALSE, C AS 10 / (id - 5) > 100")
    val error = intercept[Exception](rows(sql))
    val context = error.asInstanceOf[SparkThrowable].getQueryContext()(0)
    assert(context.startIndex == sql.lastIndexOf("10 / ") && error.getMessage.contains("as `C`"))
  }
}

private object TaskConditionsSuite {
  // Of this JVM, as the tasks are.
  val calls = new AtomicLong
  val counted: Long => Long = value => value + 0 * calls.incrementAndGet()
}
