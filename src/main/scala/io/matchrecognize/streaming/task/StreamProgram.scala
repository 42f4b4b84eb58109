package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, EvalMode, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, StringType}

import io.matchrecognize.execution.compile.{ClauseProgram, ClauseSpec, SearchOptions, TaskProgram}
import io.matchrecognize.expressions.GroupingKey

/**
 * What a task needs to run a clause on a stream, compiled on the driver.
 *
 * @param lookBack
 *   rows before a start row that PREV may read
 * @param endless
 *   what makes a partition with nothing open leave state, forever
 */
final case class StreamProgram(task: TaskProgram, lookBack: Int, endless: Seq[String]) {
  def clause: ClauseProgram = task.clause

  /** Whether the watermark ends all attempts. */
  def isBounded: Boolean = clause.window.isDefined || clause.conditions.deadlines.isDefined
}

object StreamProgram {

  /** @param spec its PARTITION BY columns are read from the row of grouping keys */
  def of(spec: ClauseSpec): StreamProgram = {
    val task = TaskProgram.of(spec, (_, index) => index, SearchOptions.stream)
    val conditions = task.clause.conditions
    val pointers =
      (conditions.bySymbol ++ conditions.necessary).flatten.flatMap(_.pointers) ++
        task.clause.measures.pointers
    val keysAsText = spec.clause.partitionSpec.zipWithIndex.map { case (key, i) =>
      val normal = GroupingKey.normalize(key)
      val text =
        if (normal.dataType == BinaryType && key.dataType != BinaryType) Literal("...")
        else {
          val value = BoundReference(i, normal.dataType, nullable = true)
          Cast(value, StringType, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.TRY)
        }
      task.failureTexts.partition(i)._1 -> text
    }
    StreamProgram(
      task.copy(failureTexts = task.failureTexts.copy(partition = keysAsText)),
      pointers.map(-_.physical).maxOption.getOrElse(0).max(0),
      UnboundedStateCheck.endless(spec.clause)
    )
  }
}
