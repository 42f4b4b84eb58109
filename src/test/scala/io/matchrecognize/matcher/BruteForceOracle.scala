package io.matchrecognize.matcher

import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.pattern.RowPattern._

/**
 * The meaning of a row pattern, by trying all paths in the order of preferment: backtracking over
 * the pattern as written, one continuation per choice. Slow and plain on purpose; it shares nothing
 * with the engines but the pattern.
 *
 * @param rows
 *   rows in the partition
 * @param condition
 *   whether the last row of a path may be mapped as it is; given the start row, the labels of the
 *   rows from there on, and the number that the match would get. May raise.
 */
final class BruteForceOracle(
    pattern: RowPattern,
    rows: Int,
    condition: (Int, Vector[String], Long) => Boolean,
    budget: Int
) {
  import BruteForceOracle._

  private var spent = 0

  /** The outcome for one start row; rows from `end` on are beyond the window. */
  def attempt(start: Int, end: Int, matchNumber: Long): Attempt = {
    var waiting: Option[Vector[Mapped]] = None
    def waits(path: Vector[Mapped]): Unit = if (waiting.isEmpty) waiting = Some(path)
    explore(start, end, matchNumber, (path, _) => waits(path))(Some(_))
      .map(Found(_))
      .orElse(waiting.map(Waits(_)))
      .getOrElse(Nothing)
  }

  /**
   * The outcome for one start row if more rows may arrive inside its window: None if the walk, most
   * preferred first, reaches a path that could map one of them before one that accepts.
   *
   * @param canFollow
   *   whether the next row can be mapped as the last one of a path is
   */
  def openAttempt(
      start: Int,
      matchNumber: Long,
      canFollow: Vector[String] => Boolean = _ => true
  ): Option[Attempt] = {
    def waits(path: Vector[Mapped], name: String): Unit =
      if (canFollow(path.map(_.label) :+ name)) throw RowMissing
    try
      Some(
        explore(start, rows, matchNumber, waits)(Some(_)).fold[Attempt](Nothing)(Found(_))
      )
    catch { case RowMissing => None }
  }

  /** All accepted paths of the first row, most preferred first. */
  def allPaths(): Vector[Vector[Mapped]] = {
    val paths = Vector.newBuilder[Vector[Mapped]]
    explore(0, rows, 1, (_, _) => ()) { path =>
      paths += path
      None
    }
    paths.result().distinct
  }

  private def explore(
      start: Int,
      end: Int,
      matchNumber: Long,
      waits: (Vector[Mapped], String) => Unit
  )(
      accept: Vector[Mapped] => Result
  ): Result = {
    def row(path: Path): Int = start + path.mapped.size

    // Gives the first accepted path of `part` followed by whatever `rest` continues with.
    def walk(part: RowPattern, path: Path, excluded: Boolean)(rest: Path => Result): Result = {
      spent += 1
      if (spent > budget) throw BudgetSpent
      part match {
        case Empty => rest(path)
        case StartAnchor => if (row(path) == 0) rest(path) else None
        case EndAnchor => if (row(path) == rows) rest(path.copy(pastEnd = true)) else None
        case Variable(name) =>
          if (row(path) >= end) {
            if (path.mapped.nonEmpty && !path.pastEnd) waits(path.mapped, name)
            None
          } else {
            val next = path.mapped :+ Mapped(name, excluded)
            if (condition(start, next.map(_.label), matchNumber)) rest(Path(next, pastEnd = false))
            else None
          }
        case Exclusion(inner) => walk(inner, path, excluded = true)(rest)
        case Concatenation(parts) => sequence(parts.toList, path, excluded)(rest)
        case Alternation(branches) => first(branches.iterator.map(walk(_, path, excluded)(rest)))
        case Permutation(parts) =>
          val orders = parts.indices.permutations.map(order => order.map(parts).toList)
          first(orders.map(sequence(_, path, excluded)(rest)))
        case Quantified(body, lower, upper, greedy) =>
          def iterate(done: Int, at: Path): Result = {
            def again =
              if (upper.exists(done >= _)) None
              else
                walk(body, at, excluded) { after =>
                  val count = done + 1
                  if (after.mapped.size == at.mapped.size && count >= lower) rest(after)
                  else iterate(count, after)
                }
            if (done < lower) again
            else if (greedy) again.orElse(rest(at))
            else rest(at).orElse(again)
          }
          iterate(0, path)
      }
    }

    def sequence(parts: List[RowPattern], path: Path, excluded: Boolean)(
        rest: Path => Result
    ): Result = parts match {
      case Nil => rest(path)
      case head :: tail => walk(head, path, excluded)(sequence(tail, _, excluded)(rest))
    }

    walk(pattern, Path(Vector.empty, pastEnd = false), excluded = false)(p => accept(p.mapped))
  }

  /** The search through the partition; its result ends with the error that stopped it, if any. */
  def search(
      skip: Skip,
      windowEnd: Int => Int,
      unmatched: Boolean,
      timeOuts: Boolean
  ): Outcome = {
    val events = Vector.newBuilder[Event]
    val matches = Vector.newBuilder[Event]
    var start = 0
    var number = 1L
    var error: Option[String] = None
    while (start < rows && error.isEmpty)
      try
        attempt(start, windowEnd(start).min(rows), number) match {
          case Found(path) =>
            val event = Event("match", start, path, number)
            events += event
            matches += event
            number += 1
            try start = resume(skip, start, path.map(_.label))
            catch { case SkipError(message) => error = Some(message) }
          case Waits(path) if timeOuts =>
            events += Event("timeout", start, path, 0)
            start += 1
          case _ => start += 1
        }
      catch { case Failure(message) => error = Some(message) }
    val all = matches.result()
    def covered(row: Int) = all.exists { event =>
      val length = event.path.size
      (length == 0 && event.start == row) || (event.start <= row && row < event.start + length)
    }
    val lone = if (unmatched) (0 until start.min(rows)).filterNot(covered) else Nil
    Outcome(events.result(), lone.toVector, error)
  }

  /** The next start row after a match; raises if the skip cannot be done. */
  def resume(skip: Skip, start: Int, labels: Vector[String]): Int = {
    def to(offset: Int) =
      if (offset < 0) throw SkipError(s"skip missing $start")
      else if (offset == 0) throw SkipError(s"skip first $start")
      else start + offset
    if (labels.isEmpty) start + 1
    else
      skip match {
        case PastLast => start + labels.size
        case ToNext => start + 1
        case ToFirstOf(names) => to(labels.indexWhere(names.contains))
        case ToLastOf(names) => to(labels.lastIndexWhere(names.contains))
      }
  }
}

object BruteForceOracle {
  final case class Mapped(label: String, excluded: Boolean)

  sealed trait Attempt
  final case class Found(path: Vector[Mapped]) extends Attempt
  final case class Waits(path: Vector[Mapped]) extends Attempt
  case object Nothing extends Attempt

  sealed trait Skip
  case object PastLast extends Skip
  case object ToNext extends Skip
  final case class ToFirstOf(names: Set[String]) extends Skip
  final case class ToLastOf(names: Set[String]) extends Skip

  final case class Event(kind: String, start: Int, path: Vector[Mapped], number: Long)
  final case class Outcome(events: Vector[Event], unmatched: Vector[Int], error: Option[String])

  /** A condition's evaluation failed. */
  final case class Failure(message: String) extends RuntimeException(message)
  final case class SkipError(message: String) extends RuntimeException(message)

  /** The case is too expensive for this oracle. */
  case object BudgetSpent extends RuntimeException

  /** The result depends on a row that has not arrived yet. */
  case object RowMissing extends RuntimeException

  private final case class Path(mapped: Vector[Mapped], pastEnd: Boolean)
  private type Result = Option[Vector[Mapped]]

  private def first(results: Iterator[Result]): Result = results.collectFirst { case Some(path) =>
    path
  }
}
