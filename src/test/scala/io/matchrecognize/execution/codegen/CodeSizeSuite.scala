package io.matchrecognize.execution.codegen

import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, WholeStageCodegenExec}
import org.scalatest.tagobjects.Slow

import io.matchrecognize.QuerySuite
import io.matchrecognize.conf.MatchRecognizeConf._
import io.matchrecognize.execution.shuffle.BlockWriteExec

/**
 * The JIT compiler leaves methods of more than 8,000 bytes of code to the interpreter, so code that
 * grows with the columns must end before that.
 */
class CodeSizeSuite extends QuerySuite {
  private val widths = Seq(10, 12, 20, 30, 40, 60, 80, 95, 300)

  private val types = Map(
    "INT" -> "CAST(IF(id % 7 = 0, NULL, id) AS INT)",
    "BIGINT" -> "id",
    "DECIMAL" -> "CAST(IF(id % 7 = 0, NULL, id % 1000) AS DECIMAL(12, 2))",
    "STRING" -> "IF(id % 7 = 0, NULL, concat('s', id))",
    "ARRAY" -> "array(id)",
    "STRUCT" -> "named_struct('a', id, 'b', array(CAST(id AS STRING)), 'c', map(id, id))"
  )

  /** The largest method of each stage that has operators of ours, by their names. */
  private def sizes(plan: SparkPlan): Seq[(String, Int)] =
    nodes(plan).collect { case stage: WholeStageCodegenExec => stage }.flatMap { stage =>
      def inStage(plan: SparkPlan): Seq[SparkPlan] = plan match {
        case part: CodegenSupport if part.supportCodegen => part +: part.children.flatMap(inStage)
        case _ => Nil
      }
      inStage(stage.child).collectFirst { case ours: BlockWriteExec => ours.nodeName }.map { name =>
        val (_, code) = stage.doCodeGen()
        name -> CodeGenerator.compile(code)._2.maxMethodCodeSize
      }
    }

  test("methods stay small enough to be compiled, however many columns there are", Slow) {
    types.foreach { case (name, expression) =>
      val columns = (1 to widths.max).map(i => s"$expression AS c$i").mkString(", ")
      val folder = java.nio.file.Files.createTempDirectory("columns").toString
      spark
        .sql(s"SELECT id % 3 AS k, id AS ts, $columns FROM range(10)")
        .write
        .mode("overwrite")
        .parquet(folder)
      val whole = spark.read.parquet(folder)
      widths.foreach { width =>
        val names = (1 to width).map(i => s"c$i")
        whole.select("k", "ts" +: names: _*).createOrReplaceTempView("columns_read")
        val read = names.map(c => s"LAST(A.$c) AS last_$c").mkString(", ")
        val clause = s"""SELECT * FROM columns_read MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts
          MEASURES $read ALL ROWS PER MATCH PATTERN (A+))"""
        withConf(Shuffle.key -> "blocks", "spark.sql.adaptive.enabled" -> "false") {
          val found = sizes(executed(spark.sql(clause)))
          found.foreach { case (operator, size) =>
            assert(size < 8000, s"$operator with $width columns of $name")
          }
          // Rows of few columns take part.
          assert(found.nonEmpty || width > 10 || name == "STRUCT")
        }
      }
    }
  }
}
