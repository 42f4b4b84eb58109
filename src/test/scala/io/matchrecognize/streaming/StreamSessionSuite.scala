package io.matchrecognize.streaming

import java.nio.file.{Files, Path, Paths}

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.optimizer.{BooleanSimplification, ConstantFolding}
import org.scalatest.Outcome

import io.matchrecognize.Sampled
import io.matchrecognize.streaming.state.SessionSettings

/**
 * What a session decides about the state of a clause, changed between two starts: the state is read
 * as it was written, or the start is refused and says why.
 */
class StreamSessionSuite extends StreamSuite {
  private val mismatch = "[MATCH_RECOGNIZE_CHECKPOINT_MISMATCH."

  private def clause(
      b: String,
      measures: String = "FIRST(A.v) AS a, B.v AS b, COUNT(*) AS n",
      order: String = "ts",
      input: String = "s"
  ): String = s"""SELECT * FROM $input MATCH_RECOGNIZE (PARTITION BY g ORDER BY $order
    MEASURES $measures PATTERN (A+ B) DEFINE A AS v < 5, B AS v >= 5 AND ($b))"""

  private val opening = "a1@1 a3@2 a2@3 b0@4"
  private val closing = "a5@5 b0@60"

  override protected def withFixture(test: NoArgTest): Outcome =
    withConf("spark.sql.shuffle.partitions" -> "1")(super.withFixture(test))

  /** The rows after a restart, or why there was none. */
  private def restarted(sql: String)(change: => Unit): Try[Seq[String]] = {
    val source = newSource()
    view(source, "0 seconds")
    val checkpoint = newDirectory()
    run(sql, Seq(source), checkpoint)(_.add(opening))
    change
    Try(failureOr(run(sql, Seq(source), checkpoint) { run =>
      run.add(closing)
      run.taken()
    }))
  }

  private def failureOr[T](body: => T): T = {
    var result: Option[T] = None
    val e = Try { result = Some(body) }
    result.getOrElse(throw failure(throw e.failed.get))
  }

  private def onTable(sql: String): Seq[String] = {
    val session = spark
    import session.implicits._
    Event.of(s"$opening $closing").toDF().createOrReplaceTempView("s")
    spark.sql(sql).collect().map(row => shown(row)).toSeq.sorted
  }

  /** @return the message, if the start was refused */
  private def check(sql: String)(change: => Unit): Option[String] = restarted(sql)(change) match {
    case Success(rows) =>
      assert(rows == onTable(sql), sql)
      None
    case Failure(e) =>
      assert(e.getMessage.startsWith(mismatch), sql)
      Some(e.getMessage)
  }

  private def inDatabases(body: => Unit): Unit = {
    spark.sql("CREATE DATABASE IF NOT EXISTS d2")
    try body
    finally {
      spark.sql("USE default")
      spark.sql("DROP DATABASE d2"): Unit
    }
  }

  private val folded = "current_database() = 'default'"

  test("conditions whose optimised form depends on the session's database", Slow) {
    Seq(
      clause(s"IF($folded, SUM(A.v - A.v), SUM(A.v)) > 2"),
      clause(s"$folded OR LAST(CLASSIFIER(), 1) = 'A'"),
      clause(s"$folded OR COUNT(DISTINCT A.v) = 3"),
      clause(s"MAX(IF($folded, A.v, -A.v)) = 3"),
      clause(s"$folded OR PREV(v) = 2"),
      clause("TRUE", s"IF($folded, 0, LAST(A.v)) AS x, COUNT(*) AS n", "ts, v"),
      clause("TRUE", s"IF($folded, 0, MATCH_NUMBER()) AS x"),
      // A column of the input that the rows in the state do not have at first.
      clause(
        "TRUE",
        s"IF($folded, 0, LAST(A.w)) AS x, COUNT(*) AS n",
        "ts, w",
        "(SELECT g, ts, v, v + 7 AS w FROM s)"
      )
    ).foreach { sql =>
      inDatabases {
        val message = check(sql)(spark.sql("USE d2"): Unit)
        assert(message.forall(_.contains("current_database() (`spark_catalog.default`, now")), sql)
      }
    }
  }

