package io.matchrecognize.streaming

import java.sql.Timestamp
import java.util.concurrent.atomic.AtomicInteger

import scala.util.{Failure, Success, Try}

import org.apache.spark.TaskContext

import io.matchrecognize.Sampled
import io.matchrecognize.streaming.operator.StreamMatchRecognizeExec

/** Conditions that bound the time of a match free the state of a stream as WITHIN does. */
class StreamDeadlineSuite extends StreamSuite {

  private def clause(pattern: String, define: String, within: String = ""): String =
    s"""SELECT * FROM s MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts
       |  MEASURES A.v AS a, LAST(v) AS z, COUNT(*) AS n
       |  PATTERN ($pattern) $within DEFINE A AS v > 0, $define)""".stripMargin

  private val bound = "ts <= A.ts + INTERVAL 10 SECONDS"

  test("the watermark alone ends an attempt and removes its state") {
    val defines = Seq(
      s"C AS v = 9 AND C.$bound",
      "C AS C.ts - A.ts <= INTERVAL 10 SECONDS AND v = 9",
      "C AS v = 9 AND unix_timestamp(C.ts) - unix_timestamp(A.ts) < 11"
    )
    Sampled.oneIn(3, defines).foreach { define =>
      stream(clause("A B*? C", define), "0 seconds") { run =>
        run.add("a1@1 a3@5 c4@2 x0@11")
        // Of a the row at 5 is open now, of c that at 2.
        assert(run.taken().isEmpty && run.metric("openAttempts") == 2, define)
        run.add("b2@20 x0@21")
        assert(run.metric("openAttempts") == 1 && run.metric("keysWithState") == 1, define)
        run.add("b9@26 x0@27")
        assert(run.taken() == Seq("b,2,9,2"), define)
        assert(run.metric("keysWithState") == 0, define)
      }
    }
  }

  test("the earlier of WITHIN and a deadline ends an attempt") {
    Sampled.oneIn(2, Seq("5 SECONDS", "1 HOUR")).foreach { within =>
      stream(clause("A B+", s"B AS $bound", s"WITHIN INTERVAL $within"), "0 seconds") { run =>
        run.add("a1@1 a2@2 x0@5.5")
        assert(run.taken().isEmpty)
        run.add("a3@7 x0@11")
        assert(run.taken() == Seq(if (within == "1 HOUR") "a,1,3,3" else "a,1,2,2"))
      }
    }
  }

  test("a deadline may depend on a row at a fixed distance, once that has arrived") {
    val define = "C AS v = 9 AND ts <= B.ts + INTERVAL 10 SECONDS"
    stream(clause("A B X* C", define), "0 seconds") { run =>
      run.add("a1@1 b1@1 x0@50")
      assert(run.metric("openAttempts") == 2)
      run.add("a2@52 b2@52 x0@61.5")
      assert(run.metric("openAttempts") == 2)
      run.add("a9@62 b9@62.5 x0@63")
      assert(run.taken() == Seq("a,1,9,3"))
    }
  }

  test("EXPLAIN names the deadline") {
    def isOpen(define: String): Boolean =
      stream(clause("A B* C", define), "0 seconds") { run =>
        run.add("a1@1 x0@50")
        val exec = run.plan.asInstanceOf[StreamMatchRecognizeExec]
        val text = exec.verboseStringWithOperatorId()
        val isShown = text.linesIterator.exists(_.startsWith("Deadline: C: "))
        val isOpen = run.metric("openAttempts") > 0
        assert(isShown == exec.startWarnings.isEmpty && isShown == !isOpen)
        isOpen
      }
    assert(!isOpen(s"C AS v = 9 AND $bound"))
    assert(isOpen("C AS v = 9"))
  }

