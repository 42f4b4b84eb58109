package io.matchrecognize.matcher

/**
 * What one attempt may cost.
 *
 * @param maxSteps
 *   steps (evaluations of conditions), 0 for no limit
 * @param maxPathBytes
 *   memory of the open paths and their registers, 0 for no limit
 */
final case class MatcherLimits(maxSteps: Long = 0, maxPathBytes: Long = 0)

/**
 * Sizes that change what a matcher costs, never what it finds; tests make them small.
 *
 * @param firstNodes
 *   arena nodes before the first compaction
 * @param firstRemembered
 *   rows at the beginning of an attempt that `FailureMemo` does not record
 * @param firstWaste
 *   rows fed to failed attempts before `LivenessPruner` looks ahead
 */
final case class MatcherTuning(
    firstNodes: Int = 2048,
    firstRemembered: Int = 16,
    firstWaste: Long = 4096
)
