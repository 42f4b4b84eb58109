package io.matchrecognize.execution.search

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.functions.udf
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.{TaskContext, TaskKilledException}
import org.scalatest.tagobjects.Slow

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.plan.MatchRecognizeExec
import io.matchrecognize.execution.task.TaskWorkers
import io.matchrecognize.streaming.InTask
import io.matchrecognize.{QuerySuite, Sampled}

/** Large partitions, by several threads of their task. */
class ThreadsSuite extends QuerySuite {
  private val threads = MatchRecognizeConf.Threads.key
  private val minRows = MatchRecognizeConf.ThreadedRows
  private val rowCount = 20000

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set(MatchRecognizeConf.AllowUnusedDefinitions.key, "true")
    spark
      .sql(
        s"""SELECT id AS ts, id % 3 AS k, 100 + 10 * sin(id * 0.7) + hash(id) % 7 AS price,
           |  CASE WHEN hash(id) % 11 = 0 THEN NULL
           |    ELSE substr('abcde', 1 + abs(hash(id * 3)) % 5, 1) END AS letter,
           |  repeat('x', CAST(if(id % 100 = 0, 500, id % 5) AS INT)) AS long
           |FROM range(0, $rowCount, 1, 3) ORDER BY hash(id, 5)""".stripMargin
      )
      .createOrReplaceTempView("ticks")
    keep("ticks")
    spark.udf.register("is_b", udf((letter: String) => letter == "b"))
  }

  override protected def afterAll(): Unit =
    try {
      spark.conf.unset(MatchRecognizeConf.AllowUnusedDefinitions.key)
      spark.catalog.uncacheTable("ticks")
    } finally super.afterAll()

  // Strings of one size, and mostly short ones, are measured differently before they are copied.
  private def clause(pattern: String, define: String, partition: String = ""): String = {
    val text = if (pattern.length % 2 == 0) "letter" else "long"
    s"""SELECT * FROM ticks MATCH_RECOGNIZE ($partition ORDER BY ts
       |  MEASURES COUNT(*) AS n, FIRST(ts) AS f, LAST($text) AS l, LAST(A.letter) AS a
       |  PATTERN ($pattern) DEFINE $define)""".stripMargin
  }

  private val letters = "A AS letter = 'a', B AS letter = 'b', C AS letter = 'c', E AS letter = 'e'"
  private val queries = Seq(
    clause("A+ B+ C+ E", letters),
    clause("A (B | C)+ ^ E | A B+", letters),
    clause("A X*? B Y*? C", letters + ", X AS letter <> 'e', Y AS letter <> 'e'"),
    clause("A DOWN+ UP+", "DOWN AS price < PREV(price), UP AS price > PREV(price)"),
    clause("A DOWN+", "DOWN AS price < NEXT(price) AND price > PREV(price, 2)"),
    // With LIMIT above: the search ends early.
    clause("A B", letters) + " LIMIT 3",
    // Not by a generated loop; not row-local; an anchored condition.
    clause("A B", "A AS letter = 'a', B AS is_b(letter)"),
    clause("A B+", "A AS letter = 'a', B AS COUNT(B.*) < 4 AND letter = 'b'"),
    clause("A B+", "B AS price > A.price"),
    clause("A B+ C", letters, "PARTITION BY k"),
    clause("A{2,} $", "A AS price > 0")
  )

  /** Rows, and the largest number of threads that a task used. */
  private def run(sql: String, confs: (String, String)*): (Seq[Row], Long) = withConf(confs: _*) {
    val frame: DataFrame = spark.sql(sql)
    val collected = frame.collect().toSeq
    // Partitions are in no certain order.
    val found =
      if (sql.contains("PARTITION BY")) collected.sortBy(_.toString) else collected
    val clauses = nodes(executed(frame)).collect { case node: MatchRecognizeExec => node }
    (found, clauses.map(_.metrics("numThreads").value).max)
  }

  test("the results are those of one thread") {
    Sampled.oneIn(4, queries).foreach { sql =>
      val (expected, none) = run(sql, threads -> "1", minRows -> "100")
      assert(none == 0 && expected.nonEmpty, sql)
      Seq(("2", "100", "true"), ("3", "5000", "false"), ("7", "4", "true")).foreach {
        case (count, rows, isAdaptive) =>
          val adaptive = "spark.sql.adaptive.enabled" -> isAdaptive
          val (found, used) = run(sql, threads -> count, minRows -> rows, adaptive)
          assert(found == expected, s"$count threads, $rows rows: $sql")
          // Of all tasks.
          assert(used > 0 && used % count.toLong == 0, s"$count threads: $sql")
      }
    }
  }

  test("also where code is not generated, rows are shuffled as rows, and rows are spilled", Slow) {
    queries.foreach { sql =>
      val (expected, _) = run(sql, threads -> "1")
      Seq(
        "spark.sql.codegen.factoryMode" -> "NO_CODEGEN",
        MatchRecognizeConf.Shuffle.key -> "spark",
        MatchRecognizeConf.Sort.key -> "spark",
        MatchRecognizeConf.SpillThresholdRows.key -> "8000",
        MatchRecognizeConf.SpillThresholdRows.key -> "1000"
      ).foreach { other =>
        val (found, _) = run(sql, threads -> "3", minRows -> "100", other)
        assert(found == expected, s"$other: $sql")
      }
    }
  }

  test("conditions that threads share are those of one thread", Slow) {
    spark
      .sql(
        """SELECT id AS ts, id % 100 AS number, concat('kind ', id % 1000) AS kind,
          |  CAST(id % 1000 AS DECIMAL(20, 2)) AS amount, IF(id % 7 = 0, NULL, CAST(id % 10 AS INT)) AS few,
          |  CAST(id % 50 AS DOUBLE) AS x, date_add(DATE'2024-01-01', CAST(id % 90 AS INT)) AS day,
          |  named_struct('a', id % 5, 'b', concat('b', id % 3)) AS pair
          |FROM range(0, 100000, 1, 3)""".stripMargin
      )
      .createOrReplaceTempView("kinds")
    keep("kinds")
    val conditions = Seq(
      "kind IN (SELECT concat('kind ', id * 29) FROM range(35))",
      "kind NOT IN (SELECT concat('kind ', id * 29) FROM range(35))",
      "number IN (SELECT id * 3 FROM range(12))",
      "number NOT IN (SELECT id * 3 FROM range(12))",
      "amount IN (SELECT CAST(id * 3 AS DECIMAL(20, 2)) FROM range(50))",
      "x IN (SELECT CAST(id * 3 AS DOUBLE) FROM range(9))",
      "COALESCE(few IN (SELECT CAST(id AS INT) FROM range(4)), TRUE)",
      "day IN (SELECT DATE'2024-01-01' + CAST(id AS INT) FROM range(9))",
      "kind IN ('kind 1', 'kind 2', 'kind 500')",
      (0 until 30).map(i => s"'kind ${i * 31}'").mkString("kind IN (", ", ", ")"),
      (0 until 30).map(i => s"${i * 7}.00").mkString("amount IN (", ", ", ")"),
      (0 until 30).map(i => s"${i * 3}").mkString("number IN (", ", ", ")"),
      "kind LIKE 'kind 1%' OR kind LIKE '%9' OR kind LIKE '%33%'",
      "UPPER(kind) = 'KIND 7' OR LOWER(kind) < 'kind 3' AND LENGTH(kind) > 6",
      "amount > 500.5 AND amount >= PREV(amount)",
      "CASE WHEN few IS NULL THEN x < 20 WHEN few < 5 THEN x > 40 ELSE COALESCE(few, 9) = 8 END",
      "pair.b = 'b1' AND pair.a <= number",
      "x + x * 2 - 1 < 30 AND NOT ISNAN(-x) AND ABS(x - 9) > 3",
      "number & 6 = 4 OR number ^ few = 3",
      "number > (SELECT 50)",
      "CAST(few AS BIGINT) < number AND CAST(few AS DOUBLE) < x"
    )
    val different = conditions.filterNot { condition =>
      val sql =
        s"""SELECT COUNT(*), SUM(n), SUM(hash(f, n)) FROM kinds MATCH_RECOGNIZE (ORDER BY ts
           |  MEASURES FIRST(ts) AS f, COUNT(*) AS n PATTERN (A+) DEFINE A AS $condition)""".stripMargin
      // Tested below the shuffle, most of them would not be tested here.
      withConf(MatchRecognizeConf.TestBelow.key -> "false") {
        val (expected, _) = run(sql, threads -> "1")
        val (found, used) = run(sql, threads -> "4", minRows -> "100")
        expected.head.getLong(0) > 1 && used > 0 && found == expected
      }
    }
    spark.catalog.uncacheTable("kinds")
    assert(different.isEmpty)
  }

  test("auto is for clauses without PARTITION BY, and for large partitions") {
    val slots = InTask(spark)(new TaskResources(TaskContext.get(), _ => ()).slots)
    assert(slots >= 1 && slots <= Runtime.getRuntime.availableProcessors)
    val used = if (slots > 1) slots.toLong else 0L
    assert(run(queries.head, minRows -> "100")._2 == used)
    assert(run(queries.head)._2 == 0)
    val keyed = clause("A B+ C", letters, "PARTITION BY k")
    assert(run(keyed, minRows -> "100")._2 == 0)
    assert(run(keyed, minRows -> "100", threads -> "2")._2 >= 2)
    assert(run(keyed, threads -> "2")._2 == 0)
    Seq("0", "-1", "many", "100").foreach { wrong =>
      intercept[IllegalArgumentException](spark.conf.set(threads, wrong))
    }
  }

  test("EXPLAIN FORMATTED says how many") {
    def line(sql: String, confs: (String, String)*) = withConf(confs: _*) {
      val shown = rows(s"EXPLAIN FORMATTED $sql").head.getString(0)
      "Threads: (.*)".r.findFirstMatchIn(shown).map(_.group(1))
    }
    assert(line(queries.head).contains("as many as the executor runs tasks"))
    assert(line(queries.head, threads -> "4").contains("4"))
    assert(line(queries.head, threads -> "1").isEmpty)
    assert(line(clause("A B+ C", letters, "PARTITION BY k")).isEmpty)
  }

  test("errors are those of one thread") {
    val failing = Seq(
      clause("A B", "B AS 1 / (ts - 15000) > 0"),
      clause("A B+", "B AS raise_error('no') IS NULL")
    )
    withConf("spark.sql.ansi.enabled" -> "true") {
      failing.foreach { sql =>
        val messages = Seq("1", "3").map { count =>
          Try(run(sql, threads -> count, minRows -> "100")).failed.get.getMessage
        }
        assert(messages.distinct.size == 1 && messages.head.nonEmpty)
      }
    }
  }

  private def matchThreads: Seq[String] =
    Thread.getAllStackTraces.keySet.asScala
      .map(_.getName)
      .filter(_.contains("match_recognize"))
      .toSeq

  test("threads know their task, end with their work and pass failures on") {
    InTask(spark) {
      val context = TaskContext.get()
      val pool = new TaskWorkers(4, 1L, new TaskResources(context, _ => ()), () => ())
      val tasks = new Array[TaskContext](4)
      pool.run(i => tasks(i) = TaskContext.get())
      assert(tasks.forall(_ eq context) && (TaskContext.get() eq context))
      val calls = new Array[Int](1000)
      pool.each(calls.length)((_, i) => calls(i) += 1)
      assert(calls.forall(_ == 1))
      (0 until 4).foreach { failing =>
        val error = intercept[IllegalStateException] {
          pool.run(i => if (i == failing) throw new IllegalStateException(s"$i"))
        }
        assert(error.getMessage == s"$failing")
      }
      intercept[IllegalStateException] {
        pool.each(1 << 30)((_, i) => if (i == 100) throw new IllegalStateException)
      }
      // Interrupted, it waits for the others first.
      Thread.currentThread.interrupt()
      val ended = new Array[Boolean](4)
      pool.run { i =>
        if (i > 0) Thread.sleep(50)
        ended(i) = true
      }
      assert(Thread.interrupted() && ended.forall(identity))
      assert(matchThreads.isEmpty)
    }
  }

  test("if a thread cannot be started, the others end first") {
    InTask(spark) {
      val resources = new TaskResources(TaskContext.get(), _ => ())
      var made = 0
      val ended = new Array[Boolean](4)
      val error = intercept[OutOfMemoryError] {
        resources.inThreads(
          4,
          (work, name) => {
            made += 1
            if (made < 3) new Thread(work, name)
            else
              new Thread(work, name) {
                override def start(): Unit = throw new OutOfMemoryError("no thread")
              }
          }
        ) { i =>
          Thread.sleep(100)
          ended(i) = true
        }
      }
      assert(error.getMessage == "no thread" && matchThreads.isEmpty)
      assert(ended.toSeq == Seq(false, true, true, false))
    }
  }

  test("a killed task ends its threads") {
    // Both are public to the JVM only.
    val context = TaskContext.getClass.getMethod("empty").invoke(TaskContext)
    val kill = context.getClass.getMethod("markInterrupted", classOf[String])
    val resources = new TaskResources(context.asInstanceOf[TaskContext], _ => ())
    val pool = new TaskWorkers(3, 1L, resources, () => ())
    val killed = intercept[TaskKilledException] {
      pool.each(1 << 30)((_, i) => if (i == 100) kill.invoke(context, "by a test"): Unit)
    }
    assert(killed.reason == "by a test" && matchThreads.isEmpty)
  }
}