  test("a bound that fails, or that no time exceeds, is no deadline", Slow) {
    val seconds = "A.ts + make_dt_interval(0, 0, 0, "
    val bounds = Seq(
      s"A.v <> 0 AND B.ts <= $seconds 10 div A.v)",
      "A.c RLIKE '^[0-9]' AND B.ts <= CAST(A.c AS TIMESTAMP)",
      "B.ts <= CAST(A.c AS TIMESTAMP)",
      "unix_micros(B.ts) - unix_micros(A.ts) <= 9223372036854775807",
      s"B.ts <= $seconds coalesce(try_divide(10, A.v), 1))",
      // Before 1970, and without an end only in one of two alternatives.
      "unix_micros(B.ts) + unix_micros(A.ts) <= 9223372036854775807 AND v > 0",
      "B.ts <= A.ts + INTERVAL 5 SECONDS OR B.ts <= CAST(A.c AS TIMESTAMP)"
    )
    val session = spark
    import session.implicits._
    val events = Seq("a0@1 a0@2 a0@9 b1@9", "b2@10 x0@50", "x0@60", "a0@100 b0@100")
    bounds.foreach { bound =>
      val sql = s"""SELECT * FROM (SELECT g, ts, v, lower(g) AS c FROM s WHERE g <> 'x')
        MATCH_RECOGNIZE (PARTITION BY g ORDER BY ts MEASURES A.ts AS a, B.ts AS b
          PATTERN (A X*? B) DEFINE A AS c >= 'a', B AS $bound)"""
      events.flatMap(Event.of).toDF().createOrReplaceTempView("s")
      val onTable = outcome(spark.sql(sql).collect().map(row => shown(row)).toSeq.sorted)
      val onStream = outcome(stream(sql, "0 seconds") { run =>
        events.foreach(run.add)
        run.taken()
      })
      assert(onStream == onTable, bound)
    }
  }

  /** The rows, or the condition of the error. */
  private def outcome(body: => Seq[String]): Either[String, Seq[String]] = Try(body) match {
    case Success(rows) => Right(rows)
    case Failure(e) =>
      val causes = Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).toSeq
      Left("CAST_INVALID_INPUT|DIVIDE_BY_ZERO".r.findFirstIn(causes.map(_.toString).mkString).get)
  }

  test("a task that computes a deadline ends when the query is stopped") {
    import StreamDeadlineSuite._
    spark.udf.register("later", later)
    val source = newSource()
    view(source, "0 seconds")
    val sql = clause("A B*? C", "C AS v = 9 AND ts <= later(A.ts)")
    val query = spark.sql(sql).writeStream.format("noop").start()
    source.addData(Event.of("a1@1 a2@2 a3@3 x0@9"))
    while (calls.get < Before && query.isActive) Thread.sleep(20)
    query.stop()
    def running = spark.sparkContext.statusTracker.getExecutorInfos.map(_.numRunningTasks).sum
    val limit = System.nanoTime + Patience
    while (running > 0 && System.nanoTime < limit) Thread.sleep(20)
    assert(running == 0)
    // A search that goes on makes about a hundred.
    assert(calls.get >= Before && calls.get <= Before + 10)
  }

  test("a checkpoint without deadlines is refused with them, and the reverse") {
    Seq("<=", ">=").permutations.foreach { comparisons =>
      val source = newSource()
      view(source, "0 seconds")
      val checkpoint = newDirectory()
      def start(comparison: String): Unit = {
        val define = s"B AS v < 9, C AS v >= 8 AND ts $comparison A.ts + INTERVAL 10 SECONDS"
        run(clause("A B* C", define), Seq(source), checkpoint)(_.add("a1@1 x0@31"))
      }
      start(comparisons.head)
      assert(failure(start(comparisons.last)).getMessage.contains("deadlines of DEFINE ("))
    }
  }
}

private object StreamDeadlineSuite {

  /** Calls of the function before the query is stopped. */
  final val Before = 5

  /** Nanoseconds; far more than a busy machine takes. */
  final val Patience = 120L * 1000 * 1000 * 1000

  /** Of a function in tasks, whose closure is a copy. */
  val calls = new AtomicInteger

  /** Once it was called so often, it returns when its task is told to end. */
  val later: Timestamp => Timestamp = { ts =>
    val limit = System.nanoTime + Patience
    if (calls.incrementAndGet() >= Before)
      while (!TaskContext.get().isInterrupted() && System.nanoTime < limit) Thread.onSpinWait()
    new Timestamp(ts.getTime + 1000L * 3600 * 24 * 1000)
  }
}
