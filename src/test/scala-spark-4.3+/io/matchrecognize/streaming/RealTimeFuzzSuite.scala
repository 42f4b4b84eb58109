package io.matchrecognize.streaming

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.{Dataset, Encoder, Encoders, Row}

import io.matchrecognize.Sampled
import io.matchrecognize.conf.MatchRecognizeConf.OutOfOrder
import io.matchrecognize.fuzz.FuzzReport.plain
import io.matchrecognize.fuzz._
import io.matchrecognize.shims.StreamTesting.MemoryStream

/**
 * Random clauses in Real-Time Mode, in batches of a second: rows in order but for a few, which are
 * dropped, late rows, restarts in and between batches, both state store providers that the mode
 * has. What has been returned after each step is compared with the oracle: no row is missing, and
 * only rows of unfinished batches come twice.
 *
 * Sets of clauses in one operator are compared with an operator for each, in micro-batches.
 *
 * A long run: `-Dfuzz.realtime.queries=200 -Dfuzz.seed=7` as Java options of the test's process.
 */
class RealTimeFuzzSuite extends RealTimeSuite {
  private val cases = sys.props.get("fuzz.realtime.queries").fold(6)(_.toInt)
  private val sets = sys.props.get("fuzz.realtime.queries").fold(Sampled.size(3, 2))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  private var restarts = 0
  private var repeated = 0
  private var disordered = 0

  test(s"$cases random queries in Real-Time Mode from seed $seed agree with the oracle", Slow) {
    var returned = 0
    (0 until cases).foreach { i =>
      val number = seed * 1000000007L + i
      StreamJudge.judgeable(Arrivals.inOrder(number), tries = 3).foreach { case (arrivals, judge) =>
        val random = new Random(number)
        returned += inRealTime(confs(arrivals): _*) {
          check(s"query $i of seed $seed", arrivals, arrivals.query.sql, random)(
            judge.differenceOfAll
          )
        }
      }
    }
    assert(returned > cases)
    report(returned)
  }

  test(s"$sets sets of clauses in Real-Time Mode from seed $seed agree with each alone", Slow) {
    var returned = 0
    (0 until sets).foreach { i =>
      val number = seed * 1000000009L + i
      val random = new Random(number)
      val arrivals = Arrivals.inOrder(number)
      inRealTime(confs(arrivals): _*) {
        val (sql, _) = MergedTaskFuzzSuite.union(spark, arrivals, random)
        if (sql.nonEmpty) {
          val expected = alone(arrivals, sql)
          returned += check(s"set $i of seed $seed", arrivals, sql, random) { (batch, rows) =>
            Option.when(rows != expected(batch))(s"alone ${expected(batch)}")
          }
        }
      }
    }
    assert(returned > sets)
    report(returned)
  }

  private def report(returned: Int): Unit = info(
    s"$returned rows, $disordered rows were out of order, $restarts restarts, $repeated rows twice"
  )

  private def confs(arrivals: Arrivals): Seq[(String, String)] = arrivals.query.confs ++ Seq(
    "spark.sql.variable.substitute" -> "false",
    // Two slots: one for the source, one for the clause.
    "spark.sql.shuffle.partitions" -> "1",
    OutOfOrder.key -> "drop"
  )

  private def delayOf(arrivals: Arrivals): String = s"${arrivals.delay / 1000} milliseconds"

  private def plainOf(rows: Vector[Row]): Vector[Seq[Any]] = plain(rows.map(_.toSeq))

  private def sorted(rows: Vector[Seq[Any]]): Vector[Seq[Any]] = rows.sortBy(_.toString)

  /** All rows after each micro-batch, from an operator for each clause. */
  private def alone(arrivals: Arrivals, sql: String): Seq[Vector[Seq[Any]]] = withConf(apart) {
    val schema = FuzzInput.schema(arrivals.query, isTable = false)
    val source = MemoryStream[Row](Encoders.row(schema), spark.sqlContext)
    source.toDF().withWatermark("t", delayOf(arrivals)).createOrReplaceTempView("t")
    @volatile var found = Vector.empty[Seq[Any]]
    val query = spark
      .sql(sql)
      .writeStream
      .option("checkpointLocation", newDirectory())
      .foreachBatch { (batch: Dataset[Row], _: Long) =>
        found = sorted(found ++ plainOf(batch.collect().toVector))
      }
      .start()
    try
      arrivals.batches.map { rows =>
        source.addData(rows.map(FuzzInput.row(arrivals.query, _)))
        query.processAllAvailable()
        found
      }
    finally query.stop()
  }

  /**
   * Runs a query, and returns how many rows it has returned.
   *
   * @param difference
   *   what is wrong with all rows so far after some of the rows of `arrivals`
   */
  private def check(name: String, arrivals: Arrivals, sql: String, random: Random)(
      difference: (Int, Vector[Seq[Any]]) => Option[String]
  ): Int = {
    disordered += arrivals.outOfOrder
    implicit val encoder: Encoder[Row] =
      Encoders.row(FuzzInput.schema(arrivals.query, isTable = false))
    val source = new Source[Row](delayOf(arrivals), "t", "t")
    val checkpoint = newDirectory()
    // Of each batch the rows of its last run.
    val kept = mutable.Map.empty[Long, Vector[Seq[Any]]]
    var running: Option[Running] = None
    def got: Vector[Seq[Any]] = {
      val now = running.fold(Map.empty[Long, Vector[Seq[Any]]])(
        _.numbered.groupMap(_._1)(_._2).view.mapValues(plainOf).toMap
      )
      (kept.toMap ++ now).values.flatten.toVector
    }
    def started(): Running = running.getOrElse {
      val run = new Running(sql, checkpoint, "1 second")
      running = Some(run)
      run
    }
    def stop(): Unit = running.foreach { run =>
      run.query.stop()
      run.numbered.groupMap(_._1)(_._2).foreach { case (batch, rows) =>
        val again = plainOf(rows)
        // What an unfinished run of the batch returned comes again.
        kept.get(batch).foreach { before =>
          repeated += before.size
          assert(before.diff(again).isEmpty, s"$name: of batch $batch")
        }
        kept(batch) = again
      }
      running = None
    }
    try
      arrivals.batches.zipWithIndex.foreach { case (rows, i) =>
        if (random.nextInt(3) == 0) {
          stop()
          restarts += 1
        }
        source.add(rows.map(FuzzInput.row(arrivals.query, _)))
        if (random.nextInt(2) == 0) {
          started(): Unit
          Thread.sleep(random.nextInt(1500).toLong)
          stop()
          restarts += 1
        }
        val run = started()
        def text = difference(i, sorted(got))
        // The watermark of these rows is that of the batch after the one that has ended.
        val before = run.finished
        run.await(s"$name, rows of batch $i: $text\n$sql\n$arrivals")(
          text.isEmpty && run.finished >= before + 2
        )
      }
    finally stop()
    got.size
  }
}
