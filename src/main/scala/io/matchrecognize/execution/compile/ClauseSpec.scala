package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.Attribute

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
 *   whether rows may be passed over, see `AnchoredConditions`
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

  /** Those of a stream. */
  val stream: SearchOptions = trace.copy(deadlines = true)

  /** Those of a table. */
  val table: SearchOptions = SearchOptions(
    isTable = true,
    deadlines = true,
    anchoredThreads = true
  )
}
