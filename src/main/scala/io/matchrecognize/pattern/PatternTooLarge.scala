package io.matchrecognize.pattern

/**
 * A row pattern is larger than its caller allows.
 *
 * @param kind
 *   what is too many, one of the constants of the companion
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

  /** Pairs of positions that may follow each other. */
  final val Edges = "edges"

  /** Steps of the program that the pattern compiles to, those that map no row included. */
  final val Instructions = "instructions"
}
