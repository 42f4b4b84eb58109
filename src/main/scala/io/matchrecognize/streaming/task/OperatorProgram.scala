package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, SortOrder}

import io.matchrecognize.execution.compile.ClauseSpec

/**
 * Everything that the tasks of a batch need, made on the driver.
 *
 * @param timeOrdinal
 *   of the leading ORDER BY key in the input
 * @param lateMicros
 *   rows up to this time are late
 * @param readyMicros
 *   rows up to this time are searched
 */
final case class OperatorProgram(
    search: StreamProgram,
    orderSpec: Seq[SortOrder],
    timeOrdinal: Int,
    lateMicros: Long,
    readyMicros: Long,
    limits: StreamLimits
) {
  def input: Seq[Attribute] = search.task.input
  def partitionSpec: Seq[Expression] = search.task.partitionSpec
}

object OperatorProgram {
  def of(spec: ClauseSpec, lateMicros: Long, readyMicros: Long): OperatorProgram = {
    val time = spec.clause.orderSpec.head.child.asInstanceOf[Attribute]
    val search = StreamProgram.of(spec)
    OperatorProgram(
      search,
      spec.clause.orderSpec,
      spec.input.indexWhere(_.exprId == time.exprId),
      lateMicros,
      readyMicros,
      StreamLimits.of(spec, search)
    )
  }
}
