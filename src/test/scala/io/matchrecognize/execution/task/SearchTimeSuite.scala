package io.matchrecognize.execution.task

import org.apache.spark.sql.execution.metric.SQLMetric
import org.scalatest.funsuite.AnyFunSuite

class SearchTimeSuite extends AnyFunSuite {

  /** Steps of a partition, each with its rows and nanoseconds. */
  private type Partition = Seq[(Long, Long)]

  /** The reported time of some partitions, and how often the clock was read. */
  private def reported(partitions: Partition*): (Long, Int) = {
    val metric = new SQLMetric("nsTiming")
    var clock = 0L
    var reads = 0
    val time = new SearchTime(
      metric,
      () => {
        reads += 1
        clock
      }
    )
    partitions.foreach { steps =>
      time.beginPartition()
      steps.zipWithIndex.foreach { case ((rows, nanos), i) =>
        time.beginStep()
        clock += nanos
        time.endStep(rows, isLast = i == steps.length - 1)
      }
    }
    (metric.value, reads)
  }

  private def total(partitions: Partition*): Long = partitions.flatten.map(_._2).sum

  test("short steps are estimated by their rows, the first one of a partition is measured") {
    val steps = (1L to 1000L).map(i => (i % 7 + 1, (i % 7 + 1) * 30))
    val partition = (5L, 12345L) +: steps
    val (nanos, reads) = reported(partition, partition)
    assert(nanos == total(partition, partition))
    assert(reads < 2 * 2000 / 10)
  }

  test("partitions of one step are measured") {
    val partitions = (1L to 100L).map(i => Seq((2L, i * 100)))
    assert(reported(partitions: _*)._1 == total(partitions: _*))
  }

  test("long steps are measured, also where their time does not depend on their rows") {
    val partition = Seq.tabulate(1000)(i => (1L + i % 5, 5000L + (i * 7919L) % 100000))
    assert(reported(partition)._1 == total(partition))
  }
}
