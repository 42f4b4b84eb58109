package io.matchrecognize.pattern

/**
 * A row pattern is larger than its caller allows.
 *
 * @param kind
 *   what there is too much of, a constant of the companion
 * @param size
 *   how many there are; for kinds that are counted while building, the count at which building
 *   stopped
 */
final class PatternTooLarge(val kind: String, val size: Long, val limit: Long)
    extends RuntimeException(s"The row pattern has $size $kind, the limit is $limit.")

object PatternTooLarge {

  /** Occurrences of variables after bounded quantifiers and PERMUTE are written out. */
  final val Positions = "positions"
  final val PermuteElements = "elements in one PERMUTE"

  /** Ten elements have 3,628,800 orders. */
  final val MaxPermuteElements = 10

  /** Pairs of positions that may follow each other. */
  final val Edges = "edges"

  /** Instructions of the pattern's program, including those that map no row. */
  final val Instructions = "instructions"

  def check(kind: String, size: Long, limit: Int): Unit =
    if (size > limit) throw new PatternTooLarge(kind, size, limit.toLong)
}
