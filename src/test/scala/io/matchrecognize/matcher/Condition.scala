package io.matchrecognize.matcher

import io.matchrecognize.matcher.BruteForceOracle.Failure

/**
 * Conditions over rows of one small integer, for tests. Each can be evaluated twice, in ways that
 * have nothing in common: from the labels of all rows (`holds`, for the oracle), and from registers
 * (`ConditionInput`, for the engines).
 */
sealed trait Condition {

  /** Whether the truth depends on the tested row alone. */
  def local: Boolean = this match {
    case Condition.Both(a, b) => a.local && b.local
    case Condition.Either(a, b) => a.local && b.local
    case Condition.FailsOn(_, inner) => inner.local
    case _: Condition.Local => true
    case _ => false
  }

  def parts: Seq[Condition] = this match {
    case Condition.Both(a, b) => Seq(a, b)
    case Condition.Either(a, b) => Seq(a, b)
    case Condition.FailsOn(_, inner) => Seq(inner)
    case _ => Nil
  }

  /** The parts that have no parts. */
  def leaves: Seq[Condition] = if (parts.isEmpty) Seq(this) else parts.flatMap(_.leaves)

  /** What depends on the tested row alone and is TRUE wherever the condition is. */
  def localPart: Option[Condition] = this match {
    case local if local.local => Some(local)
    case Condition.Both(a, b) => (a.localPart ++ b.localPart).reduceOption(Condition.Both(_, _))
    case _ => None
  }

  /** The parts that it is the conjunction of. */
  def conjuncts: Seq[Condition] = this match {
    case Condition.Both(a, b) => a.conjuncts ++ b.conjuncts
    case _ => Seq(this)
  }

  /** Whether the truth depends on registers without labels, or on the attempt, alone. */
  def settled: Boolean = this match {
    case Condition.Either(a, b) => a.settled && b.settled
    case _: Condition.Settled => true
    case _ => false
  }

  /** Whether its evaluation may fail on some row. */
  def fails: Boolean = this match {
    case _: Condition.FailsOn | _: Condition.FailingSumIsOdd => true
    case _ => parts.exists(_.fails)
  }
}

object Condition {
  sealed trait Local extends Condition
  sealed trait Settled extends Condition
  case object Always extends Local
  final case class AtMost(value: Int) extends Local
  final case class IsNot(value: Int) extends Local
  case object AboveNext extends Local

  /** x compared with PREV(x, distance); `orNone` if there is no such row. */
  final case class AboveBack(distance: Int, orNone: Boolean) extends Local
  val AbovePrevious: Condition = AboveBack(1, orNone = false)

  /** x compared with LAST(variables.x, offset). */
  final case class AboveLast(variables: Set[String], offset: Int) extends Condition
  final case class NotLast(variables: Set[String], offset: Int) extends Condition
  final case class AboveFirst(variables: Set[String], offset: Int) extends Condition

  /** x at most `distance` above FIRST(variables.x). */
  final case class NearFirst(variables: Set[String], distance: Int) extends Condition
  final case class NoFirst(variables: Set[String], offset: Int) extends Settled

  /** LAST(variables.x, offset) is another value, or there is no such row. */
  final case class LastIsNot(variables: Set[String], offset: Int, value: Int) extends Settled
  final case class CountAtMost(variables: Set[String], count: Int) extends Settled
  final case class CountIsOdd(variables: Set[String]) extends Settled
  final case class SumAtMost(variables: Set[String], sum: Int) extends Settled
  final case class SumAbove(variables: Set[String], sum: Int) extends Settled

  /** Reads a sum whose update fails on rows of the given value. */
  final case class FailingSumIsOdd(variables: Set[String], value: Int) extends Settled
  final case class PreviousLabelIs(variable: String) extends Condition

  /** The variable of FIRST or LAST(variables.x, offset). */
  final case class LabelIs(
      variables: Set[String],
      fromFirst: Boolean,
      offset: Int,
      variable: String
  ) extends Condition
  case object MatchNumberIsOdd extends Settled
  final case class FailsOn(value: Int, inner: Condition) extends Condition
  final case class Both(a: Condition, b: Condition) extends Condition
  final case class Either(a: Condition, b: Condition) extends Condition

  /** Truth on the last of the rows from `start` on, which are mapped to `labels`. */
  def holds(
      condition: Condition,
      values: Array[Int],
      start: Int,
      labels: Vector[String],
      matchNumber: Long
  ): Boolean = {
    val row = start + labels.size - 1
    val value = values(row)
    def of(variables: Set[String]): Vector[Int] =
      labels.zipWithIndex.collect { case (label, i) if variables(label) => start + i }
    def last(variables: Set[String], offset: Int) =
      of(variables).reverse.lift(offset).map(values(_))
    def first(variables: Set[String], offset: Int) = of(variables).lift(offset).map(values(_))
    condition match {
      case Always => true
      case AtMost(limit) => value <= limit
      case IsNot(other) => value != other
      case AboveNext => row + 1 < values.length && value > values(row + 1)
      case AboveBack(distance, orNone) =>
        if (row < distance) orNone else value > values(row - distance)
      case AboveLast(variables, offset) => last(variables, offset).exists(value > _)
      case NotLast(variables, offset) => last(variables, offset).exists(value != _)
      case AboveFirst(variables, offset) => first(variables, offset).exists(value > _)
      case NearFirst(variables, distance) => first(variables, 0).exists(value <= _ + distance)
      case NoFirst(variables, offset) => first(variables, offset).isEmpty
      case LastIsNot(variables, offset, other) => last(variables, offset).forall(_ != other)
      case CountAtMost(variables, count) => of(variables).size <= count
      case CountIsOdd(variables) => of(variables).size % 2 == 1
      case SumAtMost(variables, sum) => of(variables).map(values(_)).sum <= sum
      case SumAbove(variables, sum) => of(variables).map(values(_)).sum > sum
      case FailingSumIsOdd(variables, bad) =>
        of(variables).find(values(_) == bad).foreach(r => throw Failure(s"sum at $r"))
        of(variables).map(values(_)).sum % 2 == 1
      case PreviousLabelIs(variable) => labels.lift(labels.size - 2).contains(variable)
      case LabelIs(variables, fromFirst, offset, variable) =>
        val own = labels.filter(variables)
        (if (fromFirst) own else own.reverse).lift(offset).contains(variable)
      case MatchNumberIsOdd => matchNumber % 2 == 1
      case FailsOn(bad, inner) =>
        if (value == bad) throw Failure(s"value at $row")
        holds(inner, values, start, labels, matchNumber)
      case Both(a, b) =>
        holds(a, values, start, labels, matchNumber) &&
        holds(b, values, start, labels, matchNumber)
      case Either(a, b) =>
        holds(a, values, start, labels, matchNumber) ||
        holds(b, values, start, labels, matchNumber)
    }
  }
}
