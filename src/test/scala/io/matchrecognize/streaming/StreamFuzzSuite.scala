package io.matchrecognize.streaming

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.scalatest.Assertion

import io.matchrecognize.QuerySuite
import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.fuzz._
import io.matchrecognize.matcher.MatcherTuning
import io.matchrecognize.streaming.StreamFuzzSuite._
import io.matchrecognize.streaming.task.{StreamProgram, StreamTuning}

/**
 * Random clauses on the rows of random micro-batches, searched key by key as the operator does,
 * with all state through bytes, compared after each micro-batch with [[StreamOracle]]. A long run:
 * `-Dfuzz.stream.cases=5000 -Dfuzz.seed=7` as Java options of the test's process.
 */
class StreamFuzzSuite extends QuerySuite {
  private val cases = sys.props.get("fuzz.stream.cases").fold(10)(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  /** Differences to report in one run. */
  private val most = 5
  private val shrinkSeconds = sys.props.get("fuzz.shrink").fold(60L)(_.toLong)

  test(s"$cases random streams from seed $seed agree with the oracle")(compare(StreamCase.random))

  test(s"$cases streams in the order of arrival from seed $seed agree with the oracle")(
    compare(StreamCase.inOrder)
  )

  private def compare(draw: Long => StreamCase): Assertion = {
    val totals = new StreamTotals
    val failures = mutable.ArrayBuffer.empty[String]
    withConf(
      "spark.sql.variable.substitute" -> "false",
      // The view has no rows, and its plan must stay.
      "spark.sql.optimizer.excludedRules" -> EmptyRules
    ) {
      (0 until cases).foreach { i =>
        val drawn = draw(seed * 1000000007L + i)
        val judge = new StreamJudge(drawn, keepErrors = i % 3 == 0)
        totals.add(judge)
        if (failures.size < most) difference(judge).foreach { _ =>
          val small = shrink(judge.streamCase)
          failures += s"stream $i of seed $seed differs\n$small"
        }
      }
    }
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    info(totals.toString)
    assert(totals.rows > cases * 5 && totals.waiting > cases)
  }

  private def specOf(query: FuzzQuery): ClauseSpec = {
    spark
      .createDataFrame(List.empty[Row].asJava, FuzzInput.schema(query, isTable = false))
      .createOrReplaceTempView("t")
    val node = matchNodes(spark.sql(query.sql)).head
    ClauseSpec(node.clause, node.measureOutput, node.child.output, node.output)
  }

  // The second one searches in parallel and writes segments as early as it may.
  private val tunings = Seq(
    StreamTuning(),
    StreamTuning(MatcherTuning(firstNodes = 2, firstRemembered = 1, firstWaste = -1000), 2)
  )

  /** What is wrong with a case, if anything. */
  private def difference(judge: StreamJudge): Option[String] = {
    val query = judge.streamCase.query
    val confs = query.confs
    withConf(confs: _*) {
      val spec = specOf(query)
      val program = StreamProgram.of(spec, 0L, 0L, judge.streamCase.arrived.nonEmpty, false)
      InTask(spark, confs: _*) {
        tunings.iterator
          .flatMap(t => judge.firstDifference(new SearchRun(spec, program, query.clauseColumns, t)))
          .nextOption()
      }
    }
  }

  /** Shrinks a case while it still differs, for a limited time. */
  private def shrink(streamCase: StreamCase): String = {
    val deadline = System.nanoTime() + shrinkSeconds * 1000 * 1000 * 1000
    def differs(smaller: StreamCase): Boolean =
      try difference(new StreamJudge(smaller, keepErrors = true)).nonEmpty
      catch { case _: org.apache.spark.sql.AnalysisException => false }
    @annotation.tailrec
    def step(current: StreamCase): StreamCase =
      StreamCase
        .smaller(current)
        .takeWhile(_ => System.nanoTime() < deadline)
        .find(smaller => smaller.query.isValid && differs(smaller)) match {
        case Some(smaller) => step(smaller)
        case None => current
      }
    val small = step(streamCase)
    val judge = new StreamJudge(small, keepErrors = true)
    s"${FuzzSettings.statements(small.query.confs)}\n${small.query.sql}\n${difference(judge).getOrElse("(not again)")}"
  }
}

object StreamFuzzSuite {
  private val EmptyRules = Seq("PropagateEmptyRelation", "ConvertToLocalRelation")
    .map("org.apache.spark.sql.catalyst.optimizer." + _)
    .mkString(",")
}
