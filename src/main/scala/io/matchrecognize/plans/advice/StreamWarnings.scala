package io.matchrecognize.plans.advice

import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.{Descending, Expression}

import io.matchrecognize.errors.{UserText, Wording}
import io.matchrecognize.expressions.{
  ConditionShape,
  Deadlines,
  Navigation,
  NavigationTarget,
  PatternAggregate
}
import io.matchrecognize.pattern.{Automaton, AutomatonBuilder, RowPatternAnalysis}
import io.matchrecognize.plans.{PatternClause, Subset}

/**
 * What a clause over a stream rarely means to: a match that waits for a row that may never come.
 */
object StreamWarnings {

  def of(clause: PatternClause): Seq[String] =
    if (clause.within.isDefined || clause.orderSpec.isEmpty) Nil
    else {
      val names = waiting(clause)
      val time = Wording.oneLine(UserText.keySql(clause.orderSpec.head.child))
      names.headOption.map { name =>
        val first = UserText.quotedIfNeeded(name)
        s"A match that ${names.mkString(" or ")} could extend waits for the next row of its partition, " +
          s"however late that is. Bound the time of such a row, as in $first AS $time <= PREV($time) + " +
          "INTERVAL '30' MINUTE, or add WITHIN."
      }.toSeq
    }

  /** The variables that may follow a whole match, preferred to its end, at any time. */
  private def waiting(clause: PatternClause): Seq[String] = {
    // The pattern has been checked against the limit.
    val automaton = AutomatonBuilder.of(clause.pattern, Int.MaxValue)
    import automaton.targets
    def variables(positions: Seq[Int]) = positions.map(automaton.symbolOf).distinct
    def isOnce(name: String) = !clause.subsets.exists(_.name == name) &&
      !RowPatternAnalysis.canPrecede(clause.pattern, name, name)
    // A bound that does not move ends the attempt, if all variables that end a match have one.
    def moves(e: Expression): Boolean = e.exists {
      case Navigation(_, target) =>
        target.physicalOffset != 0 || !(target.fromFirst || target.variable.exists(isOnce))
      case other => other.isInstanceOf[PatternAggregate]
    }
    def isBounded(isFixed: Expression => Boolean)(symbol: Int): Boolean = {
      val name = automaton.symbols(symbol)
      val condition = clause.definitions.toMap.getOrElse(name, TrueLiteral)
      val found = deadlines(clause, name, isFixed)
      ConditionShape.conjuncts(condition).exists(found.of(_).isDefined)
    }
    val last = (0 until automaton.positions).filter(targets(_).contains(Automaton.Accept))
    if (variables(last).forall(isBounded(!moves(_)))) Nil
    else
      variables(last.flatMap(targets(_).takeWhile(_ != Automaton.Accept)))
        .filterNot(isBounded(_ => true))
        .map(automaton.symbols)
  }

  private def deadlines(
      clause: PatternClause,
      variable: String,
      isFixed: Expression => Boolean
  ): Deadlines = {
    val order = clause.orderSpec.head
    def isTested(target: NavigationTarget) = Subset.isTestedRow(target, variable, clause.subsets)
    def isLater(e: Expression): Boolean = e match {
      case Navigation(_, target) => target.physicalOffset > 0 || isTested(target)
      // Its last row, as of a navigation without an offset.
      case a: PatternAggregate => isTested(NavigationTarget.LastRow.copy(variable = a.variable))
      case _ => false
    }
    new Deadlines(
      order.dataType,
      order.direction == Descending,
      {
        case Navigation(key, target) => key.semanticEquals(order.child) && isTested(target)
        case _ => false
      },
      e => !e.exists(isLater) && isFixed(e),
      _ => false
    )
  }
}
