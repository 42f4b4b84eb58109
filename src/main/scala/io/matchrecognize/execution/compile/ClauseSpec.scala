package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.plans.PatternClause

/** A resolved clause with the input and output of its physical operator. */
final case class ClauseSpec(
    clause: PatternClause,
    measureOutput: Seq[Attribute],
    input: Seq[Attribute],
    output: Seq[Attribute]
)

/**
 * Which searches may be used.
 *
 * @param deadlines
 *   whether conditions may end an attempt early
 * @param anchoredThreads
 *   whether `AnchoredMatcher` may search
 */
final case class SearchOptions(
    isTable: Boolean,
    deadlines: Boolean,
    anchoredThreads: Boolean
)

object SearchOptions {

  /** Those of a trace, which shows every attempt to its end. */
  val trace: SearchOptions = SearchOptions(
    isTable = false,
    deadlines = false,
    anchoredThreads = false
  )

  /** Those of a stream, by the session. */
  def stream: SearchOptions = trace.copy(deadlines = infersDeadlines)

  /** Those of the session. */
  def table: SearchOptions = SearchOptions(
    isTable = true,
    infersDeadlines,
    SQLConf.get.getConf(MatchRecognizeConf.AnchoredThreads)
  )

  private def infersDeadlines: Boolean = SQLConf.get.getConf(MatchRecognizeConf.InferDeadlines)
}
