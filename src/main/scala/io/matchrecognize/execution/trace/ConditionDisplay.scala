package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.condition.{ShownCondition, ShownConjunct}
import io.matchrecognize.execution.pointer.ExpressionFailure
import io.matchrecognize.execution.truth.ConditionEvaluator
import io.matchrecognize.matcher.Path

/** Evaluates the parts of a condition that was tested. */
private final class ConditionDisplay(
    conditions: Array[Option[ShownCondition]],
    input: ConditionEvaluator
) {
  import ConditionDisplay._

  /** @param path null if the condition is row-local */
  def test(symbol: Int, row: Long, path: Path): Test = conditions(symbol) match {
    case None => Always
    case Some(condition) =>
      val read = input.rowRead(symbol, row, path)
      var truth = True
      var failed: ShownConjunct = null
      // As AND does: the first FALSE decides, and what is after it is not evaluated.
      val rest = condition.conjuncts.iterator
      while (rest.hasNext && (truth == True || truth == Null)) {
        val conjunct = rest.next()
        val found = truthOf(conjunct.truth, read)
        if (found != True && (truth == True || found != Null)) {
          truth = found
          failed = conjunct
        }
      }
      val reads = condition.conjuncts.flatMap(_.reads).distinctBy(_.name).flatMap { r =>
        valueOf(r.value, read).map(UTF8String.fromString(r.name) -> _)
      }
      Test(
        truth,
        if (failed == null) null else UTF8String.fromString(failed.text),
        if (failed == null) null else evaluated(failed, read),
        mapOf(reads)
      )
  }

  private def truthOf(condition: Expression, row: InternalRow): UTF8String =
    try
      condition.eval(row) match {
        case null => Null
        case true => True
        case _ => False
      }
    catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => Error }

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
    if (value == null) "NULL" else if (isString) s"'$value'" else value.toString
}

private object ConditionDisplay {
  private val True = UTF8String.fromString("TRUE")
  private val False = UTF8String.fromString("FALSE")
  private val Null = UTF8String.fromString("NULL")
  private val Error = UTF8String.fromString("ERROR")

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
  val Always: Test = Test(True, null, null, mapOf(Nil))

  /** The first of equal names. */
  def mapOf(entries: Seq[(Any, Any)]): ArrayBasedMapData = {
    val (names, values) = entries.distinctBy(_._1).unzip
    new ArrayBasedMapData(new GenericArrayData(names.toArray), new GenericArrayData(values.toArray))
  }
}
