package io.matchrecognize.analysis

import scala.util.Try

import org.apache.spark.{SparkEnv, SparkThrowable}

import io.matchrecognize.QuerySuite

/** Limits that Spark was started with: a session may lower and not raise them. */
class SessionLimitsSuite extends QuerySuite {
  private val key = "spark.matchRecognize.maxStepsPerMatch"
  private val query =
    "SELECT * FROM range(9) MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS n PATTERN (A+))"

  private def started(limits: (String, String)*)(body: => Unit): Unit = {
    val conf = SparkEnv.get.conf
    limits.foreach { case (name, value) => conf.set(name, value) }
    try body
    finally limits.foreach { case (name, _) => conf.remove(name) }
  }

  private def refused(body: => Any, text: String = ""): Unit = {
    val error = intercept[SparkThrowable](body)
    assert(error.getCondition == "MATCH_RECOGNIZE_LIMIT_EXCEEDED.SESSION")
    assert(error.asInstanceOf[Throwable].getMessage.contains(text))
  }

  test("a session may set at most what Spark was started with") {
    started(key -> "5000") {
      Seq("1", "5000").foreach(value => withConf(key -> value)(assert(rows(query).length == 1)))
      Seq("5001", "0").foreach(value => withConf(key -> value)(refused(rows(query))))
    }
    started(key -> "0")(withConf(key -> "9000000000000")(assert(rows(query).length == 1)))
  }

  test("units, patterns, and the message") {
    val (bytes, positions) =
      ("spark.matchRecognize.maxPathBytes", "spark.matchRecognize.maxPatternPositions")
    started(bytes -> "1m", positions -> "10") {
      withConf(bytes -> "1024k", positions -> "10")(assert(rows(query).length == 1))
      withConf(bytes -> "2m", positions -> "10")(refused(rows(query)))
      withConf(bytes -> "1m", positions -> "11") {
        val error = intercept[Exception](rows(query))
        assert(error.getMessage.contains(s""""$positions" is 11 in this session"""))
        assert(error.getMessage.contains("at most 10"))
      }
    }
  }

  test("a view made before there was a limit runs with it") {
    val positions = "spark.matchRecognize.maxPatternPositions"
    val view = "SELECT * FROM before"
    withConf(key -> "0", positions -> "1000") {
      val long = query.replace("(A+)", "(A{20}) DEFINE A AS SUM(A.id) >= 0")
      spark.sql(s"CREATE VIEW before AS $long")
    }
    def condition = intercept[SparkThrowable](rows(view)).getCondition
    try {
      started(key -> "5000", positions -> "30")(withConf(key -> "5000", positions -> "30") {
        assert(rows(view).isEmpty)
        withConf(positions -> "31")(refused(rows(view)))
        withConf(key -> "5")(assert(condition == "MATCH_RECOGNIZE_LIMIT_EXCEEDED.STEPS"))
      })
      started(positions -> "10")(withConf(positions -> "10") {
        assert(condition == "MATCH_RECOGNIZE_PATTERN_TOO_LARGE.POSITIONS")
      })
    } finally spark.sql("DROP VIEW before"): Unit
  }

  private val time = "spark.matchRecognize.maxSearchTime"

  test("the time of a search, in one partition") {
    // The first row has so many paths that no machine follows them all.
    val slow = """SELECT * FROM range(20000) MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS n
      PATTERN ((A | B)* C) DEFINE A AS SUM(A.id) >= 0, C AS SUM(A.id) = -1)"""
    val unlimited = Seq(key -> "0", "spark.matchRecognize.maxPathBytes" -> "8g")
    withConf(unlimited :+ time -> "100ms": _*) {
      val error = intercept[SparkThrowable](rows(slow))
      assert(error.getCondition == "MATCH_RECOGNIZE_LIMIT_EXCEEDED.TIME")
      val text = error.asInstanceOf[Throwable].getMessage
      assert(text.contains("partition (the only one) has taken 100 ms"))
      assert(text.contains(s"""or raise "$time" = 100ms."""))
    }
    val many = "SELECT n FROM range(2000) MATCH_RECOGNIZE (ORDER BY id " +
      "MEASURES LAST(id) AS n PATTERN (A) DEFINE A AS SUM(id) >= 0)"
    withConf(time -> "500ms") {
      val session = spark
      import session.implicits._
      // Who takes the rows takes two seconds.
      val taken = spark.sql(many).coalesce(1).as[Long].map { n =>
        Thread.sleep(1)
        n
      }
      assert(taken.collect().length == 2000)
    }
    started(time -> "1s")(withConf(time -> "2s")(refused(rows(query), "with 1s, which")))
    assert(Try(withConf(time -> "40000d")(rows(query))).isFailure)
  }

  test("a limit that is raised after the analysis") {
    started(key -> "5000") {
      withConf(key -> "5000") {
        val frame = spark.sql(query)
        withConf(key -> "0")(refused(frame.collect()))
      }
    }
  }
}
