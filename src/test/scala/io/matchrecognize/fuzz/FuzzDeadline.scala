package io.matchrecognize.fuzz

import scala.util.Random

import io.matchrecognize.fuzz.FuzzExpression._
import io.matchrecognize.pattern.RowPattern.{Concatenation, Variable}

/**
 * Deadlines in DEFINE, of queries in the order of the event time: the last variable of the pattern
 * has a condition that is not TRUE from some time on.
 */
object FuzzDeadline {
  private val Last = "Zt"

  /** The query with such a variable at the end of its pattern. */
  def addTo(query: FuzzQuery, seconds: Long, random: Random): FuzzQuery = {
    def pick[T](options: T*): T = options(random.nextInt(options.size))
    val first = Navigation("FIRST", "", Column(None, "t"), None)
    val bound = op("SECONDS LATER", first, Constant(seconds))
    val time = Column(pick(None, Some(Last)), "t")
    def distance = op("-", time, first)
    def interval(n: Long) = op("SECONDS", Constant(n))
    val inTime = pick(
      op("<=", time, bound),
      op(">=", bound, time),
      op("<=", distance, interval(seconds)),
      op(">=", interval(seconds), distance),
      op(">=", op("-", first, time), interval(-seconds)),
      op("<=", op("SECONDS EARLIER", time, Constant(seconds)), first)
    )
    val other = op("<>", Column(None, "v"), Constant(1L))
    val last = pick(inTime, op("AND", inTime, other), op("AND", other, inTime))
    val early = op("<=", Column(None, "t"), bound)
    val others =
      if (random.nextInt(3) > 0) query.conditions
      else query.conditions.map { case (name, e) => name -> op("AND", early, e) }
    query.copy(
      pattern = Concatenation(Seq(query.pattern, Variable(Last))),
      conditions = others :+ (Last -> last)
    )
  }

  /** The most microseconds from the first to the last row of a match that the query implies. */
  def of(query: FuzzQuery): Option[Long] = query.pattern match {
    case Concatenation(elements) if elements.lastOption.contains(Variable(Last)) =>
      query.conditions.collectFirst { case (Last, condition) => condition }.flatMap(ofCondition)
    case _ => None
  }

  private def ofCondition(condition: FuzzExpression): Option[Long] = condition match {
    case Operation("AND", parts) => parts.flatMap(ofCondition).minOption
    case Operation("<=", Seq(Column(_, "t"), Later(micros))) => Some(micros)
    case Operation(">=", Seq(Later(micros), Column(_, "t"))) => Some(micros)
    case Operation("<=", Seq(Distance(true), Interval(micros))) => Some(micros)
    case Operation(">=", Seq(Interval(micros), Distance(true))) => Some(micros)
    case Operation(">=", Seq(Distance(false), Interval(micros))) => Some(-micros)
    case Operation("<=", Seq(Operation("SECONDS EARLIER", Seq(Column(_, "t"), n)), _)) =>
      Interval.unapply(op("SECONDS", n))
    case _ => None
  }

  /** Whether it is from the first row to the tested one, not back. */
  private object Distance {
    def unapply(e: FuzzExpression): Option[Boolean] = e match {
      case Operation("-", Seq(Column(_, "t"), _: Navigation)) => Some(true)
      case Operation("-", Seq(_: Navigation, Column(_, "t"))) => Some(false)
      case _ => None
    }
  }

  private object Interval {
    def unapply(e: FuzzExpression): Option[Long] = e match {
      case Operation("SECONDS", Seq(Constant(n: Long))) => Some(n * 1000000)
      case _ => None
    }
  }

  private object Later {
    def unapply(e: FuzzExpression): Option[Long] = e match {
      case Operation("SECONDS LATER", Seq(_: Navigation, Constant(n: Long))) => Some(n * 1000000)
      case _ => None
    }
  }
}
