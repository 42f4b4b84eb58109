package io.matchrecognize.execution.trace

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.condition.ShownConjunct
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.execution.trace.ConditionDisplay._
import io.matchrecognize.execution.truth.ClauseInput
import io.matchrecognize.matcher.WorkMeter

/**
 * Counts the truths of conditions on every row of a task, as far as a row alone tells.
 *
 * @param conditions
 *   by symbol
 */
private[trace] final class ConditionCounts(
    conditions: Array[Array[ShownConjunct]],
    rows: Rows,
    input: ClauseInput
) {
  import ConditionCounts._

  private val work = new WorkMeter(rows.checkCancelled _)

  /** How many rows there are. */
  var all = 0L

  /** By symbol. */
  val ofConditions: Array[OfCondition] = conditions.map(new OfCondition(_))
  private val judged = conditions.indices.filter(conditions(_).exists(_.isLocal)).toArray

  def countPartition(): Unit = {
    var row = 0L
    while (row < rows.length) {
      var i = 0
      while (i < judged.length) {
        val symbol = judged(i)
        ofConditions(symbol).count(input.rowRead(symbol, row, null))
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
  final class OfCondition(val conjuncts: Array[ShownConjunct]) {
    val isLocalWhole: Boolean = conjuncts.forall(_.isLocal)

    /** If it is local as a whole. */
    val whole: Array[Long] = new Array(4)

    /** By conjunct. */
    val truths: Array[Array[Long]] = conjuncts.map(_ => new Array[Long](5))

    /** By conjunct, the values that are not those compared with. */
    val values: Array[ValueCounts] =
      conjuncts.map(c => if (c.isLocal && c.compared.isDefined) new ValueCounts else null)

    def count(row: InternalRow): Unit = {
      var truth = True
      var i = 0
      while (i < conjuncts.length) {
        if (conjuncts(i).isLocal) {
          val found = truthOf(conjuncts(i), row)
          truths(i)(if (isDecided(truth) && found == Error) Unreached else found) += 1
          if (!isDecided(truth) && found != True) truth = found
          if (found == False && values(i) != null && truths(i)(True) < Enough)
            conjuncts(i).compared.get._1.on(row) match {
              case text: UTF8String => values(i).add(text)
              case _ => ()
            }
        }
        i += 1
      }
      if (isLocalWhole) whole(truth) += 1
    }
  }

  /** How often values occur, as long as they are few; long ones are cut. */
  final class ValueCounts {
    private val found = new java.util.HashMap[UTF8String, Array[Long]]

    /** Whether there are too many values to be counted. */
    var isOver = false

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
