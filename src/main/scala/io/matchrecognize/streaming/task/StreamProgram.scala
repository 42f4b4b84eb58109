package io.matchrecognize.streaming.task

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, StringType}

import io.matchrecognize.execution.compile.{ClauseProgram, ClauseSpec, SearchOptions, TaskProgram}
import io.matchrecognize.execution.pointer.{PointerBase, PointerProgram}
import io.matchrecognize.expressions.GroupingKey

/**
 * Everything that the tasks of a batch need to run a clause on a stream, compiled on the driver.
 *
 * @param lookBack
 *   rows before a start row that PREV may read
 * @param endless
 *   what makes a partition with nothing open leave state, forever, see [[UnboundedStateCheck]]
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
    lookBack: Int,
    endless: Seq[String],
    lateMicros: Long,
    readyMicros: Long,
    inOrderOfArrival: Boolean,
    isRealTime: Boolean,
    limits: StreamLimits
) {
  def clause: ClauseProgram = task.clause
  def input: Seq[Attribute] = task.input
  def partitionSpec: Seq[Expression] = task.partitionSpec

  /** Of the leading ORDER BY key in the input. */
  def timeOrdinal: Int = {
    val time = orderSpec.head.child.asInstanceOf[Attribute]
    input.indexWhere(_.exprId == time.exprId)
  }

  /** Whether a partition is remembered once it has had a match. */
  val numbersMatches: Boolean = endless.contains(UnboundedStateCheck.MatchNumbers)

  /** Whether it is once it has had a row. */
  val remembersRows: Boolean = endless.exists(_ != UnboundedStateCheck.MatchNumbers)

  /** Whether the watermark ends all attempts. */
  def isBounded: Boolean = clause.within.isDefined || clause.conditions.deadlines.exists(_.endsAll)
}

object StreamProgram {

  /** @param spec its PARTITION BY columns are read from the row of grouping keys */
  def of(
      spec: ClauseSpec,
      lateMicros: Long,
      readyMicros: Long,
      inOrderOfArrival: Boolean,
      isRealTime: Boolean
  ): StreamProgram = {
    val task = TaskProgram.of(spec, SearchOptions.stream)
    val conditions = task.clause.conditions
    val fewestBefore = task.clause.automaton.fewestBefore
    val before = task.clause.measures.pointers.map(rowsBefore(_, 0)) ++
      conditions.bySymbol.zip(fewestBefore).flatMap { case (condition, fewest) =>
        condition.toSeq.flatMap(_.pointers.map(rowsBefore(_, fewest)))
      }
    val keysAsText = spec.clause.partitionSpec.zipWithIndex.map { case (key, i) =>
      val normal = GroupingKey.normalize(key)
      val text =
        if (normal.dataType == BinaryType && key.dataType != BinaryType) Literal("...")
        else {
          val value = BoundReference(i, normal.dataType, nullable = true)
          Cast(value, StringType, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.TRY)
        }
      task.clause.failureTexts.partition(i)._1 -> text
    }
    val texts = task.clause.failureTexts.copy(partition = keysAsText)
    val lookBack = before.maxOption.getOrElse(0)
    val endless = UnboundedStateCheck.endless(spec.clause, lookBack)
    StreamProgram(
      task.copy(clauses = Vector(task.clause.copy(failureTexts = texts))),
      spec.clause.orderSpec,
      lookBack,
      endless,
      lateMicros,
      readyMicros,
      inOrderOfArrival,
      isRealTime,
      StreamLimits.of(spec, texts, endless.headOption)
    )
  }

  /**
   * How far before a match a row reads that follows `fewest` rows of the match at least: a row of a
   * variable that no match has follows Int.MaxValue of them.
   */
  private def rowsBefore(pointer: PointerProgram, fewest: Int): Int = {
    val within = pointer.base match {
      case PointerBase.BeforeLast(offset, _) => (fewest - offset).max(0)
      case PointerBase.AfterFirst(offset, _) => offset
      case PointerBase.Register(_, _) => 0
    }
    (-pointer.physical.toLong - within).max(0L).min(Int.MaxValue).toInt
  }
}
