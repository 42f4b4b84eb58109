package io.matchrecognize.execution.compile

import scala.collection.mutable

import io.matchrecognize.execution.condition.RowExpression
import io.matchrecognize.execution.pointer.PointerField
import io.matchrecognize.execution.rows.StoreSchema
import io.matchrecognize.expressions.LiteralTexts

/**
 * The distinct row-local conditions of a task. Those of two symbols that are equal have one id, and
 * so one truth on each row.
 *
 * @param byId
 *   the first of equal ones
 * @param idOf
 *   by symbol, -1 for one that has no such condition
 */
final case class RowConditions(
    byId: Array[RowExpression],
    idOf: Array[Int],
    fields: Array[PointerField],
    pointerCount: Int,
    schema: StoreSchema
)

object RowConditions {

  def of(clause: ClauseProgram): RowConditions = {
    val conditions = clause.conditions
    val ids = mutable.Map.empty[Any, Int]
    val byId = mutable.ArrayBuffer.empty[RowExpression]
    val idOf = conditions.bySymbol.map(_.filter(_.rowLocal).fold(-1) { condition =>
      ids.getOrElseUpdate(
        key(condition), {
          byId += condition
          byId.length - 1
        }
      )
    })
    RowConditions(
      byId.toArray,
      idOf,
      conditions.fields,
      conditions.pointerCount,
      clause.schema
    )
  }

  /**
   * Spark's canonical form is not asked which are equal: it adds floating-point numbers in any
   * order.
   */
  private def key(condition: RowExpression): Any =
    (condition.expression, condition.pointers.toSeq, LiteralTexts(condition.expression))
}
