package io.matchrecognize.matcher

import io.matchrecognize.matcher.Condition._

/** The folds that conditions read. */
private[matcher] object ConditionFolds {

  /**
   * Variables, whether their values are added and not their rows counted, and a value that fails.
   */
  type Fold = (Set[String], Boolean, Int)

  def foldOf(condition: Condition): Option[Fold] = condition match {
    case CountAtMost(variables, _) => Some((variables, false, -1))
    case CountIsOdd(variables) => Some((variables, false, -1))
    case SumAtMost(variables, _) => Some((variables, true, -1))
    case SumAbove(variables, _) => Some((variables, true, -1))
    case FailingSumIsOdd(variables, value) => Some((variables, true, value))
    case _ => None
  }

  /** Which value of a fold is better in all of the conditions that read it. */
  def order(fold: Fold, conditions: Seq[Condition]): FoldOrder = {
    def readers(condition: Condition): Seq[Condition] =
      if (foldOf(condition).contains(fold)) Seq(condition) else condition.parts.flatMap(readers)
    val reading = conditions.filter(readers(_).nonEmpty)
    val orders = reading.flatMap(readers).map {
      case _: CountAtMost | _: SumAtMost => FoldOrder.SmallerIsBetter
      case _: SumAbove => FoldOrder.LargerIsBetter
      case _ => FoldOrder.None
    }
    if (orders.distinct.size == 1 && !reading.exists(_.fails)) orders.head else FoldOrder.None
  }

  def compare(order: FoldOrder, a: AnyRef, b: AnyRef): Int = (a, b) match {
    case (x: java.lang.Long, y: java.lang.Long) =>
      val difference = x.compareTo(y) * (if (order == FoldOrder.SmallerIsBetter) -1 else 1)
      if (difference >= 0) 1 else -1
    case _ => 0
  }
}
