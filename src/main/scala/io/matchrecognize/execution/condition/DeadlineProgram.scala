package io.matchrecognize.execution.condition

import org.apache.spark.sql.types.DataType

/**
 * The leading ORDER BY key of a clause.
 *
 * @param column
 *   the fixed-width column of the store that holds it
 */
final case class DeadlineKey(column: Int, dataType: DataType, isDescending: Boolean)

/**
 * What conditions imply about where a match ends. A check is a predicate that is monotone over the
 * rows: where it is not TRUE on a row, it is not TRUE on any later one, nor is the condition.
 *
 * @param ends
 *   for each variable that a match may end with checks that read the first rows of the match; none
 *   if one of the variables has none
 * @param next
 *   on a stream, for each symbol checks of the next row that read rows mapped before it
 * @param endsAll
 *   whether they end every attempt
 * @param text
 *   for EXPLAIN
 */
final case class DeadlineProgram(
    key: DeadlineKey,
    ends: Seq[Seq[RowExpression]],
    next: Seq[Seq[RowExpression]],
    endsAll: Boolean,
    text: String
)
