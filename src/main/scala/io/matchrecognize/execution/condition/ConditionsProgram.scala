package io.matchrecognize.execution.condition

import io.matchrecognize.execution.pointer.{AggregateProgram, PointerField}
import io.matchrecognize.matcher.RegisterPlan

/**
 * DEFINE.
 *
 * @param bySymbol
 *   None for a variable whose condition is always TRUE
 * @param necessary
 *   row-local conjuncts of the conditions that are not row-local
 * @param deadlines
 *   what the conditions imply about the last row of a match
 */
final case class ConditionsProgram(
    fields: Array[PointerField],
    pointerCount: Int,
    bySymbol: Array[Option[RowExpression]],
    necessary: Array[Option[RowExpression]],
    registers: RegisterPlan,
    folds: Array[AggregateProgram],
    deadlines: Option[DeadlineProgram]
)
