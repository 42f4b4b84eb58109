package io.matchrecognize.execution

import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.matchrecognize.OwnMemory
import org.apache.spark.sql.{DataFrame, Row}

import io.matchrecognize.QuerySuite
import io.matchrecognize.conf.MatchRecognizeConf._

/** Operators of one task that share less memory than their rows take. */
class SharedMemorySuite extends QuerySuite {

  private val source =
    """SELECT id, id DIV 5000 AS k, id % 7 AS v, repeat('x', 60) AS t
      |FROM range(0, 200000, 1, 1)""".stripMargin

  private val inputs = Seq(
    "a window" ->
      s"""SELECT *, max(v) OVER (PARTITION BY k ORDER BY id
         |  ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS s FROM ($source)""".stripMargin,
    "another clause" ->
      s"""SELECT * FROM ($source) MATCH_RECOGNIZE (PARTITION BY k ORDER BY id
         |  MEASURES LAST(v) AS s ALL ROWS PER MATCH
         |  PATTERN (X Y{1,20}) DEFINE Y AS Y.id > X.id)""".stripMargin,
    "a join" ->
      s"""SELECT /*+ MERGE(b) */ a.*, b.i AS s FROM ($source) a
         |  JOIN (SELECT id DIV 5000 AS k, id % 2500 AS i FROM ($source)) b
         |  ON a.k = b.k AND a.id = b.i + 5000 * b.k""".stripMargin
  )

  private def read(frame: DataFrame, bytes: Long): Seq[String] = {
    val rdd = frame.asInstanceOf[ClassicDataset[Row]].queryExecution.toRdd
    val types = frame.schema.map(_.dataType)
    OwnMemory.read(bytes, rdd) { rows =>
      rows.map(row => types.indices.map(i => row.get(i, types(i))).mkString(" ")).toList.sorted
    }
  }

  for ((name, input) <- inputs)
    test(s"$name below a clause that sorts its rows") {
      withConf(
        Sort.key -> "own",
        "spark.sql.adaptive.enabled" -> "false",
        "spark.sql.shuffle.partitions" -> "1"
      ) {
        val frame = spark.sql(
          s"""SELECT * FROM ($input) MATCH_RECOGNIZE (PARTITION BY k ORDER BY v DESC, id
             |  MEASURES COUNT(*) AS n, FIRST(id) AS f, MAX(s) AS s, LAST(t) AS t
             |  PATTERN (A B*) DEFINE B AS B.v = A.v)""".stripMargin
        )
        val found = read(frame, 12L << 20)
        assert(found.length == 40 * 7)
        assert(found == read(frame, 1L << 30))
      }
    }
}
