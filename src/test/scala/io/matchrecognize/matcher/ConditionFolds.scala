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
}