  test("conditions whose optimised form depends on the optimizer's rules") {
    val both = "concat('a', 'b') = 'ab'"
    val rules = Seq(ConstantFolding, BooleanSimplification).map(_.ruleName).mkString(",")
    val confs = Seq("spark.sql.optimizer.excludedRules" -> rules)
    val all = Seq(
      s"$both OR SUM(A.v) > 2" -> "aggregates",
      s"IF($both, SUM(A.v - A.v), SUM(A.v)) < 2" -> "aggregates",
      s"$both OR FIRST(A.v) = 1" -> "registers",
      s"SUM(A.v) > 2 AND $both" -> ""
    )
    Sampled.oneIn(4, all).foreach { case (b, part) =>
      val sql = clause(b)
      for ((first, second) <- Seq((Nil, confs), (confs, Nil))) {
        val source = newSource()
        view(source, "0 seconds")
        val checkpoint = newDirectory()
        withConf(first: _*)(run(sql, Seq(source), checkpoint)(_.add(opening)))
        val result = Try(failureOr(withConf(second: _*)(run(sql, Seq(source), checkpoint) { run =>
          run.add(closing)
          run.taken()
        })))
        result match {
          case Success(rows) => assert(rows == onTable(sql), b)
          case Failure(e) =>
            assert(e.getMessage.startsWith(mismatch) && e.getMessage.contains(part), b)
        }
        // Where the layout is the same, the query resumes.
        if (part.isEmpty) assert(result.isSuccess)
      }
    }
  }

  private def description(checkpoint: String): Path =
    Paths.get(checkpoint, "state", "0", "_matchRecognize", "clause.json")

  test("aggregates that are one once they are optimised are one in the state") {
    val source = newSource()
    view(source, "0 seconds")
    val checkpoint = newDirectory()
    val sql = clause("SUM(A.v) > 1 AND SUM(IF(concat('a', 'b') = 'ab', A.v, 0)) < 90")
    run(sql, Seq(source), checkpoint)(_.add(opening))
    val text = Files.readString(description(checkpoint))
    val folds = "\"aggregates of DEFINE\" : \"(.*)\"".r.findFirstMatchIn(text).get.group(1)
    assert(" as \\(".r.findAllIn(folds).size == 1, folds)
  }

  test("a function registered again with another type, in an aggregate", Slow) {
    val sql = clause("SUM(typed_again(A.v)) > 2")
    spark.udf.register("typed_again", (x: Int) => x)
    val message = check(sql)(spark.udf.register("typed_again", (x: Int) => x.toDouble): Unit)
    assert(message.exists(_.contains("aggregates")))
    assert(check(sql)(()).isEmpty)
  }

  test("each setting that expressions read") {
    val sql = clause("SUM(A.v) > 2")
    val source = newSource()
    view(source, "0 seconds")
    val checkpoint = newDirectory()
    run(sql, Seq(source), checkpoint)(_.add(opening))
    val known = SessionSettings.values
    assert(known.length > 40)
    Sampled.oneIn(4, known).foreach { case (key, value) =>
      val other = value match {
        case "true" => "false"
        case "false" => "true"
        case _ =>
          Map(
            "spark.sql.session.timeZone" -> "Asia/Tokyo",
            "spark.sql.timestampType" -> "TIMESTAMP_NTZ",
            "spark.sql.mapKeyDedupPolicy" -> "LAST_WIN",
            "spark.sql.legacy.timeParserPolicy" -> "LEGACY",
            "spark.sql.columnNameOfCorruptRecord" -> "_bad",
            "spark.sql.binaryOutputStyle" -> "HEX",
            "spark.sql.legacy.csv.enableDateTimeParsingFallback" -> "true",
            "spark.sql.legacy.json.enableDateTimeParsingFallback" -> "true",
            "spark.sql.legacy.nullInEmptyListBehavior" -> "true"
          ).getOrElse(key, fail(s"a value for $key, not $value"))
      }
      val e = withConf(key -> other)(failure(run(sql, Seq(source), checkpoint)(_.add(closing))))
      assert(e.getMessage.startsWith(s"${mismatch}SESSION_CONF"), key)
      assert(e.getMessage.contains(s""""$key" = $other"""))
    }
    run(sql, Seq(source), checkpoint) { run =>
      run.add("b0@61")
      assert(run.taken() == Seq("a,1,5,4"))
    }
  }
}
