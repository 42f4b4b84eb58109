package io.matchrecognize.streaming

import java.sql.Timestamp
import java.util.UUID

import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.types.MetadataBuilder
import org.apache.spark.sql.{AnalysisException, DataFrame, Dataset, Encoders}
import org.apache.spark.unsafe.types.CalendarInterval

import io.matchrecognize.plans.MatchRecognize

/** What is written instead of a watermark above a clause. */
class SecondWatermarkSuite extends StreamSuite {
  import SecondWatermarkSuite._

  private val pairs = """SELECT g AS k, t, v FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
    MEASURES MATCH_ROWTIME() AS t, LAST(v) AS v PATTERN (A B) WITHIN INTERVAL 10 SECONDS
    DEFINE A AS v = 1, B AS v = 2)"""

  private def found(frame: DataFrame): Dataset[Found] =
    frame.as(Encoders.product[Found])

  test("above transformWithState a column that it names carries the first watermark") {
    withConf(ProviderKey -> rocksDb) {
      val source = newSource()
      view(source, "0 seconds")
      val passed = found(spark.sql(pairs))
        .groupByKey(_.k)(Encoders.STRING)
        .transformWithState(new PassingMatches, "t", OutputMode.Append())(Encoders.product[Found])
      passed.toDF().createOrReplaceTempView("passed")
      val above = """SELECT * FROM passed MATCH_RECOGNIZE (PARTITION BY k ORDER BY t
        MEASURES FIRST(t) AS f, LAST(t) AS l PATTERN (P Q))"""
      run(above, Seq(source)) { run =>
        run.add("a1@1 a2@2 b1@3 b2@4 a1@5 a2@6")
        run.add("x0@30")
        run.add("x0@60")
        assert(run.taken() == Seq("a,2,6"))
      }
    }
  }

  test("with the largest of two watermarks, matches that are found late would be dropped") {
    withConf("spark.sql.streaming.multipleWatermarkPolicy" -> "max") {
      val source = newSource()
      view(source, "0 seconds")
      val late = """SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
        MEASURES FIRST(ts) AS t PATTERN (A B) DEFINE A AS v = 1, B AS v = 2)"""
      val mark = new MetadataBuilder().putLong(EventTimeWatermark.delayKey, 0).build()
      val marked = spark.sql(late)
      marked.select(marked.col("t").as("t", mark)).createOrReplaceTempView("marked")
      val counts = "SELECT window(t, '1 second').start AS w, COUNT(*) AS n FROM marked " +
        "GROUP BY window(t, '1 second')"
      spark.experimental.extraOptimizations = Seq(SetWatermark)
      try
        run(counts, Seq(source)) { run =>
          run.add("a1@1 b1@19 b2@20 x0@21")
          run.add("a2@30 x0@40")
          run.add("x0@60")
          run.add("x0@80")
          val dropped =
            run.query.recentProgress.flatMap(_.stateOperators).map(_.numRowsDroppedByWatermark).sum
          // That of b is found in time.
          assert((run.taken(), dropped) == (Seq("19,1"), 1))
        }
      finally spark.experimental.extraOptimizations = Nil
    }
  }

  test("the error tells of the columns that carry a watermark, whatever the policy is") {
    Seq("min", "max").foreach { policy =>
      withConf("spark.sql.streaming.multipleWatermarkPolicy" -> policy) {
        view(newSource(), "0 seconds")
        val states = found(spark.sql(pairs))
          .groupByKey(_.k)(Encoders.STRING)
          .flatMapGroupsWithState(OutputMode.Append(), GroupStateTimeout.NoTimeout())(
            (_: String, rows: Iterator[Found], _: GroupState[Long]) => rows
          )(Encoders.scalaLong, Encoders.product[Found])
        val e = intercept[AnalysisException](states.withWatermark("t", "0 seconds").toDF())
        assert(e.getCondition == "MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.SECOND_WATERMARK")
        Seq("eventTimeColumnName", "write them to a table").foreach { advice =>
          assert(e.getMessage.contains(advice))
        }
      }
    }
  }
}

object SecondWatermarkSuite {

  /** Sets a watermark above a clause, where no analysis refuses it any more. */
  private object SetWatermark extends Rule[LogicalPlan] {
    private val id = UUID.randomUUID()

    override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
      case clause: MatchRecognize if clause.isStreaming && !plan.exists(isSet) =>
        val time = clause.output.find(_.name == "t").get
        EventTimeWatermark(id, time, new CalendarInterval(0, 0, 0), clause)
    }

    private def isSet(plan: LogicalPlan): Boolean = plan match {
      case w: EventTimeWatermark => w.nodeId == id
      case _ => false
    }
  }

  final case class Found(k: String, t: Timestamp, v: Int)

  final class PassingMatches extends StatefulProcessor[String, Found, Found] {
    override def init(outputMode: OutputMode, timeMode: TimeMode): Unit = ()

    override def handleInputRows(
        key: String,
        rows: Iterator[Found],
        timers: TimerValues
    ): Iterator[Found] = rows
  }
}
