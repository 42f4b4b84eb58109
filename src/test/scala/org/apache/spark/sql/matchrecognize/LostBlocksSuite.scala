package org.apache.spark.sql.matchrecognize

import java.nio.file.Files
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.shuffle.IndexShuffleBlockResolver.NOOP_REDUCE_ID
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructType}
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.storage.{ShuffleDataBlockId, ShuffleIndexBlockId}
import org.apache.spark.{MapOutputTrackerMaster, SparkEnv, SparkException, Success}

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.{Minor, QuerySuite}

/**
 * Blocks that are lost after they were written. When one of two tasks finds them missing and the
 * other one has its result already, Spark runs the map tasks again, and then the task that failed.
 */
class LostBlocksSuite extends QuerySuite {
  import LostBlocksSuite._

  private val confs = Seq(
    MatchRecognizeConf.Shuffle.key -> "blocks",
    "spark.sql.adaptive.enabled" -> "false",
    "spark.sql.shuffle.partitions" -> "2",
    "spark.sql.shuffle.orderIndependentChecksum.enabled" -> "true",
    "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch" -> "true"
  )

  private def clause: DataFrame = {
    val schema = new StructType()
      .add("k", IntegerType)
      .add("id", LongType, nullable = false)
      .add("text", StringType)
    // The first map task has rows for the second partition only.
    val second = rows(
      "SELECT k FROM (SELECT CAST(id AS INT) AS k FROM range(20)) WHERE pmod(hash(k), 2) = 1"
    ).map(_.getInt(0))
    val source = spark.sparkContext.parallelize(Seq(second -> 0, (0 until 20) -> 1), 2).flatMap {
      case (keys, task) => made(keys, task)
    }
    spark.createDataFrame(source, schema).createOrReplaceTempView("lost")
    spark.sql("""SELECT * FROM lost MATCH_RECOGNIZE (PARTITION BY k ORDER BY id
      MEASURES FIRST(id) AS f, COUNT(*) AS n, LAST(text) AS t
      PATTERN (A B+) DEFINE B AS text >= PREV(text))""")
  }

  private def found(frame: DataFrame): Seq[String] = frame.collect().map(_.toString).sorted.toSeq

  /** Deletes what the first map task has shuffled; Spark is not told. */
  private def lose(frame: DataFrame): Unit = {
    val shuffle =
      nodes(executed(frame)).collectFirst { case e: ShuffleExchangeExec => e.shuffleDependency }.get
    val (id, env) = (shuffle.shuffleId, SparkEnv.get)
    val tracker = env.mapOutputTracker.asInstanceOf[MapOutputTrackerMaster]
    val task = tracker.shuffleStatuses(id).mapStatuses.head
    assert(task.getSizeForBlock(0) == 0 && task.getSizeForBlock(1) > 0)
    Seq(
      ShuffleDataBlockId(id, task.mapId, NOOP_REDUCE_ID),
      ShuffleIndexBlockId(id, task.mapId, NOOP_REDUCE_ID)
    ).foreach(file => Files.delete(env.blockManager.diskBlockManager.getFile(file).toPath))
  }

  /**
   * What a query returns, and what it returns after its blocks were lost.
   *
   * @param change
   *   what the map tasks make of their rows when they run again
   */
  private def twice(change: Seq[Row] => Seq[Row]): (Seq[String], Seq[String]) = {
    val frame = clause
    val before = found(frame)
    assert(before.length > 1000)
    lose(frame)
    rerun = new Rerun(change)
    spark.sparkContext.addSparkListener(rerun)
    try {
      val after = found(frame)
      spark.sparkContext.listenerBus.waitUntilEmpty()
      assert(rerun.maps.get == 2 && rerun.failed.get == 1)
      // None was run again that had its result.
      assert(rerun.results.get == 2)
      (before, after)
    } finally {
      spark.sparkContext.removeSparkListener(rerun)
      rerun = null
    }
  }

  Seq[(String, Seq[Row] => Seq[Row])](
    "as before" -> identity,
    "in the opposite order" -> (_.reverse),
    "by their hashes" -> (_.sortBy(_.hashCode))
  ).foreach { case (name, order) =>
    test(s"lost blocks are written again, with rows $name")(withConf(confs: _*) {
      val (before, after) = twice(order)
      assert(after == before)
    })
  }

  if (Minor.has("4.1")) test("no result is made of two versions of the rows") {
    withConf(confs: _*) {
      val e = intercept[SparkException](twice(_.map { row =>
        Row(row.get(0), row.get(1), if (row.getLong(1) == 8) "z" else row.get(2))
      }))
      assert(e.getMessage.contains("ResultStage"), e)
    }
  }
}

private object LostBlocksSuite {

  /** The second run of a query, and what happens in it. */
  private final class Rerun(val change: Seq[Row] => Seq[Row]) extends SparkListener {
    val maps, results, failed = new AtomicInteger
    private val hasResult = new CountDownLatch(1)

    override def onTaskEnd(end: SparkListenerTaskEnd): Unit = if (end.taskType == "ResultTask") {
      if (end.reason == Success) {
        results.incrementAndGet()
        hasResult.countDown()
      } else failed.incrementAndGet(): Unit
    }

    def rows(rows: Seq[Row]): Seq[Row] = {
      hasResult.await(60, TimeUnit.SECONDS)
      maps.incrementAndGet()
      change(rows)
    }
  }

  @volatile private var rerun: Rerun = _

  /** The rows of a map task. */
  private def made(keys: Seq[Int], task: Int): Seq[Row] = {
    val rows = (0 until 4000).map { i =>
      Row(keys(i % keys.length), i * 2L + task, if (i % 11 == 0) null else "abcde".substring(i % 5))
    }
    if (rerun == null) rows else rerun.rows(rows)
  }
}
