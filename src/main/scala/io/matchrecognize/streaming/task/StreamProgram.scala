package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, StringType}

import io.matchrecognize.execution.compile.{ClauseProgram, ClauseSpec, SearchOptions, TaskProgram}
import io.matchrecognize.expressions.GroupingKey

/**
 * Everything that the tasks of a batch need to run clauses on a stream, compiled on the driver.
 *
 * @param perClause
 *   what the clauses of `task` have in addition
 * @param lateMicros
 *   rows up to this time are late
 * @param readyMicros
 *   the batch's watermark: what it decides is returned, and by watermark the rows up to it are
 *   searched; in the order of arrival all are
 * @param isRealTime
 *   whether rows are searched, in the order of arrival, while the batch reads more of them
 */
final case class StreamProgram(
    task: TaskProgram,
    orderSpec: Seq[SortOrder],
    perClause: IndexedSeq[StreamedClause],
    lateMicros: Long,
    readyMicros: Long,
    inOrderOfArrival: Boolean,
    isRealTime: Boolean,
    limits: StreamLimits
) {
  def clauses: IndexedSeq[ClauseProgram] = task.clauses
  def input: Seq[Attribute] = task.input
  def partitionSpec: Seq[Expression] = task.partitionSpec

  /** Of the leading ORDER BY key in the input. */
  def timeOrdinal: Int = {
    val time = orderSpec.head.child.asInstanceOf[Attribute]
    input.indexWhere(_.exprId == time.exprId)
  }

  /** Rows before a row to come that a start row may read. */
  val lookBack: Int = perClause.map(_.lookBack).max

  /** Whether a partition is remembered once it has had a row. */
  val remembersRows: Boolean =
    perClause.exists(_.endless.exists(_ != UnboundedStateCheck.MatchNumbers))
}

object StreamProgram {

  /**
   * @param specs
   *   of equal PARTITION BY, ORDER BY and input; the PARTITION BY columns are read from the row of
   *   grouping keys
   */
  def of(
      specs: Seq[ClauseSpec],
      lateMicros: Long,
      readyMicros: Long,
      inOrderOfArrival: Boolean,
      isRealTime: Boolean
  ): StreamProgram = {
    val compiled = TaskProgram.compiled(specs, SearchOptions.stream)._1
    val first = specs.head.clause
    val keysAsText = first.partitionSpec.zipWithIndex.map { case (key, i) =>
      val normal = GroupingKey.normalize(key)
      val text =
        if (normal.dataType == BinaryType && key.dataType != BinaryType) Literal("...")
        else {
          val value = BoundReference(i, normal.dataType, nullable = true)
          Cast(value, StringType, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.TRY)
        }
      compiled.clause.failureTexts.partition(i)._1 -> text
    }
    val task = compiled.copy(clauses = compiled.clauses.map { clause =>
      clause.copy(failureTexts = clause.failureTexts.copy(partition = keysAsText))
    })
    val perClause =
      specs.zip(task.clauses).map { case (spec, clause) => StreamedClause.of(spec.clause, clause) }
    StreamProgram(
      task,
      first.orderSpec,
      perClause.toIndexedSeq,
      lateMicros,
      readyMicros,
      inOrderOfArrival,
      isRealTime,
      StreamLimits.of(
        first,
        task.clause.failureTexts.copy(name = None),
        perClause.flatMap(_.endless).headOption
      )
    )
  }
}
