package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.execution.{SparkPlan, WholeStageCodegenExec}
import org.scalatest.tagobjects.Slow

import io.matchrecognize.QuerySuite
import io.matchrecognize.conf.MatchRecognizeConf

/** Blocks that are written in whole-stage code: the rows are those of all others. */
class PackCodegenSuite extends QuerySuite {
  private val wholeStage = MatchRecognizeConf.WholeStage.key
  private val partitions = "spark.sql.shuffle.partitions"

  private def clause(table: String, keys: String = "PARTITION BY k"): String =
    s"""SELECT * FROM $table MATCH_RECOGNIZE ($keys ORDER BY ts, v
       |  MEASURES FIRST(A.v) AS first_v, COUNT(*) AS n
       |  ALL ROWS PER MATCH PATTERN (A B*) DEFINE B AS v > PREV(v))""".stripMargin

  private def stages(plan: SparkPlan): Seq[SparkPlan] =
    nodes(plan).collect { case stage: WholeStageCodegenExec => stage.child }

  /** Compares a query with itself without blocks, and says whether blocks were in its code. */
  private def isInCode(sql: String, confs: (String, String)*): Boolean = {
    def run(shuffle: String): (SparkPlan, Seq[String]) =
      withConf(confs :+ (MatchRecognizeConf.Shuffle.key -> shuffle): _*) {
        val frame = spark.sql(sql)
        val found = frame.collect().map(_.toString).sorted.toSeq
        (executed(frame), found)
      }
    val (_, expected) = run("spark")
    val (plan, found) = run("blocks")
    assert(found == expected && found.nonEmpty)
    assert(nodes(plan).exists(_.isInstanceOf[BlockWriteExec]))
    stages(plan).exists(_.isInstanceOf[BlockWriteExec])
  }

  test("over a scan's column batches; the conf turns it off", Slow) {
    val folder = java.nio.file.Files.createTempDirectory("blocks").toString
    spark
      .sql("""SELECT IF(id % 50 = 0, NULL, concat('k', id % 31)) AS k, id AS ts, id * 7 % 5 AS v,
             |  IF(id % 3 = 0, NULL, repeat('x', CAST(id % 40 AS INT))) AS text
             |  FROM range(3000)""".stripMargin)
      .write
      .mode("overwrite")
      .parquet(folder)
    spark.read.parquet(folder).createOrReplaceTempView("scanned")
    Seq("true" -> "7", "false" -> "1").foreach { case (adaptive, count) =>
      val confs = Seq("spark.sql.adaptive.enabled" -> adaptive, partitions -> count)
      assert(isInCode(clause("scanned"), confs: _*))
      assert(isInCode(clause("scanned", ""), confs: _*))
      assert(!isInCode(clause("scanned"), confs :+ (wholeStage -> "false"): _*))
    }
  }

  test("values of every type") {
    spark
      .sql("""SELECT CAST(id % 7 AS TINYINT) AS k, id AS ts, id * 7 % 5 AS v,
             |  id % 2 = 0 AS yes, CAST(id AS SMALLINT) AS short, CAST(id AS INT) AS int,
             |  CAST(id AS FLOAT) / 3 AS float, IF(id % 9 = 0, DOUBLE('NaN'), id / 7) AS double,
             |  CAST(id AS DECIMAL(10, 2)) / 3 AS small, CAST(id AS DECIMAL(38, 4)) * 3 AS large,
             |  date_add(DATE'2024-01-01', CAST(id AS INT)) AS day, timestamp_seconds(id) AS t,
             |  CAST(timestamp_seconds(id) AS TIMESTAMP_NTZ) AS local,
             |  make_dt_interval(0, 0, id) AS time, make_ym_interval(CAST(id AS INT)) AS months,
             |  make_interval(0, 1, 0, CAST(id AS INT)) AS calendar,
             |  CAST(concat('b', id) AS BINARY) AS bytes, concat('A', id) COLLATE UTF8_LCASE AS word,
             |  array(id, NULL) AS numbers, map('a', id) AS pairs, named_struct('x', id, 'y', 'z') AS s
             |  FROM range(500)""".stripMargin)
      .createOrReplaceTempView("numbered")
    val columns = spark.table("numbered").columns
    val nullable = columns.map { c =>
      if (Set("ts", "v").contains(c)) c else s"IF(ts % 11 = 3, NULL, $c) AS $c"
    }
    spark
      .sql(s"SELECT ${nullable.mkString(", ")} FROM numbered")
      .createOrReplaceTempView("with_nulls")
    Seq("numbered", "with_nulls").foreach { table =>
      Seq("PARTITION BY k", "PARTITION BY k, word, large, day").foreach { keys =>
        assert(isInCode(s"SELECT * EXCEPT (bytes), hex(bytes) FROM (${clause(table, keys)})"))
      }
    }
  }

  test(
    "more rows than the buffer holds, of an operator that sends some more when it is stopped",
    Slow
  ) {
    spark
      .sql("""SELECT id % 100 AS k, id * 10 + n AS ts, id * n % 7 AS v, repeat('y', n) AS text
             |  FROM range(0, 9000, 1, 2) LATERAL VIEW explode(sequence(1, 9)) AS n""".stripMargin)
      .createOrReplaceTempView("exploded")
    Seq("1", "3").foreach(count => assert(isInCode(clause("exploded"), partitions -> count)))
  }

  test("values larger than what the buffer holds otherwise") {
    spark
      .sql(
        """SELECT id % 3 AS k, id AS ts, id % 4 AS v,
             |  repeat('z', IF(id % 40 = 0, 6000000, 10)) AS text FROM range(0, 200, 1, 2)""".stripMargin
      )
      .createOrReplaceTempView("large")
    val sql = s"SELECT k, ts, n, length(text) AS l, md5(text) AS hash FROM (${clause("large")})"
    assert(isInCode(sql))
  }

  test("rows that are sent when the buffer is full stay in the order of arrival", Slow) {
    spark
      .sql("""SELECT id % 100 AS k, n AS ts, n AS v, repeat('z', IF(n % 3 = 1, 6000000, 10)) AS text
             |  FROM range(0, 8, 1, 2) LATERAL VIEW explode(sequence(1, 9)) AS n""".stripMargin)
      .createOrReplaceTempView("uneven")
    assert(isInCode("""SELECT * FROM uneven MATCH_RECOGNIZE (PARTITION BY k
      MEASURES ARRAY_AGG(ts) AS arrived, SUM(LENGTH(text)) AS bytes PATTERN (A+))"""))
  }

  test("above another clause of the same code, and below a LIMIT") {
    spark
      .sql("SELECT id % 10 AS k, id AS ts, id * 7 % 5 AS v FROM range(0, 600, 1, 2)")
      .createOrReplaceTempView("once")
    val sorted = "(SELECT * FROM once DISTRIBUTE BY k SORT BY k, ts)"
    val first = s"""SELECT k, ts % 3 AS g, ts, v FROM $sorted MATCH_RECOGNIZE (
      PARTITION BY k ORDER BY ts ALL ROWS PER MATCH PATTERN (A B*) DEFINE B AS v > PREV(v))"""
    val chained = s"""SELECT * FROM ($first) MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts, k
      MEASURES COUNT(*) AS n, MATCH_NUMBER() AS m PATTERN (A B*) DEFINE B AS v > PREV(v))"""
    assert(isInCode(chained))
    val found = withConf(MatchRecognizeConf.Shuffle.key -> "blocks") {
      spark.sql(s"${clause("once")} LIMIT 5").collect().length
    }
    assert(found == 5)
  }
}
