package io.matchrecognize.streaming

import scala.util.Random

/** Random rows of the two sources of placement plans, in micro-batches. */
object PlacementRows {
  def arrivals(random: Random, delay: Int): Seq[PlanArrivals] = {
    val batches = 2 + random.nextInt(2)
    val cut = Vector.fill(batches)(if (random.nextInt(6) == 0) 0 else 1 + random.nextInt(3))
    def split(rows: Seq[PlacedRow]): Seq[Seq[PlacedRow]] = {
      val ends = cut.scanLeft(0)(_ + _).map(_ * rows.size / cut.sum.max(1))
      ends.zip(ends.tail).map { case (from, until) => rows.slice(from, until) }
    }
    val (s, r) = (rows(random, 10 + random.nextInt(8), delay), rows(random, 8, delay))
    split(s).zip(split(r)).map { case (x, y) => PlanArrivals(x, y) }
  }

  /** In an order in which no row is older than an earlier one by the delay. */
  private def rows(random: Random, count: Int, delay: Int): Seq[PlacedRow] = {
    val drawn = Seq.fill(count) {
      PlacedRow(
        Seq("a", "a", "b")(random.nextInt(3)),
        Event.at(random.nextInt(30).toDouble),
        random.nextInt(4)
      )
    }
    val copies = drawn.filter(_ => random.nextInt(6) == 0)
    (drawn ++ copies)
      .map(row => row -> (row.ts.getTime + (random.nextDouble() * delay * 1000).toLong))
      .sortBy(_._2)
      .map(_._1)
  }
}
