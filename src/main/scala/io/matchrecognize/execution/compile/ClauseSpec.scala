package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions._

import io.matchrecognize.plans.PatternClause

/**
 * A resolved clause with the input and output of its physical operator.
 *
 * @param output
 *   over the input and `measureOutput`
 * @param filter
 *   over the same, of the rows that are returned
 * @param name
 *   of the clause among several
 */
final case class ClauseSpec(
    clause: PatternClause,
    measureOutput: Seq[Attribute],
    input: Seq[Attribute],
    output: Seq[NamedExpression],
    filter: Option[Expression] = None,
    name: Option[String] = None
) {

  /**
   * The leading ORDER BY key, if it is kept: for WITHIN, and for messages if it is a column of
   * fixed width.
   */
  def keptOrderKey: Option[Expression] = clause.orderSpec.headOption.map(_.child).filter {
    case a: Attribute => clause.within.isDefined || UnsafeRow.isFixedLength(a.dataType)
    case _ => clause.within.isDefined
  }

  /** The columns of the input that a search and its output read. */
  def read: AttributeSet =
    AttributeSet(
      (clause.conditions ++ clause.measures ++ output ++ filter ++ keptOrderKey)
        .flatMap(_.references)
    ) -- AttributeSet(measureOutput)
}

/**
 * Which searches may be used.
 *
 * @param deadlines
 *   whether conditions may end an attempt early
 * @param anchoredThreads
 *   whether rows may be passed over, see `AnchoredConditions`
 */
final case class SearchOptions(isTable: Boolean, deadlines: Boolean, anchoredThreads: Boolean)

object SearchOptions {

  /** Those of a trace, which shows every attempt to its end. */
  val trace = SearchOptions(isTable = false, deadlines = false, anchoredThreads = false)

  val stream: SearchOptions = trace.copy(deadlines = true)

  val table = SearchOptions(isTable = true, deadlines = true, anchoredThreads = true)
}
