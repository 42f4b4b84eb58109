package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, ExprId, Expression}

import io.matchrecognize.execution.pointer.PointerLayout
import io.matchrecognize.execution.rows.StoreSchema
import io.matchrecognize.expressions.GroupingKey

/**
 * What the clauses of a task share: their input and the store of its rows.
 *
 * @param keys
 *   PARTITION BY columns that are read from the row of keys, and their ordinals in it: their bytes
 *   are equal in all rows of a partition, so one row of them serves all
 */
final class TaskLayout private (
    val input: Seq[Attribute],
    val partitionSpec: Seq[Expression],
    keys: Map[ExprId, Int],
    val schema: StoreSchema
) {

  /** Of all conditions, so that equal ones read equal fields. */
  val conditions: PointerLayout = newLayout

  def newLayout: PointerLayout = new PointerLayout(input, keys, schema)
}

object TaskLayout {
  def of(specs: Seq[ClauseSpec], options: SearchOptions): TaskLayout = {
    val (input, partitionSpec) = (specs.head.input, specs.head.clause.partitionSpec)
    val keys = partitionSpec.zipWithIndex.collect {
      case (c: Attribute, i) if GroupingKey.isBinaryStable(c.dataType) => c.exprId -> i
    }.toMap
    val read = AttributeSet.fromAttributeSets(specs.map(_.read))
    val schema = StoreSchema.of(
      input.indices.filter(i => read.contains(input(i)) && !keys.contains(input(i).exprId)),
      input(_).dataType,
      // Whether a column of a stream can be NULL must not decide the layout of its state.
      !options.isTable || input(_).nullable
    )
    new TaskLayout(input, partitionSpec, keys, schema)
  }
}
