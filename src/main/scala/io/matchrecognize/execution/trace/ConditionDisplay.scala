package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.condition.{ShownCondition, ShownConjunct}
import io.matchrecognize.execution.pointer.ExpressionFailure
import io.matchrecognize.execution.truth.ConditionEvaluator
import io.matchrecognize.matcher.Path

/**
 * Evaluates the parts of a condition that was tested.
 *
 * @param shown
 *   what is shown of a value in a condition
 */
private[trace] final class ConditionDisplay(
    conditions: Array[Option[ShownCondition]],
    input: ConditionEvaluator,
    shown: UTF8String => String = _.toString
) {
  import ConditionDisplay._

  /** @param path null if the condition is row-local */
  def test(symbol: Int, row: Long, path: Path): Test = conditions(symbol) match {
    case None => Always
    case Some(condition) =>
      val read = input.rowRead(symbol, row, path)
      val decided = decide(condition, read)
      val failed = if (truthIn(decided) == True) null else condition.conjuncts(partIn(decided))
      val reads = condition.conjuncts.flatMap(_.reads).distinctBy(_.name).flatMap { r =>
        valueOf(r.value, read).map(UTF8String.fromString(r.name) -> _)
      }
      Test(
        names(truthIn(decided)),
        if (failed == null) null else UTF8String.fromString(failed.text),
        if (failed == null) null else evaluated(failed, read),
        mapOf(reads)
      )
  }

  /**
   * The conjunct that decides a condition which is not TRUE, and its truth: for `partIn` and
   * `truthIn`.
   */
  def decided(symbol: Int, row: Long, path: Path): Int =
    decide(conditions(symbol).get, input.rowRead(symbol, row, path))

  /** As AND does: the first FALSE decides, and what is after it is not evaluated. */
  private def decide(condition: ShownCondition, row: InternalRow): Int = {
    val conjuncts = condition.conjuncts
    var truth = True
    var failed = 0
    var i = 0
    while (i < conjuncts.length && (truth == True || truth == Null)) {
      val found = truthOf(conjuncts(i).truth, row)
      if (found != True && (truth == True || found != Null)) {
        truth = found
        failed = i
      }
      i += 1
    }
    failed * names.length + truth
  }

  /** None if its evaluation fails. */
  private def valueOf(value: Expression, row: InternalRow): Option[UTF8String] =
    try Some(value.eval(row).asInstanceOf[UTF8String])
    catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => None }

  private def evaluated(conjunct: ShownConjunct, row: InternalRow): UTF8String = {
    val values = conjunct.reads.map(r => valueOf(r.value, row).map(literal(_, r.isString)))
    if (conjunct.pieces.isEmpty || values.exists(_.isEmpty)) null
    else UTF8String.fromString(conjunct.pieces.map(_.fold(identity, values(_).get)).mkString)
  }

  private def literal(value: UTF8String, isString: Boolean): String =
    if (value == null) "NULL" else if (isString) s"'${shown(value)}'" else shown(value)
}

private[trace] object ConditionDisplay {
  final val True = 0
  final val False = 1
  final val Null = 2
  final val Error = 3

  /** The truths as they are shown. */
  val names: Array[UTF8String] =
    Array("TRUE", "FALSE", "NULL", "ERROR").map(UTF8String.fromString)

  /** Truth of a condition or a part of it over the row that it was bound to. */
  private def truthOf(condition: Expression, row: InternalRow): Int =
    try
      condition.eval(row) match {
        case null => Null
        case true => True
        case _ => False
      }
    catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => Error }

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
