package io.matchrecognize.analysis

import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.pattern.{Automaton, PatternTooLarge, RowPattern}

/** Refuses a PATTERN whose bounds and PERMUTE, written out, are over the session's limits. */
object PatternSize {
  def check(pattern: RowPattern, origin: Origin): Unit = {
    val positions = SQLConf.get.getConf(MatchRecognizeConf.MaxPatternPositions)
    val elements = SQLConf.get.getConf(MatchRecognizeConf.MaxPermuteElements)
    try Automaton(pattern, identity, positions, elements)
    catch {
      case e: PatternTooLarge if e.kind == PatternTooLarge.PermuteElements =>
        val config = MatchRecognizeConf.MaxPermuteElements.key
        throw Errors.permuteTooLarge(e.size, e.limit, s""""$config" = $elements""", origin)
      case e: PatternTooLarge =>
        val config = MatchRecognizeConf.MaxPatternPositions.key
        throw Errors.patternTooLarge(e.limit, s""""$config" = $positions""", origin)
    }
  }
}
