package io.matchrecognize.execution.output

import io.matchrecognize.execution.aggregate.{AggregateState, BoundedSum, PatternAggregator}
import io.matchrecognize.execution.compile.SummaryProgram
import io.matchrecognize.execution.pointer.{ExpressionFailure, PointerBindings, PointerRow}
import io.matchrecognize.matcher.SummaryFolds

/**
 * The aggregates of MEASURES that the summaries of overlapping matches fold. Matches share states,
 * so a row makes new ones and leaves the old ones as they are.
 *
 * @param aggregators
 *   those of all aggregates, which read from `row`
 */
private[output] final class SummaryAggregates(
    summary: SummaryProgram,
    aggregators: Array[PatternAggregator],
    row: PointerRow
) extends SummaryFolds {
  import SummaryAggregates._

  private val folded: Array[PatternAggregator] =
    aggregators.indices
      .filter(summary.foldOf(_) >= 0)
      .sortBy(summary.foldOf(_))
      .map(aggregators(_))
      .toArray
  private val mayOverflow: Array[Boolean] = summary.mayOverflow

  override def empty(fold: Int): AnyRef = folded(fold).newState()

  override def add(fold: Int, value: AnyRef, added: Long): AnyRef =
    if (value eq Failed) value
    else
      try {
        row.pointers(PointerBindings.Row) = added
        val before = value.asInstanceOf[AggregateState]
        val after =
          if (mayOverflow(fold)) BoundedSum.add(folded(fold), before)
          else {
            val copy = folded(fold).copy(before)
            folded(fold).update(copy)
            copy
          }
        if (after == null) Failed else after
      } catch {
        // Walking the match will decide whether it fails in the order of the rows.
        case e: Throwable if ExpressionFailure.isOfExpression(e) => Failed
      }
}

private[output] object SummaryAggregates {

  /** The state of an aggregate that failed. */
  object Failed
}
