package io.matchrecognize.execution.search

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Paths}
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tagobjects.Slow

/**
 * Sixteen tasks in one executor of half a gigabyte. What the engines keep beside the rows is memory
 * that Spark manages, so they make do with their part of it.
 */
class ManyTasksSuite extends AnyFunSuite {
  test("automata, memos and summaries of 16 tasks in a heap of 512 MB", Slow) {
    val program = Paths.get(sys.props("java.home"), "bin", "java").toString
    val opens = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala
      .filter(option => option.startsWith("--add-opens") || option.startsWith("-Dtest."))
    val command = (program +: opens.toSeq) ++ Seq(
      "-Xmx512m",
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      "-cp",
      sys.props("java.class.path"),
      "io.matchrecognize.execution.search.ManyTasks"
    )
    val output = Files.createTempFile("many-tasks", ".txt")
    val process = new ProcessBuilder(command.asJava)
      .redirectErrorStream(true)
      .redirectOutput(output.toFile)
      .start()
    try {
      val isEnded = process.waitFor(10, TimeUnit.MINUTES)
      val text = Files.readString(output)
      assert(isEnded && process.exitValue == 0, text.takeRight(4000))
    } finally {
      process.destroyForcibly()
      Files.delete(output)
    }
  }
}

object ManyTasks {
  private val tasks = 16
  private val rows = 1600000

  def main(arguments: Array[String]): Unit = {
    require(arguments.isEmpty)
    val spark = SparkSession
      .builder()
      .master(s"local[$tasks]")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", tasks.toLong)
      .config("spark.sql.adaptive.enabled", "false")
      .config("spark.task.maxFailures", "1")
      .getOrCreate()
    try run(spark)
    finally spark.stop()
  }

  private def run(spark: SparkSession): Unit = {
    // One number for each task, whatever their hashes are.
    val keys = spark
      .sql(s"SELECT MIN(id) FROM range(1000) GROUP BY pmod(hash(id), $tasks)")
      .collect()
      .map(_.getLong(0))
    require(keys.length == tasks)
    spark
      .sql(
        s"""SELECT array(${keys.mkString(", ")})[id % $tasks] AS k, id AS ts,
           |  CAST(abs(hash(id)) % 8 AS INT) AS v FROM range($rows)""".stripMargin
      )
      .createOrReplaceTempView("events")

    def check(name: String, expected: Long)(clause: String): Unit = {
      val found = spark
        .sql(
          s"""SELECT COUNT(*) FROM events MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts $clause)"""
        )
        .collect()
        .head
        .getLong(0)
      require(expected < 0 && found > 0 || found == expected, s"$name: $found, not $expected")
      println(s"$name: $found")
    }
    // Which of the next 17 rows may end a match: 2^17 states, each with a table for eight truths.
    val letters = "ABCDEFG".zipWithIndex
      .map { case (letter, i) => s"$letter AS v % 2 = 0 AND v + $i > 6" }
      .mkString(", ")
    check("states", -1)(
      s"MEASURES FIRST(ts) AS f PATTERN (H X{17} (A | B | C | D | E | F | G)) DEFINE $letters, H AS v = 3"
    )
    // Many matches of many rows, each of the rest of the partition.
    check("summaries", rows.toLong)(
      """MEASURES MAX(v) AS m, MIN(v) AS n, COUNT(*) AS c AFTER MATCH SKIP TO NEXT ROW
        |PATTERN (X+) DEFINE X AS v >= 0""".stripMargin
    )
    // Attempts that fail at the end of the partition, and are remembered.
    check("failures", 0)(
      """MEASURES FIRST(ts) AS f PATTERN (H X+ Y+ Z)
        |DEFINE H AS COUNT(*) > 0, X AS v >= 0, Y AS v >= 0, Z AS v < 0 AND COUNT(*) > 0""".stripMargin
    )
  }
}
