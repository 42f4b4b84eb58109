package io.matchrecognize.streaming

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import scala.util.Random

import io.matchrecognize.Sampled
import io.matchrecognize.conf.MatchRecognizeConf.InputOrder
import io.matchrecognize.optimizer.PushConditions
import io.matchrecognize.streaming.operator.StreamMatchRecognizeExec

/** Conditions on single rows that are evaluated below the operator of a stream. */
class PushedConditionsSuite extends StreamSuite {
  private val batches =
    Seq("a1@1 a2@2 b3@1 a4@3", "b5@6 a6@4.5 c7@5 b8@5 a9@7 c2@8 c3@7", "a1@9 b5@9.5 b1@10 b2@11")
  // The watermark passes all limits.
  private val end = Seq("z0@100", "z1@200")
  private val within = "(A B+) WITHIN INTERVAL 6 SECONDS"

  private def clause(
      define: String,
      pattern: String = within,
      measures: String = "FIRST(ts) AS f, LAST(ts) AS l, COUNT(*) AS n",
      rest: String = "",
      select: String = "g, f, l, n"
  ): String = s"""SELECT $select FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
    MEASURES $measures $rest PATTERN $pattern DEFINE $define) AS m"""

  /** The rows of the table and of the stream, and the columns that the operator reads. */
  private def compare(sql: String, confs: (String, String)*): Seq[String] =
    withConf(confs :+ "spark.sql.shuffle.partitions" -> "2": _*) {
      val session = spark
      import session.implicits._
      (batches ++ end).flatMap(Event.of).toDS().createOrReplaceTempView("s")
      val expected = rows(sql).map(shown).filterNot(_.contains("z")).sorted
      val inOrder = confs.contains(InputOrder.key -> "arrival")
      val source = newSource()
      view(source, "1 second")
      val checkpoint = newDirectory()
      var columns = Seq.empty[String]
      val found = (batches ++ end).flatMap { events =>
        run(sql, Seq(source), checkpoint) { run =>
          val arriving = Event.of(events)
          run.add(source, (if (inOrder) arriving.sortBy(_.ts.get.getTime) else arriving): _*)
          columns = run.plan.children.head.output.map(_.name)
          run.taken()
        }
      }
      assert(found.filterNot(_.contains("z")).sorted == expected, sql)
      columns
    }

  private val excluded = "spark.sql.optimizer.excludedRules" -> PushConditions.ruleName
  private val replaced = Seq("g", "ts", "conditions")

  // More than 64 conditions on two columns.
  private lazy val wide = union((0 until 40).flatMap(i => Seq(s"v <> $i", s"w > $i")))
    .replace("FROM s", "FROM (SELECT *, v * 2 AS w FROM s)")
  private val wideColumns = replaced :+ "conditions"
  private val kept = Seq("g", "ts", "v")

  private val pushed = Seq(
    clause("A AS v > 2, B AS v BETWEEN 1 AND 5"),
    // A union variable, a variable of its own name, one that another condition reads beside it.
    clause("A AS A.v IN (1, 4, 5), B AS U.v < 9 AND ts > A.ts", rest = "")
      .replace("DEFINE", "SUBSET U = (A, B) DEFINE"),
    clause("A AS v IS NOT NULL AND NOT v <= 2, B AS v <> 3 OR v IS NULL"),
    clause("A AS v > 3", "(A B C)"),
    clause("B AS v > 2 AND COUNT(*) < 3")
  )

  test("a column that only conditions on the tested row read is not kept") {
    Sampled.oneIn(2, pushed).foreach { sql =>
      assert(compare(sql) == replaced, sql)
      assert(compare(sql, excluded) == kept, sql)
    }
  }

  test("in the order of arrival, with RocksDB, in generated code") {
    assert(compare(pushed.head, InputOrder.key -> "arrival") == replaced)
    assert(compare(pushed.head, ProviderKey -> rocksDb) == replaced)
    val generated = Seq("wholeStage" -> "true", "factoryMode" -> "CODEGEN_ONLY").map {
      case (name, value) => s"spark.sql.codegen.$name" -> value
    }
    assert(compare(pushed.head, generated: _*) == replaced)
    assert(compare(wide, generated: _*) == wideColumns)
  }

  test("sums of DOUBLE keep their order") {
    val sums = Seq("0.1D + v * 0.2D + v * 0.3D", "0.3D + v * 0.2D + v * 0.1D").map { sum =>
      s"SELECT '$sum' AS p, * FROM (${clause(s"A AS v * $sum > v * 0.6D AND v = 1", "(A)")})"
    }
    assert(compare(sums.mkString("\nUNION ALL\n")) == replaced)
  }

  test("a query of WITH that two clauses name is read once") {
    val byValue = clause("A AS g <> 'a'").replace("BY g", "BY v").replace("SELECT g", "SELECT v")
    val sql = s"WITH w AS (SELECT * FROM s) ${clause("A AS v > 2")} UNION ALL $byValue"
      .replace("FROM s MATCH", "FROM w MATCH")
    stream(sql) { run =>
      run.add("a1@1 a3@2 a4@3")
      assert(run.operators.length == 2 && run.query.lastProgress.sources.length == 1)
      assert(run.plan.children.head.output.map(_.name).contains("conditions"))
    }
  }

