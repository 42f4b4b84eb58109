package io.matchrecognize.execution.trace

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.condition.ShownConjunct
import io.matchrecognize.execution.pointer.ExpressionFailure
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.trace.ConditionDisplay.{Error, False, Null, True}
import io.matchrecognize.execution.truth.ConditionEvaluator
import io.matchrecognize.expressions.ConditionValue
import io.matchrecognize.matcher.WorkMeter

/** Evaluates the conditions on every row of a task, as far as a row alone tells. */
private[trace] final class ConditionCounts(
    program: TraceProgram,
    rows: Rows,
    input: ConditionEvaluator
) {
  import ConditionCounts._

  private val work = new WorkMeter(rows.checkCancelled _)

  /** How many rows there are. */
  var all = 0L

  /** By symbol. */
  val ofConditions: Array[Option[OfCondition]] =
    program.conditions.zipWithIndex.map { case (condition, symbol) =>
      condition.map(found => new OfCondition(symbol, found.conjuncts.toArray, input))
    }
  private val judged = ofConditions.flatten.filter(_.isPartlyLocal)

  def countPartition(): Unit = {
    var row = 0L
    while (row < rows.length) {
      var i = 0
      while (i < judged.length) {
        judged(i).count(row)
        i += 1
      }
      work.add(judged.length.toLong)
      row += 1
    }
    all += rows.length
  }
}

private[trace] object ConditionCounts {

  /** After this many hits of a comparison its other values are not collected. */
  final val Enough = 1000L

  /** Not evaluated: an earlier conjunct decided. */
  final val Unreached = 4

  /** Of more values none is told. */
  final val MostValues = 1000
  private final val MostCharacters = 100
  private val Ellipsis = UTF8String.fromString("...")

  /** The truths of a condition and its conjuncts. */
  final class OfCondition(
      symbol: Int,
      val conjuncts: Array[ShownConjunct],
      input: ConditionEvaluator
  ) {
    private val isLocal = conjuncts.map(_.isLocal)
    private val truths = conjuncts.map(c => if (c.isLocal) ConditionValue(c.truth) else null)
    private val compared = conjuncts.map { c =>
      c.compared.filter(_ => c.isLocal).map(value => ConditionValue(value.value)).orNull
    }
    val isPartlyLocal: Boolean = isLocal.contains(true)
    val isLocalWhole: Boolean = !isLocal.contains(false)

    /** If it is local as a whole. */
    val whole: Array[Long] = new Array(4)
    val parts: Array[Array[Long]] = conjuncts.map(_ => new Array[Long](5))

    /** By conjunct, the values that are not those compared with. */
    val values: Array[ValueCounts] =
      compared.map(value => if (value == null) null else new ValueCounts)

    def count(row: Long): Unit = {
      val read = input.rowRead(symbol, row, null)
      var truth = True
      var i = 0
      while (i < conjuncts.length) {
        if (isLocal(i)) {
          val found = truthOf(i, read)
          // As AND does: FALSE decides, and so does an error before it.
          val isDecided = truth == False || truth == Error
          parts(i)(if (isDecided && found == Error) Unreached else found) += 1
          if (!isDecided && found != True) truth = found
          if (found == False && values(i) != null && parts(i)(True) < Enough)
            textOf(i, read, values(i))
        }
        i += 1
      }
      if (isLocalWhole) whole(truth) += 1
    }

    private def truthOf(part: Int, row: InternalRow): Int =
      try {
        val truth = truths(part)(row)
        if (truth.isNullAt(0)) Null else if (truth.getBoolean(0)) True else False
      } catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => Error }

    private def textOf(part: Int, row: InternalRow, counts: ValueCounts): Unit =
      try {
        val value = compared(part)(row)
        if (!value.isNullAt(0)) counts.add(value.getUTF8String(0))
      } catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => () }
  }

  /** How often values occur, as long as they are few; long ones are cut. */
  final class ValueCounts {
    private val found = new java.util.HashMap[UTF8String, Array[Long]]
    private var isOver = false

    /** Whether there are too many values to be counted. */
    def isPartial: Boolean = isOver

    def counts: Map[String, Long] =
      if (isOver) Map.empty
      else found.asScala.map { case (value, count) => value.toString -> count(0) }.toMap

    def add(value: UTF8String): Unit = if (!isOver) {
      val isLong = value.numBytes > MostCharacters && value.numChars > MostCharacters
      val key =
        if (isLong) UTF8String.concat(value.substring(0, MostCharacters), Ellipsis) else value
      val known = found.get(key)
      if (known != null) known(0) += 1
      else {
        isOver = found.size == MostValues
        // A value may be a view of a row that is read again.
        if (isOver) found.clear() else found.put(key.clone(), Array(1L)): Unit
      }
    }
  }
}
