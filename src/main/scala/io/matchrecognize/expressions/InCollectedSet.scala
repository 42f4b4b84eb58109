package io.matchrecognize.expressions

import java.util.HashSet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, DataType}

/**
 * Whether a value is among those that a subquery has collected; NULL for NULL. Each task hashes the
 * values once, since a search tests rows many times.
 *
 * @param values
 *   an array without NULLs, of the type of `value`; independent of the row
 */
final case class InCollectedSet(values: Expression, value: Expression)
    extends BinaryExpression
    with Predicate {

  private def elementType: DataType = values.dataType.asInstanceOf[ArrayType].elementType
  @transient private lazy val toKey: UnsafeProjection =
    UnsafeProjection.create(
      Seq(GroupingKey.normalize(BoundReference(0, elementType, nullable = false)))
    )
  @transient private lazy val wrapped = new GenericInternalRow(1)
  @transient private lazy val set: HashSet[UnsafeRow] = {
    val elements = values.eval(null).asInstanceOf[ArrayData]
    val keys = new HashSet[UnsafeRow]
    elements.foreach(elementType, (_, element) => keys.add(key(element).copy()): Unit)
    keys
  }

  private def key(value: Any): UnsafeRow = {
    wrapped.update(0, value)
    toKey(wrapped)
  }

  override def left: Expression = values
  override def right: Expression = value
  override def nullable: Boolean = value.nullable
  override def prettyName: String = "in_collected_set"

  /** For generated code: `value` is not NULL. */
  def contains(value: Any): Boolean = set.contains(key(value))

  override def eval(input: InternalRow): Any = {
    val tested = value.eval(input)
    if (tested == null) null else contains(tested)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val tested = value.genCode(ctx)
    val set = ctx.addReferenceObj("collectedSet", this)
    ev.copy(code = code"""
      |${tested.code}
      |boolean ${ev.isNull} = ${tested.isNull};
      |boolean ${ev.value} = !${ev.isNull} && $set.contains(${tested.value});
      |""".stripMargin)
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): InCollectedSet = copy(values = newLeft, value = newRight)
}
