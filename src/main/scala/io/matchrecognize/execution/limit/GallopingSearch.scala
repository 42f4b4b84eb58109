package io.matchrecognize.execution.limit

/**
 * Exponential (galloping) search for the first number of a range at which a predicate does not
 * hold, where it holds at all numbers before and at none from there on. From a guess it takes two
 * tests if that is right, and otherwise as many as the logarithm of the distance; at most 130.
 */
private[matchrecognize] abstract class GallopingSearch {
  protected def holds(number: Long): Boolean

  /** Called in every step of a long search, which may take time. */
  protected def checkCancelled(): Unit

  /**
   * @param from
   *   no result is smaller
   * @param to
   *   no result is larger; `holds` is not asked about it
   */
  final def firstBeyond(from: Long, to: Long, guess: Long): Long = {
    val probe = guess.max(from).min(to)
    if (probe < to && holds(probe)) after(probe, to) else before(probe, from)
  }

  /** The result if `holds(known)`. */
  private def after(known: Long, to: Long): Long = {
    var low = known
    var step = 1L
    var high = larger(low, step, to)
    while (high < to && holds(high)) {
      checkCancelled()
      low = high
      step = twice(step)
      high = larger(low, step, to)
    }
    between(low, high)
  }

  /** The result if `holds` of `known` and of all numbers after it is false. */
  private def before(known: Long, from: Long): Long =
    if (known == from) from
    else {
      var high = known
      var step = 1L
      var low = smaller(high, step, from)
      while (low > from && !holds(low)) {
        checkCancelled()
        high = low
        step = twice(step)
        low = smaller(high, step, from)
      }
      if (low > from || holds(from)) between(low, high) else from
    }

  /** It holds at `low` and not at `high`. */
  private def between(from: Long, to: Long): Long = {
    var low = from
    var high = to
    while (low + 1 < high) {
      checkCancelled()
      val middle = (low >> 1) + (high >> 1) + (low & high & 1)
      if (holds(middle)) low = middle else high = middle
    }
    high
  }

  private def twice(step: Long): Long = if (step > Long.MaxValue / 2) Long.MaxValue else step * 2

  private def larger(number: Long, by: Long, most: Long): Long =
    if (number > most - by) most else number + by

  // `number - least` may be larger than a Long holds.
  private def smaller(number: Long, by: Long, least: Long): Long =
    if (java.lang.Long.compareUnsigned(number - least, by) <= 0) least else number - by
}
