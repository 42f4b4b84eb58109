package io.matchrecognize.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.execution.pointer.PointerSource
import io.matchrecognize.execution.rows.MadeRows
import io.matchrecognize.streaming.task.{DeadlineTimes, StreamProgram}
import io.matchrecognize.{QuerySuite, Sampled}

/** Where windows of deadlines end, and what it costs to find that. */
class DeadlineTimesSuite extends QuerySuite {
  private final val Second = 1000000L

  /** Rows of times and limits in seconds, whose reads are counted. */
  private final class Counted(times: Array[Long], limits: Array[Long], timeColumn: Int)
      extends MadeRows {
    var reads = 0L
    override def length: Long = times.length.toLong
    override def fixed(column: Int, row: Long): Long = {
      reads += 1
      if (column == timeColumn) times(row.toInt) * Second else limits(row.toInt)
    }
  }

  private object Source extends PointerSource {
    override def keys: UnsafeRow = null
    override def matchNumber: Long = 0L
    override def label(row: Long): UTF8String = null
    override def aggregate(index: Int): Any = null
    override def register(number: Int, isFinal: Boolean): Long = -1L
  }

  private def program(check: String): StreamProgram = {
    spark
      .sql("SELECT timestamp_seconds(id) AS ts, id AS n FROM range(3)")
      .createOrReplaceTempView("t")
    val frame = spark.sql(s"""SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts
      MEASURES A.ts AS a, B.ts AS b, A.n AS n PATTERN (A X*? B)
      DEFINE B AS $check)""")
    val node = matchNodes(frame).head
    val spec = ClauseSpec(node.clause, node.measureOutput, node.child.output, node.output)
    StreamProgram.of(Seq(spec), 0L, 0L, false, false)
  }

  private val sums = "B.ts <= A.ts + make_dt_interval(0, 0, 0, A.n)"

  /** The reads of all ends for limits, checked against the times. */
  private def reads(times: Array[Long], limits: Array[Long]): Long = {
    val conditions = program(sums).task.clause.conditions
    val deadlines = conditions.deadlines.get
    val rows = new Counted(times, limits, deadlines.key.column)
    val found = new DeadlineTimes(deadlines, conditions, rows, Source)
    found.reset()
    times.indices.foreach { start =>
      val last = times(start) + limits(start)
      val end = times.indexWhere(_ > last, start + 1)
      assert(found.end(start.toLong) == (if (end < 0) times.length else end))
      assert(found.lastTime(start.toLong) == last * Second)
    }
    rows.reads
  }

  test("a bound near the largest time does not hide that of the next start row") {
    val most = 9000000000000000000L
    val seconds = Array(most / Second, 50L, most / Second, 49L)
    val times = Array.tabulate(seconds.length)(_.toLong)
    // The larger the number, the earlier is the time at which the sum overflows.
    val numbers = seconds.map(most - _ * Second)
    val conditions = program(s"unix_micros(B.ts) + A.n <= $most").task.clause.conditions
    val deadlines = conditions.deadlines.get
    val rows = new Counted(times, numbers, deadlines.key.column)
    val found = new DeadlineTimes(deadlines, conditions, rows, Source)
    found.reset()
    val ends = seconds.indices.map(start => found.lastTime(start.toLong))
    assert(ends == seconds.toSeq.map(_ * Second))
  }

  /**
   * Checks of a row's time against the first row's number n, each with the last time at which it is
   * TRUE, given the first row's time and n; none if it is TRUE, or fails, at all times.
   */
  private val checks: Seq[(String, (BigInt, BigInt) => Option[BigInt])] = {
    def div(a: BigInt, n: BigInt) = Option.when(n != 0)(a / n)
    Seq(
      "B.ts <= timestamp_micros(A.n)" -> ((_, n) => Some(n)),
      "unix_micros(B.ts) < A.n" -> ((_, n) => Some(n - 1)),
      "unix_micros(B.ts) - unix_micros(A.ts) <= A.n" -> ((first, n) => Some(first + n)),
      "A.n >= unix_micros(B.ts) - unix_micros(A.ts)" -> ((first, n) => Some(first + n)),
      "unix_micros(B.ts) <= 9000000000000000000 div A.n" ->
        ((_, n) => div(BigInt("9000000000000000000"), n)),
      "B.ts <= A.ts + make_dt_interval(0, 0, 0, 1000 div A.n)" ->
        ((first, n) => div(1000, n).map(first + _ * Second)),
      "B.ts <= CAST(IF(A.n < 0, 'never', '1970-01-01 00:01:00Z') AS TIMESTAMP)" ->
        ((_, n) => Option.when(n >= 0)(60 * Second))
    )
  }

  test("windows of bounds that fail, or that no time exceeds, are found in a few reads") {
    val random = new scala.util.Random(7)
    def number(): Long = random.nextInt(4) match {
      case 0 => random.nextInt(5) - 2L
      case 1 => Long.MaxValue - random.nextInt(3)
      case 2 => Long.MinValue + random.nextInt(3)
      case _ => random.nextLong() >> random.nextInt(64)
    }
    val starts = Sampled.size(200, 60)
    checks.foreach { case (check, last) =>
      val conditions = program(check).task.clause.conditions
      val deadlines = conditions.deadlines.get
      val times = Array.tabulate(starts)(_.toLong)
      val numbers = Array.fill(starts)(number())
      val rows = new Counted(times, numbers, deadlines.key.column)
      val found = new DeadlineTimes(deadlines, conditions, rows, Source)
      found.reset()
      times.indices.foreach { start =>
        val first = times(start) * Second
        val window = last(BigInt(first), BigInt(numbers(start)))
        val before = rows.reads
        val expected =
          window.filter(_ < Long.MaxValue - 1).fold(Long.MaxValue)(_.max(first - 1).toLong)
        assert(found.lastTime(start.toLong) == expected, s"$check, ${numbers(start)}")
        // A bound that fails does so at the first and the last time: no need to look between them.
        assert(rows.reads - before <= (if (window.isEmpty) 20 else 1000), check)
      }
    }
  }

  test("the end of a window is found in a few reads, also if limits differ from row to row") {
    def costs(n: Int): (Long, Long) = {
      val times = Array.tabulate(n)(_.toLong)
      val (same, alternating) = (
        Array.fill(n)(50L),
        // To and fro over all rows.
        Array.tabulate(n)(i => if (i % 2 == 0) 0L else n.toLong)
      )
      (reads(times, same), reads(times, alternating))
    }
    val (same, alternating) = costs(2000)
    assert(same < 2000 * 30)
    // Two searches of twice eleven steps, of which each reads the limit and a time.
    assert(alternating < 2000 * 200)
    val random = new scala.util.Random(5)
    val times = Array.fill(500)(random.nextInt(900).toLong).sorted
    assert(reads(times, Array.fill(500)(random.nextInt(400).toLong)) < 500 * 200)
  }
}