  test("behind another branch of a UNION ALL") {
    val source = newSource()
    view(source, "1 second")
    view(newSource(), "1 second", "other")
    val branches = Seq(clause("A AS v > 2").replace("FROM s", "FROM other"), clause("A AS v > 3"))
    run((branches :+ clause("A AS v > 4")).mkString(" UNION ALL "), Seq(source)) { run =>
      run.add("a1@1 a3@2")
      assert(run.operators.length == 2)
      run.plans.foreach(plan => assert(plan.children.head.output.map(_.name) == replaced))
    }
  }

  test("a checkpoint does not go on with the conditions elsewhere") {
    val source = newSource()
    view(source, "1 second")
    val checkpoint = newDirectory()
    run(pushed.head, Seq(source), checkpoint)(_.add("a1@1 a3@2"))
    withConf(excluded) {
      val text = failure(run(pushed.head, Seq(source), checkpoint)(_.add("a1@9"))).getMessage
      assert(text.startsWith("[MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.QUERY]"))
    }
  }

  test("a column that is read otherwise stays, and the conditions where they are") {
    Seq(
      clause("A AS v > 2", measures = "FIRST(v) AS f, LAST(ts) AS l, COUNT(*) AS n"),
      clause("A AS v > 2, B AS v > PREV(v)"),
      clause("A AS v > 2, B AS v > A.v"),
      clause("A AS v > 2, B AS SUM(v) < 20"),
      // It may fail, and is tested only where the search asks.
      clause("A AS v > 2, B AS 6 / v > 1"),
      clause("A AS v > 2", rest = "ALL ROWS PER MATCH", select = "g, v, n")
    ).foreach(sql => assert(compare(sql).toSet == kept.toSet, sql))
  }

  test("conditions that the query warns of stay where they are") {
    val warned = Seq(
      "B AS v = NULL" -> "a part of it is NULL",
      "B AS v BETWEEN 5 AND 1" -> "two of its parts exclude each other",
      "B AS CAST(v AS TINYINT) IS NULL AND v > 9 AND v < 3" -> "two of its parts exclude",
      "B AS coalesce(v, 0) IS NOT NULL" -> "can hold rows forever"
    )
    Sampled.oneIn(2, warned).foreach { case (define, text) =>
      val found = warnings(classOf[StreamMatchRecognizeExec]) { _ =>
        stream(clause(s"A AS v > 2, $define", "(A B+)"))(_.add("a1@1 a3@2"))
      }
      assert(found.exists(_.contains(text)), s"$define: $found")
    }
  }

  test("a constant part that fails ends a micro-batch, not the start") {
    val text = failure(stream(clause("A AS v > 2 AND v > 1 / 0"))(_.add("a1@1 a3@2"))).getMessage
    assert(text.startsWith("[DIVIDE_BY_ZERO"))
  }

  private def union(conditions: Seq[String]): String = conditions.zipWithIndex
    .map { case (c, i) => s"SELECT $i AS p, * FROM (${clause(s"B AS $c")})" }
    .mkString("\nUNION ALL\n")

  test("equal conditions of several patterns have one bit, which is looked up") {
    val sql = union(
      Seq(
        "v > 1",
        "v > 2",
        "v > 3",
        "v > 1",
        "v < 9 AND B.v > 2",
        "v > 2 AND COUNT(*) < 9 AND v < 9"
      )
    )
    assert(compare(sql) == replaced)
    val source = newSource()
    view(source, "1 second")
    val checkpoint = newDirectory()
    run(sql, Seq(source), checkpoint) { run =>
      run.add("a1@1 a2@2 a3@3")
      val text = run.plan.verboseStringWithOperatorId()
      assert(text.contains("6 patterns, 6 conditions, 5 distinct, 4 looked up"), text)
      assert(text.contains("B AS ((v < 9) AND (v > 2))"), text)
    }
    val file = Paths.get(checkpoint, "state", "0", "_matchRecognize", "clause.json")
    val written = new String(Files.readAllBytes(file), UTF_8)
    assert(written.contains("1 (v > 2), 4 (v < 9)"), written)
  }

  test("bits take no more columns than they replace") {
    def columns(n: Int) = compare(union((0 until n).map(i => s"v <> $i")))
    assert(columns(64) == replaced)
    assert(columns(65) == kept)
    assert(compare(wide) == wideColumns)
  }

  test("random conditions give the same rows where they are pushed") {
    val random = new Random(7)
    def pick(parts: String*) = parts(random.nextInt(parts.length))
    def part() = s"v ${pick("<", ">", "=", "<>")} ${random.nextInt(9)}"
    def condition(other: String) = pick(
      part(),
      s"${part()} AND ${part()}",
      s"${part()} OR ${part()}",
      s"NOT (${part()})",
      s"${part()} AND $other",
      s"g < 'c' AND ${part()}"
    )
    val cases = Sampled.size(30, 6)
    val found = (0 until cases).map { i =>
      val clauses = Seq.fill(1 + random.nextInt(4)) {
        val define = s"A AS ${condition("ts IS NOT NULL")}, B AS ${condition("ts > A.ts")}, " +
          s"C AS ${condition("COUNT(B.*) < 3")}"
        val pattern = pick("(A B+ C?)", "(A B*? C)", "(A | B C)", "(A+ B? C)", "(A B | C)")
        clause(define, s"$pattern WITHIN INTERVAL ${2 + random.nextInt(5)} SECONDS")
      }
      val order = if (i % 3 == 0) "arrival" else "watermark"
      compare(clauses.mkString("\nUNION ALL\n"), InputOrder.key -> order)
    }
    // Some have parts that exclude each other.
    assert(found.count(_ == replaced) > cases / 2)
  }
}
