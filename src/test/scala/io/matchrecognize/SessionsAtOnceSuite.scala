package io.matchrecognize

import java.nio.file.Files
import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import org.apache.spark.sql.{Row, SparkSession}

/** Sessions of one JVM that have other settings, at the same time: each has its own behaviour. */
class SessionsAtOnceSuite extends QuerySuite {
  private val rounds = 10

  private val query = "SELECT k, f, n FROM (SELECT id % 5 AS k, id, hash(id) % 7 AS v " +
    "FROM range(400)) MATCH_RECOGNIZE (PARTITION BY k ORDER BY id " +
    "MEASURES FIRST(id) AS f, COUNT(*) AS n PATTERN (A B+) DEFINE B AS v > A.v)"

  private def session(confs: (String, String)*): SparkSession = {
    val made = spark.newSession()
    confs.foreach { case (key, value) => made.conf.set(s"spark.matchRecognize.$key", value) }
    made
  }

  /** Runs each of `bodies` in a thread of its own, `times` times; the first ones begin together. */
  private def atOnce(times: Int)(bodies: (() => Unit)*): Unit = {
    val begin = new CountDownLatch(bodies.length)
    val threads = Executors.newFixedThreadPool(bodies.length)
    try {
      val running = bodies.map { body =>
        threads.submit[Unit] { () =>
          begin.countDown()
          begin.await()
          (1 to times).foreach(_ => body())
        }
      }
      running.foreach(_.get(5, TimeUnit.MINUTES))
    } finally {
      threads.shutdownNow()
      SparkSession.setActiveSession(spark)
    }
  }

  test("tables: limits, the parser, the sort and the shuffle are those of the query's session") {
    val expected = rows(query).toSet
    assert(expected.size > 30)
    def check(of: SparkSession, isOwn: Boolean): Unit = {
      val frame = of.sql(query)
      val names = nodes(executed(frame)).map(_.nodeName).toSet
      assert(names("BlockRead") == isOwn && names("Sort") == !isOwn, names)
      assert(frame.collect().toSet == expected)
    }
    def fails(of: SparkSession, condition: String): Unit = {
      val error = intercept[Throwable with SparkThrowable](of.sql(query).collect())
      assert(error.getCondition == condition)
    }
    val (plain, sorted) = (session(), session("sort" -> "spark", "shuffle" -> "spark"))
    val (limited, off) = (session("maxStepsPerMatch" -> "2"), session("enabled" -> "false"))
    atOnce(rounds)(
      () => check(plain, isOwn = true),
      () => check(sorted, isOwn = false),
      () => fails(limited, "MATCH_RECOGNIZE_LIMIT_EXCEEDED.STEPS"),
      () => assert(intercept[ParseException](off.sql(query)).getCondition == "FEATURE_NOT_ENABLED")
    )
  }

  test("streams: rows without a time are dropped by one session and end the query of another") {
    val folder = Files.createTempDirectory("at-once")
    val input =
      "SELECT id % 2 AS k, IF(id = 7, NULL, timestamp_seconds(id + 100)) AS ts FROM range(20)"
    spark.sql(input).coalesce(1).write.parquet(s"$folder/rows")
    val pairs = "SELECT * FROM arriving MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts " +
      "MEASURES FIRST(ts) AS f, LAST(ts) AS l PATTERN (A B))"
    val numbers = Iterator.from(0)

    def run(of: SparkSession): Seq[Row] = {
      val number = numbers.synchronized(numbers.next())
      val source = of.readStream.schema("k BIGINT, ts TIMESTAMP").parquet(s"$folder/rows")
      source.withWatermark("ts", "0 seconds").createOrReplaceTempView("arriving")
      val query = of
        .sql(pairs)
        .writeStream
        .format("memory")
        .queryName(s"pairs_$number")
        .option("checkpointLocation", s"$folder/checkpoint-$number")
        .trigger(Trigger.AvailableNow())
        .start()
      query.awaitTermination()
      of.table(s"pairs_$number").collect().toSeq
    }
    val (dropping, strict) = (session("stream.nullEventTime" -> "drop"), session())
    val table = s"(SELECT * FROM parquet.`$folder/rows` WHERE ts IS NOT NULL)"
    val expected = rows(pairs.replace("arriving", table)).toSet
    atOnce(2)(
      () => assert(run(dropping).toSet == expected),
      () => {
        val error = intercept[StreamingQueryException](run(strict))
        assert(error.getMessage.contains("MATCH_RECOGNIZE_INVALID_EVENT_TIME.NULL_VALUE"))
      }
    )
  }
}
