package io.matchrecognize.analysis.checks

import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.pattern.{AutomatonBuilder, PatternTooLarge, RowPattern}
import io.matchrecognize.plans.ClausePositions

/** Refuses a PATTERN that exceeds the session's limits once bounds and PERMUTE are written out. */
object PatternSize {
  def check(pattern: RowPattern, places: ClausePositions): Unit = {
    val positions = SQLConf.get.getConf(MatchRecognizeConf.MaxPatternPositions)
    val elements = SQLConf.get.getConf(MatchRecognizeConf.MaxPermuteElements)
    try AutomatonBuilder.of(pattern, positions, elements)
    catch {
      case e: PatternTooLarge if e.kind == PatternTooLarge.PermuteElements =>
        val config = MatchRecognizeConf.MaxPermuteElements.key
        val origin = places.permutations.collectFirst { case (o, n) if n > elements => o }
        throw Errors.permuteTooLarge(
          e.size,
          e.limit,
          s""""$config" = $elements""",
          origin.getOrElse(places.pattern)
        )
      case e: PatternTooLarge =>
        val config = MatchRecognizeConf.MaxPatternPositions.key
        throw Errors.patternTooLarge(e.limit, s""""$config" = $positions""", places.pattern)
    }
  }
}
