package io.matchrecognize.execution.search

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetrics

import io.matchrecognize.QuerySuite
import io.matchrecognize.streaming.InTask

class PartitionLoopSuite extends QuerySuite {

  test(
    "several searches of a partition, one after the other and only as far as rows are asked for"
  ) {
    val frame = spark.sql("""SELECT * FROM (SELECT id DIV 4 AS k, id AS i FROM range(12))
      |MATCH_RECOGNIZE (PARTITION BY k ORDER BY i MEASURES A.i AS a PATTERN (A)
      |  DEFINE A AS i % 2 = 0)""".stripMargin)
    frame.collect()
    val program = matchNodes(frame).head.program
    val context = spark.sparkContext
    InTask(spark) {
      val metrics = new MatchMetrics(name => SQLMetrics.createMetric(context, name))
      val rows = (0L until 12L).iterator.map(i => InternalRow(i / 4, i))
      val source = TaskRows.of(program, None, rows, metrics)
      val loop = new PartitionLoop(source, Array.fill(2)(Array.empty), metrics)(_ =>
        new TableClauseSearch(program, 0, source, 0, metrics)
      )
      val found = loop.map(_.getLong(1))
      assert(Seq.fill(3)(found.next()) == Seq(0, 2, 0))
      assert(metrics.matches.value == 3 && metrics.partitions.value == 1)
      assert(found.toSeq == Seq(2, 4, 6, 4, 6, 8, 10, 8, 10))
      assert(metrics.partitions.value == 3 && metrics.outputRows.value == 12)
    }
  }
}
