package io.matchrecognize.fuzz

import scala.util.Random

import io.matchrecognize.fuzz.FuzzExpression._
import io.matchrecognize.pattern.RowPattern.{Empty, EndAnchor}
import io.matchrecognize.pattern.RowPatternAnalysis

/**
 * A query over a stream of its rows, ordered by the event time first.
 *
 * @param watermarks
 *   ascending, one per micro-batch, which searches the rows that have become ready
 * @param arrived
 *   in the order of arrival, the micro-batch of each row
 */
final case class StreamCase(
    query: FuzzQuery,
    watermarks: Vector[Long],
    arrived: Option[Map[FuzzRow, Int]] = None
) {

  /** The rows of a partition that have been searched by the end of a micro-batch. */
  def known(partition: Vector[FuzzRow], batch: Int): Vector[FuzzRow] = arrived match {
    case None => partition.takeWhile(_.t <= watermarks(batch))
    case Some(batches) => partition.takeWhile(batches.getOrElse(_, 0) <= batch)
  }
}

object StreamCase {
  private val Second = 1000000L

  /** Maximum number of rows of a partition, and of the only partition of a table. */
  private val PartitionRows = 10
  private val LonePartitionRows = 24

  def random(seed: Long): StreamCase = {
    val random = new Random(seed)
    def pick[T](options: T*): T = options(random.nextInt(options.size))
    val drawn = QueryGenerator.random(random.nextLong())
    // Times are from a narrow range, so that there are ties, or from a wide one.
    val spread = pick(4, 12, 12, 40)
    val tied = drawn
      .copy(
        pattern = QueryGenerator.map(drawn.pattern) {
          case EndAnchor => Empty
          case part => part
        },
        measures = drawn.measures.map(nearNext) ++
          (if (random.nextInt(4) == 0) Some(rowTime(random, drawn)) else None),
        conditions = drawn.conditions.map { case (name, e) => name -> nearNext(e) },
        order = FuzzOrder("t", descending = false, "") +: drawn.order,
        within = drawn.within.map(_ => pick(0L, 1L, 1L, 2L, 3L, 8L, 100L) * Second.toDouble),
        rows = rows(random, drawn).map { row =>
          row.copy(t = (100 + random.nextInt(spread)) * Second + pick(0, 0, 1, 500000))
        },
        kept = Nil,
        filter = None
      )
    def distance = pick(0L, 1L, 2L, 3L, 8L)
    val timed = random.nextInt(5) match {
      case 0 => FuzzDeadline.addTo(tied, distance, random)
      case 1 | 2 if RowPatternAnalysis.mapsRows(tied.pattern) =>
        FuzzDeadline.addGaps(tied, distance, random)
      case _ => tied
    }
    val query =
      if (random.nextInt(3) > 0) timed
      else {
        // A different time for each row, so that a micro-batch can have any number of them.
        val order = random.shuffle(timed.rows.indices.toVector)
        timed.copy(rows = timed.rows.zip(order).map { case (row, i) =>
          row.copy(t = (100 + i) * Second)
        })
      }
    val times = query.rows.map(_.t)
    val first = times.minOption.getOrElse(0L)
    val last = times.maxOption.getOrElse(0L)
    val batches = 1 + random.nextInt(pick(2, 6, 12))
    val drawnMarks = Vector
      .fill(batches)(first + random.nextLong(last + 3 * Second - first))
      .map(time => pick(time, time / Second * Second))
    val watermarks = (drawnMarks :+ (last + pick(0L, 1L, 2 * Second, 1000 * Second))).sorted
    StreamCase(query, watermarks)
  }

  /** With rows that are searched as they arrive, before the watermark has passed them. */
  def inOrder(seed: Long): StreamCase = {
    val drawn = random(seed)
    val chances = new Random(seed + 1)
    val count = drawn.watermarks.size + 1
    val arrived = drawn.query.partitions.flatMap { rows =>
      rows.zip(rows.map(_ => chances.nextInt(count)).sorted)
    }.toMap
    val last = drawn.query.rows.map(_.t).maxOption.getOrElse(0L) + chances.nextInt(2) * 200 * Second
    // A row that arrives later is not late.
    val marks = (0 until count).toVector.map { batch =>
      val open = arrived.collect { case (row, at) if at > batch => row.t - 1 }
      val delay = Seq(0L, 0L, 1L, Second, 20 * Second, 1000 * Second)(chances.nextInt(6))
      open.minOption.getOrElse(last) - delay
    }
    drawn.copy(watermarks = marks.scanLeft(0L)(_ max _).tail, arrived = Some(arrived))
  }

  /** Cases slightly smaller than a given one; some are not valid. */
  def smaller(streamCase: StreamCase): Iterator[StreamCase] = {
    val marks = streamCase.watermarks
    val fewer = marks.indices.iterator
      .filter(_ => marks.size > 1)
      .map { i =>
        val earlier = streamCase.arrived.map(_.map { case (row, batch) =>
          row -> (if (batch > i) batch - 1 else batch).min(marks.size - 2)
        })
        streamCase.copy(watermarks = marks.patch(i, Nil, 1), arrived = earlier)
      }
    val queries = QueryShrinker
      .smaller(streamCase.query)
      .filter(_.order.headOption.exists(_.column == "t"))
      .map(query => streamCase.copy(query = query))
    fewer ++ queries
  }

  private def rows(random: Random, query: FuzzQuery): Vector[FuzzRow] = {
    val count = random.nextInt(LonePartitionRows)
    val drawn =
      if (query.partitionBy == Seq("g"))
        (0 until 6).flatMap { g =>
          val key = if (g == 0) null else g.toLong
          QueryGenerator.partition(random, key, random.nextInt(PartitionRows + 1))
        }
      else
        QueryGenerator.partition(random, null, count).map { row =>
          if (random.nextInt(3) == 0) row else row.copy(g = random.nextInt(3).toLong)
        }
    QueryGenerator.withKeys(random, query.key, random.shuffle(drawn.toVector))
  }

  private def rowTime(random: Random, query: FuzzQuery): FuzzExpression = {
    val variables = query.conditions.map(_._1)
    RowTime(if (variables.isEmpty) None else random.shuffle(variables).headOption)
  }

  /** A NEXT that no row of the case satisfies would wait forever. */
  private def nearNext(e: FuzzExpression): FuzzExpression = e match {
    case Navigation(function, mode, argument, offset) =>
      val near = if (function == "NEXT") offset.map(_ % 5) else offset
      Navigation(function, mode, nearNext(argument), near)
    case Operation(name, arguments) => Operation(name, arguments.map(nearNext))
    case aggregate: Aggregate =>
      aggregate.copy(
        arguments = aggregate.arguments.map(nearNext),
        filter = aggregate.filter.map(nearNext)
      )
    case other => other
  }
}
