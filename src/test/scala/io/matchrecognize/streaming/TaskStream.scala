package io.matchrecognize.streaming

import java.sql.Timestamp
import java.time.{Instant, LocalDateTime, ZoneId}

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.Row

import io.matchrecognize.conf.MatchRecognizeConf

/**
 * A stream as one task reads it, micro-batch by micro-batch.
 *
 * @param partitions
 *   in the order of arrival, for each value of `g` a number of its partition
 * @param drops
 *   rows that are out of order; else they are errors
 */
final case class TaskStream(
    batches: Vector[TaskStream.TaskBatch],
    maxPending: Int,
    partitions: Option[Map[Option[Int], Int]],
    drops: Boolean
) {
  import TaskStream._

  def rows: Vector[TaskRow] = batches.flatMap(_.rows)

  /** What the documentation says about rows that are dropped. */
  lazy val decided: Decided = partitions.fold(decidedByWatermark)(decidedInOrder)

  def fails: Boolean = !drops && decided.outOfOrder > 0

  private def decidedInOrder(partitions: Map[Option[Int], Int]): Decided = {
    val accepted = mutable.ArrayBuffer.empty[TaskRow]
    val last = mutable.Map.empty[Int, TaskRow]
    var late = 0L
    for (batch <- batches; row <- batch.rows) {
      val partition = partitions(row.g)
      val isBefore = last.get(partition).exists(l => l.t > row.t || (l.t == row.t && l.n > row.n))
      if (row.t <= batch.late) late += 1
      else if (!isBefore) {
        accepted += row
        last(partition) = row
      }
    }
    Decided(accepted.toVector, late, rows.size - accepted.size - late)
  }

  private def decidedByWatermark: Decided = {
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
    Decided(accepted.toVector, rows.size.toLong - accepted.size, 0L)
  }

  override def toString: String =
    s"at most $maxPending pending, $partitions, drops $drops\n" + batches
      .map(b =>
        s"late ${time(b.late).toInstant}, ready ${time(b.ready).toInstant}, " +
          s"${b.settings.map(_._2).mkString(" ")}: ${b.rows.mkString(" ")}"
      )
      .mkString("\n")
}

object TaskStream {
  val zone: ZoneId = ZoneId.of("America/New_York")
  final val Second = 1000000L
  private final val Millis = 1000L
  private final val Day = 24 * 3600 * Second

  final case class TaskRow(g: Option[Int], t: Long, n: Int, v: Int) {
    def asRow(c: Int): Row = Row(c, g.map(Int.box).orNull, time(t), n, v)
    override def toString: String = s"${g.fold("-")(_.toString)}:$v#$n@${time(t).toInstant}"
  }

  private def time(micros: Long): Timestamp = Timestamp.from(
    Instant.ofEpochSecond(Math.floorDiv(micros, Second), Math.floorMod(micros, Second) * Millis)
  )

  /**
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

  /** @param rows those that are neither late nor out of order */
  final case class Decided(rows: Vector[TaskRow], late: Long, outOfOrder: Long)

  /** Settings that may change when a query starts again, the default first. */
  private val space: Seq[(String, Seq[String])] = Seq(
    MatchRecognizeConf.SpillThresholdRows.key -> Seq(Int.MaxValue.toString, "5", "1")
  )
  private val plain = space.map { case (key, all) => key -> all.head }

  def random(
      random: Random,
      unit: Long,
      partitions: Option[Map[Option[Int], Int]]
  ): TaskStream = {
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
    val disordered =
      drawn.map(row => row -> (row.t + random.nextLong(4 * unit))).sortBy(_._2).map(_._1)
    val arriving = partitions.fold(disordered)(inOrder(disordered, _, random))
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
    batches += TaskBatch(Vector.empty, before, last, plain)
    batches += TaskBatch(Vector.empty, last, last, plain)
    val maxPending = pick(0, 0, 1, 3, 12)
    val drops = partitions.isDefined && random.nextBoolean()
    TaskStream(batches.toVector, maxPending, partitions, drops)
  }

  /** The rows with those of each partition in order, but for a few in some streams. */
  private def inOrder(
      rows: Vector[TaskRow],
      partitions: Map[Option[Int], Int],
      random: Random
  ): Vector[TaskRow] = {
    val sorted = rows.groupBy(row => partitions(row.g)).map { case (partition, its) =>
      partition -> its.sortBy(row => (row.t, row.n)).iterator
    }
    val kept = rows.map(row => sorted(partitions(row.g)).next())
    val swaps = if (random.nextInt(2) == 0) 0 else 1 + random.nextInt(6)
    (0 until swaps).foldLeft(kept) { (all, _) =>
      val (a, b) = (random.nextInt(all.size), random.nextInt(all.size))
      all.updated(a, all(b)).updated(b, all(a))
    }
  }
}
