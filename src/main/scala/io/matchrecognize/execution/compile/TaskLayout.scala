package io.matchrecognize.execution.compile

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._

import io.matchrecognize.errors.UserText
import io.matchrecognize.execution.pointer.{PointerField, PointerLayout, SharedExpressions}
import io.matchrecognize.execution.rows.StoreSchema
import io.matchrecognize.expressions.{AsText, GroupingKey}

/**
 * What the clauses of a task share: their input, the store of its rows, and expressions that are
 * equal in all of them, which a task would otherwise be sent once for each.
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

  val shared = new SharedExpressions

  /** Of all conditions, so that equal ones read equal fields. */
  val conditions: PointerLayout = newLayout

  def newLayout: PointerLayout = new PointerLayout(input, keys, schema, shared)

  /** For each PARTITION BY expression its text and its value as a string over the row of keys. */
  val partitionTexts: Seq[(String, Expression)] = partitionSpec.zipWithIndex.map { case (key, i) =>
    UserText.keyName(key) -> AsText(BoundReference(i, key.dataType, nullable = true))
  }

  private val orderKeys = mutable.Map.empty[Option[Expression], OrderKey]

  /** The first ORDER BY key over a `PointerRow` of one pointer, if the store keeps it. */
  def orderKey(kept: Option[Expression]): OrderKey = orderKeys.getOrElseUpdate(
    kept, {
      val layout = newLayout
      val value = kept.map(layout.row(_, 0, None))
      OrderKey(value, value.map(AsText(_)), layout.result)
    }
  )
}

/** @param text `value` as a string */
final case class OrderKey(
    value: Option[Expression],
    text: Option[Expression],
    fields: Array[PointerField]
)

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
