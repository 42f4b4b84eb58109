package io.matchrecognize.plans.advice

import org.apache.spark.sql.catalyst.expressions.{Descending, Expression, Literal, PlanExpression}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

import io.matchrecognize.errors.{UserText, Wording}
import io.matchrecognize.expressions._
import io.matchrecognize.pattern.{AfterMatchSkip, Automaton, RowPattern, RowPatternAnalysis}
import io.matchrecognize.plans.{PatternClause, Subset}

/**
 * Where the search of a clause may be cut, so that a job searches new rows and not all rows again.
 *
 *   - After SKIP TO NEXT ROW every row begins a search, whose result depends on no row further than
 *     the span. With all rows before a time `t` known, matches that begin before `t - span` are
 *     final; a search of the rows from there on finds the others.
 *   - With another skip, or rows without a match in the output, what is found depends on where the
 *     search before it ended. No match crosses a gap longer than the span, or than each of its
 *     steps, so the search begins anew after it, whatever came before.
 *
 * Nothing else may depend on rows before the cut or on rows that are not there yet; bounds are
 * upper bounds, or there is none.
 *
 * @param span
 *   the most that the leading ORDER BY key of a match's last row is after that of its first row; of
 *   times in microseconds
 * @param gap
 *   the most that the key of a match's row is after that of the row before
 * @param rowsBefore
 *   how many rows before a match PREV reads
 * @param isNumbered
 *   whether a measure has MATCH_NUMBER, which counts from the first row of the search
 * @param reason
 *   why there is no cut
 */
final case class Lookback(
    keyType: DataType,
    keyName: String,
    span: Option[BigDecimal],
    gap: Option[BigDecimal],
    isAnywhere: Boolean,
    rowsBefore: Int,
    isNumbered: Boolean,
    reason: Option[String]
) {

  /** `anywhere`, `gap` or `nowhere`. */
  def cut: String = if (reason.isDefined) "nowhere" else if (isAnywhere) "anywhere" else "gap"

  /** For EXPLAIN FORMATTED. */
  def line: String = reason.fold {
    val where =
      if (isAnywhere) s"span ${sql(span.get)}, cut anywhere"
      else s"cut in gaps longer than ${sql(gap.get)}"
    s"$where, rows before: $rowsBefore"
  }(reason => s"unbounded, because $reason")

  /** What a job has to do, in a few sentences. */
  def advice: String = {
    val more = Seq(
      Option.when(rowsBefore > 0)(
        s" PREV reads ${if (rowsBefore == 1) "1 row" else s"$rowsBefore rows"} before them; read these, too."
      ),
      Option.when(isNumbered)(
        " MATCH_NUMBER() counts from the first row that is read; do not keep it."
      )
    ).flatten.mkString
    reason.fold {
      if (isAnywhere) {
        val from = s"t - ${sql(span.get)}"
        s"A match spans at most ${sql(span.get)}. For new rows from t on, read the rows from $from on, " +
          s"and replace the matches that begin at or after $from.$more"
      } else
        s"No match crosses a gap in $keyName longer than ${sql(gap.get)}. For new rows from t on, read " +
          s"each partition from the last row before t - ${sql(gap.get)} that follows such a gap, and " +
          s"replace the matches that begin at or after that row.$more"
    } { reason =>
      s"Unbounded: no lookback is enough, because $reason. Use a stream, or search all rows of each " +
        "partition that has new ones."
    }
  }

  private def sql(distance: BigDecimal): String = keyType match {
    case DateType =>
      val days = (distance / KeyDistances.days(1)).setScale(0, BigDecimal.RoundingMode.CEILING)
      s"INTERVAL '$days' DAY"
    case time if KeyDistances.isTime(time) =>
      Literal(distance.toLong, DayTimeIntervalType()).sql
    case _ => distance.bigDecimal.toPlainString
  }
}

