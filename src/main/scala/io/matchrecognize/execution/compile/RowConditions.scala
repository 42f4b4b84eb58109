package io.matchrecognize.execution.compile

import scala.collection.mutable

import io.matchrecognize.execution.condition.RowExpression
import io.matchrecognize.execution.pointer.PointerField
import io.matchrecognize.execution.rows.StoreSchema
import io.matchrecognize.expressions.LiteralTexts

/**
 * The distinct row-local conditions of a task. Those of two symbols that are equal, of one clause
 * or of two, have one id, and so one truth on each row.
 *
 * @param byId
 *   the first of equal ones
 * @param idOf
 *   by clause and symbol, -1 for one that has no such condition
 * @param isRead
 *   by id, whether a clause is searched by two passes, which read all truths of all rows
 * @param byRow
 *   how many of them have their truths kept by row: those with lower ids; the others are looked up
 *   for many rows at once, and have theirs kept by condition
 * @param lookups
 *   those that are looked up
 */
final case class RowConditions(
    byId: Array[RowExpression],
    idOf: Array[Array[Int]],
    isRead: Array[Boolean],
    byRow: Int,
    lookups: Seq[LookedUpConditions],
    fields: Array[PointerField],
    pointerCount: Int,
    schema: StoreSchema
) {

  /** The ids of those that are looked up. */
  val lookedUp: Set[Int] = lookups.flatMap(_.ids).toSet
}

object RowConditions {

  /** @param isTable else the truths of all of them are kept by row, as rows arrive one by one */
  def of(clauses: Seq[ClauseProgram], isTable: Boolean): RowConditions = {
    val ids = mutable.Map.empty[Any, Int]
    val byId = mutable.ArrayBuffer.empty[RowExpression]
    val read = mutable.BitSet.empty
    val idOf = clauses.map { clause =>
      val own = clause.conditions.bySymbol.map(_.filter(_.rowLocal).fold(-1) { condition =>
        ids.getOrElseUpdate(
          key(condition), {
            byId += condition
            byId.length - 1
          }
        )
      })
      if (isTable && clause.isTwoPass) read ++= own.filter(_ >= 0)
      own
    }
    // The layout of the conditions is shared: that of a clause has the fields of all before it.
    val last = clauses.last
    val lookups = LookedUpConditions.of(byId.toSeq, last.conditions.fields, read)
    val found = lookups.flatMap(_.ids).toSet
    val (byCondition, byRow) =
      byId.indices.partition(id => isTable && !read(id) && found(id))
    val order = byRow ++ byCondition
    val placeOf = order.zipWithIndex.toMap.withDefaultValue(-1)
    RowConditions(
      order.map(byId).toArray,
      idOf.map(_.map(placeOf)).toArray,
      order.map(read.contains).toArray,
      byRow.length,
      lookups.map(_.renumbered(placeOf)),
      last.conditions.fields,
      last.conditions.pointerCount,
      last.schema
    )
  }

  /**
   * Spark's canonical form is not asked which are equal: it adds floating-point numbers in any
   * order.
   */
  private def key(condition: RowExpression): Any =
    (condition.expression, condition.pointers.toSeq, LiteralTexts(condition.expression))
}
