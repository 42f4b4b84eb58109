package io.matchrecognize.plans.advice

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral

import io.matchrecognize.expressions.{KeyDistances, Navigation, NavigationTarget}
import io.matchrecognize.pattern.Automaton
import io.matchrecognize.plans.{PatternClause, Subset}

/**
 * Upper bounds on the distance of a match's rows by the leading ORDER BY key, which follow from the
 * conditions of the positions along the paths of the pattern.
 *
 * The distance of a position from the first row starts as unbounded for all and is then made
 * smaller, each time by what its own condition implies with the bounds known: so it is an upper
 * bound whenever that ends. A loop of steps stays unbounded.
 */
private final class MatchReach(clause: PatternClause, key: Expression, automaton: Automaton) {
  private type Bound = Option[BigDecimal]
  // Positions come in the order of the text, so that few rounds are left to do.
  private final val MaxRounds = 8
  private val conditions = clause.definitions.toMap

  private val positions = 0 until automaton.positions
  private val previous: IndexedSeq[Seq[Int]] = {
    val into = (automaton.start +: positions).flatMap { state =>
      automaton.targets(state).filter(_ != Automaton.Accept).map(_ -> state)
    }
    val grouped = into.groupMap(_._1)(_._2)
    positions.map(grouped.getOrElse(_, Nil))
  }

  /** What the condition of a symbol implies. */
  private val symbols: IndexedSeq[SymbolBounds] = automaton.symbols.indices.map(new SymbolBounds(_))

  /** Of the last row from the first row of a match. */
  val span: Bound = {
    val reach = Array.fill[Bound](positions.length)(None)
    var (isChanged, rounds) = (true, 0)
    while (isChanged && rounds < MaxRounds) {
      isChanged = false
      val reads = symbols.map(_.variables.flatMap { case (read, distance) =>
        sum(largest(positions.filter(q => read(automaton.symbolOf(q))).map(reach)), Some(distance))
      })
      positions.foreach { p =>
        val symbol = automaton.symbolOf(p)
        val steps = previous(p).map { q =>
          if (q == automaton.start) Some(BigDecimal(0)) else sum(reach(q), symbols(symbol).step)
        }
        val found = (symbols(symbol).first ++ largest(steps) ++ reads(symbol)).minOption
        if (found != reach(p)) {
          reach(p) = found
          isChanged = true
        }
      }
      rounds += 1
    }
    largest(positions.filter(automaton.targets(_).contains(Automaton.Accept)).map(reach))
  }

  /** Of any row from the row before it. */
  val step: Bound = largest(
    positions
      .filter(previous(_).exists(_ != automaton.start))
      .map(p => symbols(automaton.symbolOf(p)).step)
  )

  private def largest(bounds: Seq[Bound]): Bound =
    Option.when(bounds.forall(_.isDefined))(bounds.flatten.maxOption.getOrElse(BigDecimal(0)))

  private def sum(a: Bound, b: Bound): Bound = for (x <- a; y <- b) yield x + y

  /** The symbols of a variable or union variable, or all. */
  private def members(variable: Option[String]): Set[Int] = variable match {
    case None => automaton.symbols.indices.toSet
    case Some(name) =>
      val names = clause.subsets.find(_.name == name).fold(Seq(name))(_.members)
      automaton.symbols.indices.filter(i => names.contains(automaton.symbols(i))).toSet
  }

  private final class SymbolBounds(symbol: Int) {
    private val name = automaton.symbols(symbol)
    private val condition = conditions.getOrElse(name, TrueLiteral)
    private val distances =
      new KeyDistances(key, Subset.isTestedRow(_, name, clause.subsets))

    /** From the first row of the match. */
    val first: Bound = distances.of(condition, isFirst)

    /** From the row before, if the match has one. */
    val step: Bound = distances.of(condition, target => isFirst(target) || isBefore(target))

    /** From a row of other variables. */
    val variables: Seq[(Set[Int], BigDecimal)] = condition
      .collect { case Navigation(_, target) => target.variable }
      .distinct
      .filter(variable => variable.isDefined && !members(variable).contains(symbol))
      .flatMap { variable =>
        distances
          .of(condition, target => target.variable == variable && isMapped(target))
          .map(members(variable) -> _)
      }

    /** Whether it reads a row of the match, or one before that. */
    private def isMapped(target: NavigationTarget) = !target.isFinal && target.physicalOffset <= 0

    /** Whether it reads the first row of the match, or one before that. */
    private def isFirst(target: NavigationTarget): Boolean = {
      val read = members(target.variable)
      def isAtStart = automaton.targets(automaton.start).forall { p =>
        p == Automaton.Accept || read(automaton.symbolOf(p))
      }
      def isOnlyAtStart = positions
        .filter(p => read(automaton.symbolOf(p)))
        .forall(previous(_).forall(_ == automaton.start))
      isMapped(target) && target.offset == 0 && (target.fromFirst && isAtStart || isOnlyAtStart)
    }

    /** Whether it reads a row before the tested one, wherever that is in the match. */
    private def isBefore(target: NavigationTarget): Boolean = isMapped(target) &&
      (target.physicalOffset < 0 || !members(target.variable).contains(symbol) ||
        !target.fromFirst && target.offset > 0)
  }
}
