package io.matchrecognize.streaming

import io.matchrecognize.fuzz.FuzzReport.plain
import io.matchrecognize.fuzz._

/** Compares what a stream returns with [[StreamOracle]], micro-batch by micro-batch. */
final class StreamJudge(drawn: StreamCase) {
  import StreamJudge._

  private val judged = drawn.query.partitions.toVector
    .map { rows =>
      rows -> drawn.watermarks.zipWithIndex.map { case (watermark, batch) =>
        Allowed.of(drawn.query, drawn.known(rows, batch), watermark)
      }
    }
    .filterNot(_._2.exists(_.isUnknown))

  /** The case without partitions that the oracle cannot judge, or that fail. */
  val streamCase: StreamCase =
    drawn.copy(query = drawn.query.copy(rows = judged.flatMap(_._1)))

  def rows: Int = judged.map(_._2.last.least.rows.size).sum
  def waiting: Int = judged.map(_._2.count(_.least.end == StreamOracle.Waiting)).sum
  def partitions: Int = judged.size

  /** Whether no state may be left once the watermark has passed all that could have any. */
  def isSettled: Boolean =
    !isEndless && judged.forall(_._2.last.least.end == StreamOracle.Searched)

  /** What is wrong with all rows returned by the end of a micro-batch, if anything. */
  def differenceOfAll(batch: Int, got: Vector[Seq[Any]]): Option[String] = {
    def rows(of: Allowed => StreamOracle.Decided): Vector[Seq[Any]] =
      plain(judged.flatMap { case (_, all) => of(all(batch)).rows })
    val (least, most) = (rows(_.least), rows(_.most))
    val missing = least.diff(got)
    val odd = got.diff(most)
    // A NEXT may matter less than the oracle knows; what it returns then must at least be final.
    val unexpected = if (looksAhead && odd.nonEmpty) odd.diff(whole) else odd
    if (missing.isEmpty && unexpected.isEmpty) None
    else Some(s"missing $missing\nnot decided $unexpected\nall $got")
  }

  /** What the clause returns on the table of all rows. */
  private lazy val whole: Vector[Seq[Any]] = plain(judged.flatMap { case (rows, _) =>
    new ClauseOracle(drawn.query, Budget).partition(rows) match {
      case ClauseOracle.Rows(rows) => rows
      case _ => Vector.empty
    }
  })

  /** Whether state may stay with nothing open. */
  private val isEndless: Boolean = uses {
    case FuzzExpression.MatchNumber => true
    case FuzzExpression.Navigation("PREV", _, _, _) => true
    case _ => false
  } || drawn.query.pattern.sql.contains("^")

  private val looksAhead: Boolean = uses {
    case FuzzExpression.Navigation("NEXT", _, _, _) => true
    case _ => false
  }

  private def uses(kind: FuzzExpression => Boolean): Boolean = {
    def has(e: FuzzExpression): Boolean = kind(e) || e.parts.exists(has)
    (drawn.query.measures ++ drawn.query.conditions.map(_._2)).exists(has)
  }
}

object StreamJudge {
  private val Budget = 20000

  /** Arrivals without the partitions that the oracle cannot judge, or that fail. */
  def judgeable(arrivals: Arrivals, tries: Int): Option[(Arrivals, StreamJudge)] = {
    val judge = new StreamJudge(arrivals.expected)
    val rows = judge.streamCase.query.rows
    if (rows.size == arrivals.expected.query.rows.size) Some(arrivals -> judge)
    else if (tries == 0 || rows.isEmpty) None
    else judgeable(arrivals.only(rows.toSet), tries - 1)
  }

  /**
   * What may have been returned for a partition by the end of one micro-batch.
   *
   * @param most
   *   differs from `least` where NEXT leads to a row whose values need not matter
   */
  private final case class Allowed(least: StreamOracle.Decided, most: StreamOracle.Decided) {
    def isUnknown: Boolean = most.end.isInstanceOf[StreamOracle.Raised] ||
      Seq(least, most).exists(_.end == StreamOracle.TooExpensive)
  }

  private object Allowed {

    /** @param known the rows of the partition so far */
    def of(query: FuzzQuery, known: Vector[FuzzRow], watermark: Long): Allowed = {
      def decided(eager: Boolean) =
        new StreamOracle(query, Budget, eager).decided(known, watermark)
      Allowed(decided(eager = true), decided(eager = false))
    }
  }
}

/** What a run of the fuzz has seen. */
final class StreamTotals {
  private var partitions = 0
  var rows = 0
  var waiting = 0

  def add(judge: StreamJudge): Unit = {
    partitions += judge.partitions
    rows += judge.rows
    waiting += judge.waiting
  }

  override def toString: String =
    s"$partitions partitions, $rows rows, $waiting times more rows were waited for"
}
