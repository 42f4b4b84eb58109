package io.matchrecognize.streaming

import org.apache.spark.SparkThrowable

import io.matchrecognize.fuzz.FuzzReport.plain
import io.matchrecognize.fuzz._

/** Compares what a stream returns with [[StreamOracle]], micro-batch by micro-batch. */
final class StreamJudge(drawn: StreamCase, keepErrors: Boolean) {
  import StreamJudge._

  private val judged = drawn.query.partitions.toVector
    .map { rows =>
      rows -> drawn.watermarks.zipWithIndex.map { case (watermark, batch) =>
        Allowed.of(drawn.query, drawn.known(rows, batch), watermark)
      }
    }
    .filterNot(_._2.exists(allowed => allowed.isExpensive || (allowed.raises && !keepErrors)))

  /** The case without partitions that the oracle cannot judge, or that fail. */
  val streamCase: StreamCase =
    drawn.copy(query = drawn.query.copy(rows = judged.flatMap(_._1)))

  def rows: Int = judged.map(_._2.last.least.rows.size).sum
  def waiting: Int = judged.map(_._2.count(_.least.end == StreamOracle.Waiting)).sum
  def raised: Int = judged.count(_._2.last.raises)
  def partitions: Int = judged.size

  def firstDifference(run: SearchRun): Option[String] = {
    val got = Array.fill(judged.size)(Vector.empty[Seq[Any]])
    val batches = drawn.watermarks.indices.iterator
    batches
      .map { batch =>
        if (drawn.restarts(batch)) run.restart()
        val after = drawn.watermarks(batch)
        // The first of them that fails ends the query.
        judged.indices.iterator
          .map { i =>
            val (partition, expected) = judged(i)
            val known = drawn.known(partition, batch)
            val ready = known.drop(if (batch == 0) 0 else drawn.known(partition, batch - 1).size)
            val key = run.key(partition.head)
            val verdict =
              try {
                got(i) ++= plain(run.advance(key, ready, after))
                judge(expected(batch), known, after, got(i), run.entries(key))
              } catch { case error: Exception => judgeError(expected(batch), error) }
            verdict match {
              case Wrong(text) =>
                Wrong(
                  s"after $after in batch $batch of ${drawn.watermarks}, key ${partition.head}:" +
                    s"\n$text\nrows: ${partition.mkString("\n      ")}"
                )
              case other => other
            }
          }
          .find(_ != Right)
          .getOrElse(judgeCount(run, got.map(_.size).sum))
      }
      .find(_ != Right)
      .collect { case Wrong(text) => text }
  }

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

  private def judge(
      allowed: Allowed,
      known: Vector[FuzzRow],
      watermark: Long,
      got: Vector[Seq[Any]],
      entries: Int
  ): Verdict = {
    val fits = allowed.ways.exists { way =>
      !way.least.end.isInstanceOf[StreamOracle.Raised] && got.startsWith(plain(way.least.rows)) &&
      (plain(way.most.rows).startsWith(got) || isFinal(known, watermark, got))
    }
    if (!fits) Wrong(s"got   $got\nleast ${allowed.least}\nmost  ${allowed.most}")
    else if (
      allowed.least.end == StreamOracle.Searched && !isEndless && entries > 0 &&
      known.forall(_.t <= watermark)
    )
      Wrong(s"$entries entries of state with nothing open")
    else Right
  }

  /**
   * Whether rows stay whatever arrives. The values of a NEXT need not matter for more reasons than
   * the oracle knows: `COALESCE(NEXT(s), '-') IS NULL` is never TRUE.
   */
  private def isFinal(known: Vector[FuzzRow], watermark: Long, got: Vector[Seq[Any]]): Boolean =
    looksAhead && (0 until Continuations).forall { i =>
      val more = StreamCase.continuation(drawn.query, known, watermark, i.toLong)
      new ClauseOracle(drawn.query, Budget).partition(known ++ more) match {
        case ClauseOracle.Rows(rows) => plain(rows).startsWith(got)
        case _ => true
      }
    }

  private def judgeError(allowed: Allowed, error: Throwable): Verdict = {
    val conditions = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).collect {
      case e: SparkThrowable => e.getCondition
    }
    allowed.most.end match {
      case StreamOracle.Raised(condition) if conditions.contains(condition) => Ended
      case _ =>
        Wrong(s"$error\n  ${error.getStackTrace.take(12).mkString("\n  ")}\nmost  ${allowed.most}")
    }
  }

  private def judgeCount(run: SearchRun, rows: Int): Verdict =
    if (drawn.query.oneRow && run.found != rows) Wrong(s"${run.found} matches, $rows rows")
    else Right

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

  /** Continuations to try where the oracle cannot tell. */
  private val Continuations = 40

  private sealed trait Verdict
  private case object Right extends Verdict

  /** The query failed as it should. */
  private case object Ended extends Verdict
  private final case class Wrong(text: String) extends Verdict

  /** @param most differs from `least` where NEXT leads to a row whose values need not matter */
  private final case class Way(least: StreamOracle.Decided, most: StreamOracle.Decided)

  /**
   * What may have been returned for a partition by the end of one micro-batch.
   *
   * @param ways
   *   more than one where a condition fails, which an engine that drops paths need not meet
   */
  private final case class Allowed(ways: Seq[Way]) {
    def least: StreamOracle.Decided = ways.head.least
    def most: StreamOracle.Decided = ways.head.most
    def isExpensive: Boolean =
      ways.exists(way => Seq(way.least, way.most).exists(_.end == StreamOracle.TooExpensive))
    def raises: Boolean = most.end.isInstanceOf[StreamOracle.Raised]
  }

  private object Allowed {

    /** @param known the rows of the partition so far */
    def of(query: FuzzQuery, known: Vector[FuzzRow], watermark: Long): Allowed = {
      def way(lenient: Boolean) = {
        def decided(eager: Boolean) =
          new StreamOracle(query, Budget, eager, lenient).decided(known, watermark)
        Way(decided(eager = true), decided(eager = false))
      }
      val strict = way(lenient = false)
      Allowed(strict +: (strict.most.end match {
        case StreamOracle.Raised("DIVIDE_BY_ZERO") => Seq(way(lenient = true))
        case _ => Nil
      }))
    }
  }
}

/** What a run of the fuzz has seen. */
final class StreamTotals {
  private var partitions = 0
  private var raised = 0
  var rows = 0
  var waiting = 0

  def add(judge: StreamJudge): Unit = {
    partitions += judge.partitions
    raised += judge.raised
    rows += judge.rows
    waiting += judge.waiting
  }

  override def toString: String =
    s"$partitions partitions, $rows rows, $raised errors, $waiting times more rows were waited for"
}