object Lookback {
  def of(clause: PatternClause, automaton: Automaton): Lookback = {
    val key = clause.orderSpec.headOption
    // A job subtracts a bound from a time, and Spark counts its days by the calendar.
    def byCalendar(bound: BigDecimal) =
      if (bound < KeyDistances.days(1) || !key.exists(_.dataType == TimestampType)) bound
      else bound + SteadyClocks.change(SQLConf.get.sessionLocalTimeZone)
    val reach = key
      .filter(key => KeyDistances.isExactKey(key.dataType) && automaton.edges <= MaxEdges)
      .map(key => new MatchReach(clause, key.child, automaton))
    val span =
      (reach.flatMap(_.span) ++ within(clause)).minOption.map(byCalendar).filter(_ < Largest)
    val gap = (reach.flatMap(_.step).map(byCalendar) ++ span).minOption.filter(_ < Largest)
    Lookback(
      key.fold[DataType](NullType)(_.dataType),
      key.fold("")(key => Wording.oneLine(UserText.keySql(key.child))),
      span,
      gap,
      isAnywhere = span.isDefined && clause.afterMatchSkip == AfterMatchSkip.ToNextRow &&
        !clause.rowsPerMatch.showsUnmatchedRows,
      rowsBefore(clause, automaton),
      clause.measures.exists(hasNumber),
      obstacle(clause).orElse(Option.when(gap.isEmpty)(unbounded(key.get.dataType)))
    )
  }

  // Times of a literal; the function returns numbers with as many digits.
  private val Largest = BigDecimal(Long.MaxValue)
  // EXPLAIN is written whenever a query runs.
  private final val MaxEdges = 20000

  /** What a result depends on besides rows near its match. */
  private def obstacle(clause: PatternClause): Option[String] = {
    val read = clause.measures ++ clause.conditions
    def has(part: RowPattern) = clause.pattern.exists(_ == part)
    Seq(
      clause.orderSpec.isEmpty -> "there is no ORDER BY",
      clause.orderSpec.headOption.exists(_.direction == Descending) ->
        "ORDER BY ... DESC has new rows first",
      clause.rowsPerMatch.isEachRow -> "a row pattern window has a result for each row",
      has(RowPattern.StartAnchor) -> "^ is the first row of the partition",
      has(RowPattern.EndAnchor) -> "$ is the last row of the partition so far",
      clause.readsAhead -> "NEXT reads rows that may not be there yet",
      clause.conditions.exists(hasNumber) -> "DEFINE reads MATCH_NUMBER",
      clause.readsClock -> "DEFINE reads the current time",
      clause.rowsPerMatch.showsTimeouts -> "a match times out by a later row",
      (RowPatternAnalysis.isNullable(clause.pattern) && clause.rowsPerMatch.showsEmptyMatches) ->
        "an empty match has no row and so no time",
      read.exists(_.exists(_.isInstanceOf[PlanExpression[_]])) ->
        "a subquery may return something else later"
    ).collectFirst { case (true, reason) => reason }
  }

  private def unbounded(key: DataType): String =
    if (KeyDistances.isExactKey(key)) "nothing bounds how far a match reaches"
    else s"distances of ${key.sql} keys are not exact"

  private def hasNumber(e: Expression): Boolean = e.exists(_.isInstanceOf[MatchNumber])

  private def within(clause: PatternClause): Option[BigDecimal] = clause.bound.flatMap { within =>
    val key = clause.orderSpec.head.dataType
    def months(number: Int) = KeyDistances.longest(number) +
      (if (number > 0 && key == TimestampType) SteadyClocks.change(within.timeZone) else 0L)
    within.bound match {
      case _ if !KeyDistances.isExactKey(key) => None
      case Literal(micros: Long, _: DayTimeIntervalType) => Some(BigDecimal(micros))
      case Literal(number: Int, _: YearMonthIntervalType) => Some(months(number))
      case Literal(i: CalendarInterval, _) =>
        Some(months(i.months) + KeyDistances.days(i.days.toLong) + i.microseconds)
      case Literal(number, _) => Some(BigDecimal(number.toString))
      case _ => None
    }
  }

  /** PREV of a row of the match reads fewer rows before it, the more of them precede that row. */
  private def rowsBefore(clause: PatternClause, automaton: Automaton): Int = {
    val fewest = automaton.symbols.zip(automaton.fewestBefore).toMap
    def before(e: Expression, preceding: NavigationTarget => Int): Seq[Int] = e.collect {
      case Navigation(_, target) => -target.physicalOffset - preceding(target)
    }
    val all = clause.measures.flatMap(before(_, _ => 0)) ++ clause.definitions.flatMap {
      case (name, condition) =>
        def preceding(target: NavigationTarget) =
          if (Subset.isTestedRow(target.copy(physicalOffset = 0), name, clause.subsets))
            fewest.getOrElse(name, 0)
          else 0
        before(condition, preceding)
    }
    (0 +: all).max
  }
}
