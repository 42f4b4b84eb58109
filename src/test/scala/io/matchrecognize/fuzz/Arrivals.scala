package io.matchrecognize.fuzz

import scala.collection.mutable
import scala.util.Random

/**
 * The rows of a stream as they arrive, out of order by less than the watermark's delay except for
 * late rows.
 *
 * @param batches
 *   the rows of each micro-batch
 * @param delay
 *   of the watermark, in microseconds
 * @param inOrder
 *   whether rows are searched in the order of arrival, and dropped if that is not the clause's
 */
final case class Arrivals(
    query: FuzzQuery,
    batches: Vector[Vector[FuzzRow]],
    delay: Long,
    inOrder: Boolean = false
) {

  /** The watermark after each micro-batch, as Spark computes it: in whole milliseconds. */
  val watermarks: Vector[Long] = batches
    .scanLeft(0L)((latest, rows) => rows.map(_.t).foldLeft(latest)(_ max _))
    .tail
    .map(latest => (latest / 1000 * 1000 - delay).max(0))

  private val inTime: Vector[Vector[FuzzRow]] =
    batches.zip(0L +: watermarks).map { case (rows, before) => rows.filter(_.t > before) }

  private val accepted: Vector[Vector[FuzzRow]] =
    if (!inOrder) inTime
    else {
      val last = mutable.Map.empty[Any, FuzzRow]
      inTime.map(_.filter { row =>
        val isInOrder = last.get(query.partitionOf(row)).forall(query.isInOrder(_, row))
        if (isInOrder) last(query.partitionOf(row)) = row
        isInOrder
      })
    }

  /** Number of late rows. */
  val late: Int = batches.map(_.size).sum - inTime.map(_.size).sum

  /** Number of rows that are dropped because they are out of order. */
  val outOfOrder: Int = inTime.map(_.size).sum - accepted.map(_.size).sum

  /** The case with the rows that are not dropped, whose result the query must return. */
  def expected: StreamCase = {
    val numbered = accepted.zipWithIndex.flatMap { case (rows, batch) => rows.map(_ -> batch) }
    val arrived = Option.when(inOrder)(numbered.toMap)
    StreamCase(query.copy(rows = accepted.flatten), watermarks, arrived)
  }

  /** Keeps only some rows, and the micro-batches that still have any. */
  def only(rows: Set[FuzzRow]): Arrivals =
    copy(batches = batches.map(_.filter(rows)).filter(_.nonEmpty))
}

object Arrivals {
  private val Second = 1000000L

  def random(seed: Long): Arrivals = {
    val random = new Random(seed)
    of(StreamCase.random(random.nextLong()).query, random, Seq(0L, 1L, 3L, 20L))
  }

  /** Rows of each partition in order, but for a few in some cases. */
  def inOrder(seed: Long): Arrivals = {
    val random = new Random(seed)
    val drawn = StreamCase.random(random.nextLong()).query
    val arrivals = of(drawn, random, Seq(0L, 1L, 3L, 20L, 1000L))
    val arriving = arrivals.batches.flatten
    val sorted = drawn
      .copy(rows = arriving)
      .partitions
      .map(rows => drawn.partitionOf(rows.head) -> rows.iterator)
      .toMap
    val kept = arriving.map(row => sorted(drawn.partitionOf(row)).next())
    val swaps = if (random.nextInt(2) == 0) 0 else 1 + random.nextInt(3)
    val swapped = (0 until swaps).foldLeft(kept) { (rows, _) =>
      val (a, b) = (random.nextInt(rows.size), random.nextInt(rows.size))
      rows.updated(a, rows(b)).updated(b, rows(a))
    }
    val rest = swapped.iterator
    arrivals.copy(batches = arrivals.batches.map(_.map(_ => rest.next())), inOrder = true)
  }

  private def of(query: FuzzQuery, random: Random, delays: Seq[Long]): Arrivals = {
    val delay = delays(random.nextInt(delays.size)) * Second
    val last = query.rows.map(_.t).maxOption.getOrElse(0L)
    // It advances the watermark, but is an ordinary row.
    val end = FuzzRow(5L, 1000L, 1L, 0.5, "x", last + Seq(1L, delay + Second)(random.nextInt(2)))
    val arriving = (query.rows :+ end)
      .map(row => row -> (row.t + (random.nextDouble() * delay).toLong))
      .sortBy(_._2)
      .map(_._1)
    val (late, onTime) =
      if (random.nextInt(3) > 0) (Vector.empty, arriving)
      else arriving.partition(_ => random.nextInt(12) == 0)
    val cuts = Vector.fill(1 + random.nextInt(4))(random.nextInt(onTime.size + 1)).sorted
    val batches = (0 +: cuts).zip(cuts :+ onTime.size).map { case (from, until) =>
      onTime.slice(from, until)
    }
    Arrivals(query, (batches :+ late).filter(_.nonEmpty), delay)
  }
}
