package io.matchrecognize.streaming

import java.sql.Timestamp

import org.apache.spark.sql.streaming._
import org.apache.spark.sql.{AnalysisException, DataFrame, Dataset, Encoders}

/** What is written instead of a watermark above a clause. */
class SecondWatermarkSuite extends StreamSuite {
  import SecondWatermarkSuite._

  private val pairs = """SELECT g AS k, t, v FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
    MEASURES MATCH_ROWTIME() AS t, LAST(v) AS v PATTERN (A B) WITHIN INTERVAL 10 SECONDS
    DEFINE A AS v = 1, B AS v = 2)"""

  private def found(frame: DataFrame): Dataset[Found] =
    frame.as(Encoders.product[Found])

  test("above transformWithState a column that it names carries the first watermark") {
    withConf(ProviderKey -> rocksDb, "spark.sql.shuffle.partitions" -> "1") {
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
