package io.matchrecognize.fuzz

import scala.util.Random

import io.matchrecognize.fuzz.FuzzExpression._
import io.matchrecognize.pattern.RowPattern.{Concatenation, Variable}
import io.matchrecognize.pattern.RowPatternAnalysis

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

  /**
   * The query with bounds on the distance of a row from an earlier one, in all or most conditions.
   */
  def addGaps(query: FuzzQuery, seconds: Long, random: Random): FuzzQuery = {
    def pick[T](options: T*): T = options(random.nextInt(options.size))
    val variables = RowPatternAnalysis.variables(query.pattern, identity)
    val column = Column(None, "t")
    def bound(name: String): FuzzExpression = {
      val before = Navigation("PREV", "", column, None)
      val far = Navigation("PREV", "", Navigation("FIRST", "", column, Some(2)), None)
      val earlier = pick(
        before,
        before,
        Navigation("LAST", "", column, Some(1)),
        Navigation("FIRST", "", column, None),
        variables.filter(_ != name).headOption.fold[FuzzExpression](before) { _ =>
          Column(Some(pick(variables.filter(_ != name): _*)), "t")
        },
        Navigation("LAST", "", Column(Some(name), "t"), Some(1)),
        op("COALESCE", far, before)
      )
      val gap = op("SECONDS", Constant(seconds))
      pick(
        op("<=", column, op("SECONDS LATER", earlier, Constant(seconds))),
        op("<=", op("-", column, earlier), gap),
        op(">", gap, op("-", column, earlier)),
        op(">=", op("-", earlier, column), op("SECONDS", Constant(-seconds))),
        op("<", op("SECONDS EARLIER", column, Constant(seconds)), earlier)
      )
    }
    val isWhole = random.nextBoolean()
    val written = query.conditions.toMap
    val conditions = variables.flatMap { name =>
      val has = isWhole || random.nextInt(4) > 0
      (written.get(name), Option.when(has)(bound(name))) match {
        case (Some(a), Some(b)) => Some(name -> pick(op("AND", a, b), op("AND", b, a), b))
        case (a, b) => a.orElse(b).map(name -> _)
      }
    }
    query.copy(conditions = query.conditions.filterNot(c => variables.contains(c._1)) ++ conditions)
  }

  /** The parts of a condition that only bound the time of the tested row. */
  def bounds(condition: FuzzExpression): Seq[FuzzExpression] = condition match {
    case Operation("AND", parts) => parts.flatMap(bounds)
    case other =>
      def columns(e: FuzzExpression): Seq[String] = e match {
        case Column(_, name) => Seq(name)
        case Constant(_) => Nil
        case MatchNumber | _: Classifier | _: Aggregate => Seq("")
        case _ => e.parts.flatMap(columns)
      }
      val read = columns(other)
      if (read.nonEmpty && read.forall(_ == "t")) Seq(other) else Nil
  }

  /** The most microseconds from the first to the last row of a match that the query implies. */
  def of(query: FuzzQuery): Option[Long] = query.pattern match {
    case Concatenation(elements) if elements.lastOption.contains(Variable(Last)) =>
      query.conditions.collectFirst { case (Last, condition) => condition }.flatMap(ofCondition)
    case _ => None
  }

  /** Of a condition: those of [[addTo]] are written with one number of seconds. */
  private def ofCondition(condition: FuzzExpression): Option[Long] = condition match {
    case Operation(name, arguments) if name.startsWith("SECONDS") =>
      arguments.lastOption.collect { case Constant(n: Long) => n.abs * 1000000 }
    case other => other.parts.flatMap(ofCondition).headOption
  }
}
