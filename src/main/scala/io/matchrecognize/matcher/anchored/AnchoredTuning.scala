package io.matchrecognize.matcher.anchored

/**
 * Sizes that change what the engine costs, never what it finds; tests make them small.
 *
 * @param firstNodes
 *   runs before the first compaction
 * @param maxRuns
 *   runs of open paths beyond which the general engine, which keeps a byte a row, takes over
 * @param firstRemembered
 *   see `MatcherTuning`
 * @param firstWaste
 *   tests of failed attempts before `LivenessPruner` looks ahead
 */
final case class AnchoredTuning(
    firstNodes: Int = 1024,
    maxRuns: Int = 1 << 20,
    firstRemembered: Int = 16,
    firstWaste: Long = 4096
)
