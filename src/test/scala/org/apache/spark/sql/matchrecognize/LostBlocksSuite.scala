package org.apache.spark.sql.matchrecognize

import java.nio.file.Files
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.shuffle.IndexShuffleBlockResolver.NOOP_REDUCE_ID
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructType}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.storage.{ShuffleDataBlockId, ShuffleIndexBlockId}
import org.apache.spark.{FetchFailed, MapOutputTrackerMaster, SparkEnv, SparkException, Success}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tagobjects.Slow

import io.matchrecognize.Minor
import io.matchrecognize.conf.MatchRecognizeConf

/**
 * Blocks that are lost after they were written. When a task finds them missing and the one before
 * it has its result already, Spark runs the map tasks again, and then the task that failed.
 *
 * In local mode Spark then forgets the only block manager there is, cannot register it again, and
 * after ten minutes of heartbeats ends the JVM. So the suite has a JVM of its own, and each test a
 * context; with one task at a time, it is known which tasks have ended when blocks are missed.
 */
class LostBlocksSuite extends AnyFunSuite {
  import LostBlocksSuite._

  private def withSession[T](body: SparkSession => T): T = {
    require(SparkSession.getDefaultSession.isEmpty, "this suite needs a JVM of its own")
    val spark = SparkSession
      .builder()
      .master("local[1]")
      .appName("lost blocks")
      .config("spark.ui.enabled", "false")
      .config(MatchRecognizeConf.Shuffle.key, "blocks")
      .config("spark.sql.adaptive.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.shuffle.orderIndependentChecksum.enabled", "true")
      .config("spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch", "true")
      .getOrCreate()
    try body(spark)
    finally {
      rerun = null
      spark.stop()
      SparkSession.clearActiveSession()
      SparkSession.clearDefaultSession()
    }
  }

  private def clause(spark: SparkSession): DataFrame = {
    val schema = new StructType()
      .add("k", IntegerType)
      .add("id", LongType, nullable = false)
      .add("text", StringType)
    // The first map task has rows for the second partition only.
    val second = spark
      .sql("SELECT k FROM (SELECT CAST(id AS INT) AS k FROM range(20)) WHERE pmod(hash(k), 2) = 1")
      .collect()
      .toSeq
      .map(_.getInt(0))
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
    val plan = frame.asInstanceOf[ClassicDataset[Row]].queryExecution.executedPlan
    val shuffle = plan.collectFirst { case e: ShuffleExchangeExec => e.shuffleDependency }.get
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
  private def twice(change: Seq[Row] => Seq[Row]): (Seq[String], Seq[String]) =
    withSession { spark =>
      val frame = clause(spark)
      val before = found(frame)
      assert(before.length > 1000)
      lose(frame)
      val events = new Rerun(change)
      rerun = events
      spark.sparkContext.addSparkListener(events)
      try before -> found(frame)
      finally {
        spark.sparkContext.listenerBus.waitUntilEmpty()
        // The blocks of the first map task were missed, at least, and that task ran again.
        assert(events.missed.get > 0 && events.maps.get > 0)
        // The task that had its result did not.
        assert(events.firstResults.get == 1)
      }
    }

  Seq[(String, Seq[Row] => Seq[Row])](
    "as before" -> identity,
    "in the opposite order" -> (_.reverse),
    "by their hashes" -> (_.sortBy(_.hashCode))
  ).foreach { case (name, order) =>
    test(s"lost blocks are written again, with rows $name", Slow) {
      val (before, after) = twice(order)
      assert(after == before)
    }
  }

  if (Minor.has("4.1")) test("no result is made of two versions of the rows", Slow) {
    val e = intercept[SparkException](twice(_.map { row =>
      Row(row.get(0), row.get(1), if (row.getLong(1) == 8) "z" else row.get(2))
    }))
    assert(e.getMessage.contains("ResultStage"), e)
  }
}

private object LostBlocksSuite {

  /** The second run of a query, and what happens in it. */
  private final class Rerun(val change: Seq[Row] => Seq[Row]) extends SparkListener {
    val maps, missed, firstResults = new AtomicInteger

    override def onTaskEnd(end: SparkListenerTaskEnd): Unit = end.reason match {
      case _: FetchFailed => missed.incrementAndGet(): Unit
      case Success if end.taskType == "ResultTask" && end.taskInfo.partitionId == 0 =>
        firstResults.incrementAndGet(): Unit
      case _ =>
    }

    def rows(rows: Seq[Row]): Seq[Row] = {
      maps.incrementAndGet()
      change(rows)
    }
  }

  // Tasks run in this JVM.
  @volatile private var rerun: Rerun = _

  /** The rows of a map task. */
  private def made(keys: Seq[Int], task: Int): Seq[Row] = {
    val rows = (0 until 4000).map { i =>
      Row(keys(i % keys.length), i * 2L + task, if (i % 11 == 0) null else "abcde".substring(i % 5))
    }
    if (rerun == null) rows else rerun.rows(rows)
  }
}
