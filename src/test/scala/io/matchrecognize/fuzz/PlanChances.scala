package io.matchrecognize.fuzz

/**
 * How many parts of a plan may leave out most rows: conditions that few rows satisfy, patterns of
 * several rows, inner joins, subqueries in WHERE. Without a limit hardly any row is left at the end
 * of most plans, and an error in them cannot show.
 */
final class PlanChances(choices: Choices) {
  private var left = choices.pick(0, 0, 1, 1, 1, 2, 2, 4)

  /** Whether a part may be one of these; it is one less then. */
  def take(): Boolean = {
    val isSome = left > 0 && choices.below(2) == 1
    if (isSome) left -= 1
    isSome
  }

  /** One of the options that keep rows, or of the others as well. */
  def pick[T](keeping: T*)(others: T*): T =
    if (take()) choices.pick(others: _*) else choices.pick(keeping: _*)
}
