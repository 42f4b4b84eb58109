package io.matchrecognize.streaming

import org.apache.spark.sql.catalyst.expressions.{IsNotNull, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import io.matchrecognize.Sampled
import io.matchrecognize.plans.MatchRecognize

/**
 * What Spark knows of a column in one micro-batch, and not in the next, changes neither the rows
 * nor the state. Inputs of a union have new rows in turn: the others are not in the plan then, with
 * whatever made a column nullable or not.
 */
class StreamColumnsSuite extends StreamSuite {
  private val inputOrder = "spark.matchRecognize.stream.inputOrder"

  // Of the first input, then of the second one.
  private val batches = Seq(
    Seq("a1@1", ""),
    Seq("", "b7@2"),
    Seq("c2@3", ""),
    Seq("", "b6@4 b9@5"),
    Seq("a3@6 c5@7", ""),
    Seq("c4@9", "b8@8"),
    Seq("", "b5@10 z0@30"),
    Seq("z0@40", "")
  )

  private val nullable = "IF(v > 6, NULL, v)"
  private val inputs = Seq(
    "a literal" -> Seq("0 AS v", s"$nullable AS v"),
    "NULL and a literal" -> Seq("CAST(NULL AS INT) AS v", "3 AS v"),
    "COALESCE" -> Seq(s"COALESCE($nullable, 0) AS v", s"$nullable AS v"),
    "a required column" -> Seq("v", s"$nullable AS v"),
    "a field" -> Seq("NAMED_STRUCT('f', v).f AS v", s"NAMED_STRUCT('f', $nullable).f AS v")
  )

  private val clauses = Seq(
    "MEASURES A.n AS a, A.v AS av, B.n AS b PATTERN (A B) DEFINE B AS v IS NULL OR v >= A.v",
    """MEASURES A.n AS a, SUM(v) AS s, B.n AS b PATTERN (A B)
      DEFINE B AS B.v IS NOT NULL AND SUM(COALESCE(A.v, 100)) < 150""",
    """MEASURES FIRST(n) AS a, COUNT(v) AS c, LAST(n) AS b ALL ROWS PER MATCH PATTERN (A B+? C)
      DEFINE C AS (A.v IS NULL OR COALESCE(A.v, LAST(B.n)) < C.n) AND COUNT(B.v) >= 0""",
    """MEASURES A.n AS a, B.n AS b PATTERN (A B) WITHIN INTERVAL 10 SECONDS
      DEFINE A AS NOT (v IS NULL AND n = 1),
        B AS ARRAY_CONTAINS(ARRAY(v, A.n), 3L) OR A.s.f IS NULL OR s.f <= A.s.f"""
  )

  private def columns(name: String, v: String): String =
    s"SELECT g, ts, $v, v AS n, NAMED_STRUCT('f', ${v.stripSuffix(" AS v")}) AS s FROM $name"

  private def union(values: Seq[String], names: Seq[String]): String =
    names.zip(values).map { case (name, v) => columns(name, v) }.mkString(" UNION ALL ")

  private def query(input: String, clause: String): String =
    s"""SELECT * FROM $input MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts $clause)
      WHERE g <> 'z' AND (g IS NOT NULL OR a > 0)"""

  private def table(values: Seq[String], clause: String): Seq[String] = {
    val session = spark
    import session.implicits._
    Seq(0, 1).foreach { i =>
      batches.map(_(i)).filter(_.nonEmpty).flatMap(Event.of).toDS().createOrReplaceTempView(s"t$i")
    }
    spark.sql(union(values, Seq("t0", "t1"))).createOrReplaceTempView("t")
    spark.sql(query("t", clause)).collect().map(shown).toSeq.sorted
  }

  private def streamed(values: Seq[String], clause: String, restarts: Boolean): Seq[String] = {
    val sources = Seq.fill(2)(newSource())
    sources.zipWithIndex.foreach { case (source, i) => view(source, "", s"s$i") }
    spark
      .sql(union(values, Seq("s0", "s1")))
      .withWatermark("ts", "1 second")
      .createOrReplaceTempView("s")
    val checkpoint = newDirectory()
    val runs = if (restarts) batches.map(Seq(_)) else Seq(batches)
    runs.flatMap { batches =>
      run(query("s", clause), sources, checkpoint) { run =>
        batches.foreach { batch =>
          sources.zip(batch).filter(_._2.nonEmpty).foreach { case (source, events) =>
            source.addData(Event.of(events))
          }
          run.query.processAllAvailable()
        }
        run.taken()
      }
    }.sorted
  }

  private val cases = for {
    (name, values) <- inputs
    (clause, i) <- clauses.zipWithIndex
    order <- Seq("watermark", "arrival")
    isReversed <- Seq(false, true)
  } yield (s"$name, clause $i, $order, $isReversed", values, clause, order, isReversed)

  Sampled.oneIn(80, cases).foreach { case (name, values, clause, order, isReversed) =>
    test(s"a union of inputs that Spark knows more and less about: $name") {
      // Else the rows of a batch are searched in one without rows, whose plan has no input at all.
      withConf(inputOrder -> order, "spark.sql.streaming.noDataMicroBatches.enabled" -> "false") {
        val forms = if (isReversed) values.reverse else values
        val expected = table(forms, clause)
        assert(expected.nonEmpty)
        Seq(true, false).foreach { restarts =>
          assert(streamed(forms, clause, restarts) == expected, s"restarts: $restarts")
        }
      }
    }
  }

  test("columns of a stream are nullable at every depth, above a clause too") {
    val source = newSource()
    view(source, "0 seconds")
    val sql = """SELECT * FROM (SELECT g, ts, v, ARRAY(NAMED_STRUCT('f', v)) AS s FROM s)
      MATCH_RECOGNIZE (PARTITION BY v ORDER BY ts ALL ROWS PER MATCH PATTERN (A))"""
    assert(!spark.sql(sql).schema.toDDL.contains("NOT NULL"))
  }

  test("another plan of a micro-batch is refused before it reads the state") {
    val session = spark
    var folds = false
    val fold = new Rule[LogicalPlan] {
      override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
        case m: MatchRecognize if folds =>
          m.transformExpressions { case _: IsNotNull => Literal(true) }
            .asInstanceOf[MatchRecognize]
      }
    }
    session.experimental.extraOptimizations = Seq(fold)
    try
      stream(
        """SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts MEASURES B.v AS b
          PATTERN (A C* B) DEFINE B AS LAST(C.v) IS NOT NULL AND v > A.v)"""
      ) { run =>
        run.add("a1@1 a2@2 b1@9")
        folds = true
        val e = failure(run.add("a3@3 b1@20"))
        assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.QUERY]"))
        assert(e.getMessage.contains("registers of DEFINE ("))
      }
    finally session.experimental.extraOptimizations = Nil
  }
}
