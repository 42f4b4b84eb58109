package io.matchrecognize.analysis.warnings

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  BinaryExpression,
  Expression,
  UnaryExpression
}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types.{ArrayType, DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.errors.{EvaluationErrors, UserText}

/**
 * A check of the rows of a clause, in two steps of aggregation.
 *
 * @param inPartition
 *   aggregates over the rows of a partition, see [[ClauseRows]]
 * @param overall
 *   aggregates of those over the partitions
 * @param sentences
 *   what the values of `overall` mean to the user; it runs in a task
 */
private[warnings] final case class DataCheck(
    inPartition: Seq[Alias],
    overall: Seq[Alias],
    sentences: Facts => Seq[String]
)

/** The values of `overall` of a check, in its order. */
private[warnings] final class Facts(values: Seq[Any]) {

  /** Zero for NULL, the sum over no partition. */
  def count(i: Int): Long = if (isNull(i)) 0 else values(i).asInstanceOf[Number].longValue

  def isNull(i: Int): Boolean = values(i) == null
  def double(i: Int): Double = values(i).asInstanceOf[Number].doubleValue
  def boolean(i: Int): Boolean = values(i) == true

  /** At most 100 characters of a text. */
  def text(i: Int): String = UserText.cut(values(i))

  /** A struct of texts and numbers. */
  def struct(i: Int, types: DataType*): Facts = {
    val row = values(i).asInstanceOf[InternalRow]
    new Facts(types.zipWithIndex.map { case (dataType, at) => row.get(at, dataType) })
  }

  /** An array of texts. */
  def texts(i: Int): Seq[String] = {
    val array = values(i).asInstanceOf[ArrayData]
    (0 until array.numElements()).map { at =>
      UserText.cut(if (array.isNullAt(at)) null else array.getUTF8String(at))
    }
  }
}

/**
 * The sentences of all checks, an array of strings.
 *
 * @param checks
 *   the number of children of each check, and its sentences
 */
private[warnings] final case class WarningTexts(
    children: Seq[Expression],
    checks: Seq[(Int, Facts => Seq[String])]
) extends Expression
    with CodegenFallback {
  override def dataType: DataType = ArrayType(StringType, containsNull = false)
  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = {
    val values = children.map(_.eval(input)).toIndexedSeq
    val starts = checks.scanLeft(0)(_ + _._1)
    val told = checks.zip(starts).flatMap { case ((count, sentences), start) =>
      sentences(new Facts(values.slice(start, start + count)))
    }
    new GenericArrayData(told.distinct.map(UTF8String.fromString).toArray[Any])
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): WarningTexts =
    copy(children = newChildren)
}

private[warnings] object WarningTexts {
  def of(checks: Seq[DataCheck]): WarningTexts = WarningTexts(
    checks.flatMap(_.overall.map(_.toAttribute)),
    checks.map(check => check.overall.length -> check.sentences)
  )
}

/**
 * The value of an expression, NULL where its evaluation fails.
 *
 * Spark's `TryEval` does not suffice: a part that two of them have in common is evaluated before
 * both, outside of them. The parts of an expression that generates no code are not shared.
 */
private[warnings] final case class Tried(child: Expression)
    extends UnaryExpression
    with CodegenFallback {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = true

  override def eval(input: InternalRow): Any =
    try child.eval(input)
    catch { case e: Throwable if EvaluationErrors.isOfExpression(e) => null }

  override protected def withNewChildInternal(newChild: Expression): Tried =
    copy(child = newChild)
}

/**
 * `value`, or NULL once `condition` was TRUE: for what is told only if it is TRUE for no row. Each
 * task begins anew.
 */
private[warnings] final case class UntilTrue(condition: Expression, value: Expression)
    extends BinaryExpression
    with CodegenFallback {
  @transient private var wasTrue = false

  override def left: Expression = condition
  override def right: Expression = value
  override def dataType: DataType = value.dataType
  override def nullable: Boolean = true

  override def eval(input: InternalRow): Any = {
    if (!wasTrue) wasTrue = condition.eval(input) == true
    if (wasTrue) null else value.eval(input)
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): UntilTrue =
    copy(condition = newLeft, value = newRight)
}
