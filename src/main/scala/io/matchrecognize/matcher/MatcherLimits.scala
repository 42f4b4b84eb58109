package io.matchrecognize.matcher

/**
 * What one attempt may cost.
 *
 * @param maxSteps
 *   evaluations of conditions, 0 for no limit
 * @param maxPathBytes
 *   memory of the paths held open, their registers included, 0 for no limit
 */
final case class MatcherLimits(maxSteps: Long, maxPathBytes: Long)

object MatcherLimits {
  val none: MatcherLimits = MatcherLimits(0, 0)
}
