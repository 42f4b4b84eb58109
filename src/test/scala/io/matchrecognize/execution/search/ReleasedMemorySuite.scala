package io.matchrecognize.execution.search

import org.apache.spark.TaskContext
import org.apache.spark.sql.Row
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.matchrecognize.TaskResources

import io.matchrecognize.conf.MatchRecognizeConf._
import io.matchrecognize.execution.plan.SortedQuerySuite

/** Memory in a task that goes on after the last row of the operator, as one of a coalesced RDD. */
class ReleasedMemorySuite extends SortedQuerySuite {

  /** What a task holds after it has read all partitions of a query, one after the other. */
  private def heldAtEnd(sql: String, confs: (String, String)*): Long = {
    val all = confs ++ Seq(
      "spark.sql.adaptive.enabled" -> "false",
      "spark.sql.shuffle.partitions" -> "20"
    )
    withConf(all: _*) {
      val frame = spark.sql(sql).asInstanceOf[ClassicDataset[Row]]
      frame.queryExecution.toRdd
        .coalesce(1)
        .mapPartitions { rows =>
          val count = rows.size
          assert(count > 0)
          val memory = new TaskResources(TaskContext.get(), _ => ()).memoryManager
          Iterator(memory.getMemoryConsumptionForThisTask)
        }
        .collect()
        .sum
    }
  }

  test("is given back at the end of the input", Slow) {
    withView("ticks", ticks) {
      val all = s"SELECT * FROM ticks MATCH_RECOGNIZE (${shape
          .replace("AFTER MATCH SKIP TO LAST UP", "ALL ROWS PER MATCH")})"
      val spilling = SpillThresholdRows.key -> "100"
      Seq(
        Seq(Shuffle.key -> "blocks"),
        Seq(Shuffle.key -> "blocks", spilling),
        Seq(Shuffle.key -> "spark"),
        Seq(Shuffle.key -> "spark", spilling),
        Seq(Sort.key -> "spark"),
        Seq(Sort.key -> "spark", spilling)
      ).foreach(confs => assert(heldAtEnd(all, confs: _*) == 0L, confs))
      assert(
        heldAtEnd(
          s"SELECT * FROM match_recognize_trace('SELECT * FROM (SELECT * FROM ticks LIMIT 50) MATCH_RECOGNIZE ($shape)')"
        ) == 0L
      )
    }
  }
}
