package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.condition.ShownConjunct
import io.matchrecognize.execution.condition.ShownValue.Failed
import io.matchrecognize.execution.truth.ClauseInput
import io.matchrecognize.matcher.Path

/**
 * Evaluates the parts of a condition that was tested.
 *
 * @param conditions
 *   by symbol
 * @param shown
 *   what is shown of a value in a condition
 */
private[trace] final class ConditionDisplay(
    conditions: Array[Array[ShownConjunct]],
    input: ClauseInput,
    shown: UTF8String => String = _.toString
) {
  import ConditionDisplay._

  /** @param path null if the condition is row-local */
  def test(symbol: Int, row: Long, path: Path): Test =
    if (conditions(symbol).isEmpty) Always
    else {
      val read = input.rowRead(symbol, row, path)
      val decided = decide(conditions(symbol), read)
      val failed = if (truthIn(decided) == True) null else conditions(symbol)(partIn(decided))
      val reads = conditions(symbol).toSeq.flatMap(_.reads).map { value =>
        UTF8String.fromString(value.text) -> InternalRow.copyValue(value.on(read))
      }
      Test(
        names(truthIn(decided)),
        if (failed == null) null else UTF8String.fromString(failed.text),
        if (failed == null) null else evaluated(failed, read),
        mapOf(reads.filter(_._2 != Failed))
      )
    }

  /**
   * The conjunct that decides a condition which is not TRUE, and its truth: for `partIn` and
   * `truthIn`.
   */
  def decided(symbol: Int, row: Long, path: Path): Int =
    decide(conditions(symbol), input.rowRead(symbol, row, path))

  /** As AND does: the first FALSE decides, and what is after it is not evaluated. */
  private def decide(conjuncts: Array[ShownConjunct], row: InternalRow): Int = {
    var truth = True
    var failed = 0
    var i = 0
    while (i < conjuncts.length && !isDecided(truth)) {
      val found = truthOf(conjuncts(i), row)
      if (found != True && (truth == True || found != Null)) {
        truth = found
        failed = i
      }
      i += 1
    }
    failed * names.length + truth
  }

  private def evaluated(conjunct: ShownConjunct, row: InternalRow): UTF8String = {
    val values = conjunct.reads.map { value =>
      value.on(row) match {
        case text: UTF8String => if (value.isString) s"'${shown(text)}'" else shown(text)
        case Failed => null
        case _ => "NULL"
      }
    }
    if (conjunct.pieces.isEmpty || values.contains(null)) null
    else UTF8String.fromString(conjunct.pieces.map(_.fold(identity, values)).mkString)
  }
}

private[trace] object ConditionDisplay {
  final val True = 0
  final val False = 1
  final val Null = 2
  final val Error = 3

  /** The truths as they are shown. */
  val names: Array[UTF8String] =
    Array("TRUE", "FALSE", "NULL", "ERROR").map(UTF8String.fromString)

  /** Over the row that the condition reads. */
  def truthOf(conjunct: ShownConjunct, row: InternalRow): Int = conjunct.truth.on(row) match {
    case true => True
    case null => Null
    case Failed => Error
    case _ => False
  }

  /** Whether AND evaluates no further part. */
  def isDecided(truth: Int): Boolean = truth == False || truth == Error

  def partIn(decided: Int): Int = decided / names.length

  def truthIn(decided: Int): Int = decided % names.length

  /**
   * @param truth
   *   TRUE, FALSE, NULL, or ERROR if the evaluation fails
   * @param condition
   *   the conjunct that is not TRUE
   * @param evaluated
   *   the same with the values in it
   */
  final case class Test(
      truth: UTF8String,
      condition: UTF8String,
      evaluated: UTF8String,
      reads: ArrayBasedMapData
  )

  val Untested: Test = Test(null, null, null, null)

  /** The variable has no condition. */
  val Always: Test = Test(names(True), null, null, mapOf(Nil))

  /** The first of equal names. */
  def mapOf(entries: Seq[(Any, Any)]): ArrayBasedMapData = {
    val (names, values) = entries.distinctBy(_._1).unzip
    new ArrayBasedMapData(new GenericArrayData(names.toArray), new GenericArrayData(values.toArray))
  }
}
