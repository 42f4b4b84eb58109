package io.matchrecognize.streaming

import java.sql.Timestamp
import java.time.{Instant, LocalDateTime, ZoneId}

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.Row

import io.matchrecognize.conf.MatchRecognizeConf

/** A row of a stream, at a time in microseconds. */
final case class TaskRow(g: Option[Int], t: Long, n: Int, v: Int) {
  def asRow(c: Int): Row = Row(c, g.map(Int.box).orNull, TaskStream.time(t), n, v)
  override def toString: String =
    s"${g.fold("-")(_.toString)}:$v#$n@${TaskStream.time(t).toInstant}"
}

/**
 * A micro-batch.
 *
 * @param late
 *   rows up to this time are late
 * @param ready
 *   rows up to this time are searched
 * @param settings
 *   with which the clause is compiled
 */
final case class TaskBatch(
    rows: Vector[TaskRow],
    late: Long,
    ready: Long,
    settings: Seq[(String, String)]
)

/** @param maxPending the limit on pending rows, 0 for none */
final case class TaskStream(batches: Vector[TaskBatch], maxPending: Int) {
  def rows: Vector[TaskRow] = batches.flatMap(_.rows)

  /** What the documentation says about late rows, and about the limit on pending rows. */
  lazy val decided: TaskStream.Decided = {
    val accepted = mutable.ArrayBuffer.empty[TaskRow]
    var pending = Vector.empty[TaskRow]
    var handedOn = Long.MinValue
    batches.foreach { batch =>
      val inTime = batch.rows.filter(_.t > batch.late.max(handedOn))
      accepted ++= inTime
      pending = (pending ++ inTime).filter(_.t > batch.ready.max(handedOn))
      if (maxPending > 0 && pending.size > maxPending) {
        handedOn = pending.map(_.t).sorted.apply(pending.size - maxPending - 1)
        pending = pending.filter(_.t > handedOn)
      }
    }
    TaskStream.Decided(accepted.toVector, rows.size.toLong - accepted.size)
  }

  override def toString: String = s"at most $maxPending pending\n" + batches
    .map(b =>
      s"late ${TaskStream.time(b.late).toInstant}, ready ${TaskStream.time(b.ready).toInstant}, " +
        s"${b.settings.map(_._2).mkString(" ")}: ${b.rows.mkString(" ")}"
    )
    .mkString("\n")
}

object TaskStream {

  /**
   * What a stream has to take into account.
   *
   * @param rows
   *   those that are not late
   * @param late
   *   how many are
   */
  final case class Decided(rows: Vector[TaskRow], late: Long)

  val zone: ZoneId = ZoneId.of("America/New_York")
  private final val Millis = 1000L
  final val Second = 1000000L
  final val Day: Long = 24 * 3600 * Second

  def time(micros: Long): Timestamp = Timestamp.from(
    Instant.ofEpochSecond(Math.floorDiv(micros, Second), Math.floorMod(micros, Second) * Millis)
  )

  /** Settings that may change when a query starts again, the default first. */
  private val space: Seq[(String, Seq[String])] = Seq(
    MatchRecognizeConf.InferDeadlines.key -> Seq("true", "false"),
    MatchRecognizeConf.AnchoredThreads.key -> Seq("true", "false"),
    MatchRecognizeConf.SpillThresholdRows.key -> Seq(Int.MaxValue.toString, "5", "1")
  )
  private val plain = space.map { case (key, all) => key -> all.head }

  def random(random: Random, unit: Long): TaskStream = {
    def pick[T](options: T*): T = options(random.nextInt(options.size))
    // Month ends and a change of clocks are among the times.
    val first = pick(
      LocalDateTime.parse("2024-01-28T12:00"),
      LocalDateTime.parse("2024-03-09T20:00"),
      LocalDateTime.parse("2024-11-02T20:00")
    ).atZone(zone).toEpochSecond * Second
    val span = pick(8, 20, 20, 60)
    val drawn = Vector.tabulate(20 + random.nextInt(80)) { n =>
      val t = first + random.nextInt(span) * unit + pick(0L, 0L, 0L, 0L, 1L, 500L, unit / 2)
      TaskRow(
        if (random.nextInt(8) == 0) None else Some(random.nextInt(5)),
        t,
        n,
        random.nextInt(6)
      )
    }
    val delay = pick(0L, unit, 3 * unit)
    val arriving =
      drawn.map(row => row -> (row.t + random.nextLong(4 * unit))).sortBy(_._2).map(_._1)
    val sameForLate = random.nextInt(3) == 0
    val batches = mutable.ArrayBuffer.empty[TaskBatch]
    var settings = plain
    var rest = arriving
    var (seen, before) = (0L, 0L)
    while (rest.nonEmpty) {
      val (rows, after) = rest.splitAt(random.nextInt(pick(1, 6, 16)))
      rest = after
      // That of the rows before this micro-batch; a row of another key may move it, too.
      val jump = if (random.nextInt(6) == 0) first + random.nextInt(span) * unit else 0L
      val moved = before.max((seen - delay).max(jump) / Millis * Millis)
      val ready = if (random.nextInt(4) == 0) before else moved
      if (random.nextInt(4) == 0) settings = space.map { case (key, all) => key -> pick(all: _*) }
      batches += TaskBatch(rows, if (sameForLate) ready else before, ready, settings)
      before = ready
      seen = (seen +: rows.map(_.t)).max
    }
    val last = first + 200 * Day
    // With deadlines: where there is no WITHIN, they alone end attempts.
    batches += TaskBatch(Vector.empty, before, last, plain)
    batches += TaskBatch(Vector.empty, last, last, plain)
    TaskStream(batches.toVector, pick(0, 0, 1, 3, 12))
  }
}
