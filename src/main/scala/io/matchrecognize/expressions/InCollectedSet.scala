package io.matchrecognize.expressions

import java.util.HashSet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodegenContext,
  CodegenFallback,
  ExprCode,
  FalseLiteral,
  GenerateUnsafeProjection
}
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

  /** Its bytes are equal for equal values. */
  private def key: Expression =
    GroupingKey.normalize(BoundReference(0, elementType, nullable = false))

  @transient private lazy val set = new CollectedSet(values, elementType, key)
  @transient private lazy val toKey = UnsafeProjection.create(Seq(key))
  @transient private lazy val wrapped = new GenericInternalRow(1)

  override def left: Expression = values
  override def right: Expression = value
  override def nullable: Boolean = value.nullable
  override def prettyName: String = "in_collected_set"

  override def eval(input: InternalRow): Any = {
    val tested = value.eval(input)
    if (tested == null) null
    else {
      wrapped.update(0, tested)
      set.contains(toKey(wrapped))
    }
  }

  // The key is written to a row of the generated object, since objects share the set.
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val tested = value.genCode(ctx)
    val reference = ctx.addReferenceObj("collectedSet", set)
    val (row, variables) = (ctx.INPUT_ROW, ctx.currentVars)
    // What has no generated code of its own, as of arrays, reads a row.
    val needsRow = key.exists(_.isInstanceOf[CodegenFallback])
    val holder = if (needsRow) wrappedIn(ctx) else null
    ctx.INPUT_ROW = holder
    ctx.currentVars = if (needsRow) null else Seq(ExprCode(FalseLiteral, tested.value))
    val written =
      try GenerateUnsafeProjection.createCode(ctx, Seq(key))
      finally {
        ctx.INPUT_ROW = row
        ctx.currentVars = variables
      }
    val wrap = if (needsRow) s"$holder.update(0, ${tested.value});" else ""
    ev.copy(code = code"""
      |${tested.code}
      |boolean ${ev.isNull} = ${tested.isNull};
      |boolean ${ev.value} = false;
      |if (!${ev.isNull}) {
      |  $wrap
      |  ${written.code}
      |  ${ev.value} = $reference.contains(${written.value});
      |}
      |""".stripMargin)
  }

  /** A row of the generated object for the tested value. */
  private def wrappedIn(ctx: CodegenContext): String = {
    val row = classOf[GenericInternalRow].getName
    ctx.addMutableState(row, "testedRow", name => s"$name = new $row(1);")
  }

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): InCollectedSet = copy(values = newLeft, value = newRight)
}

/** The keys of the collected values, which do not change once they are there. */
final class CollectedSet(values: Expression, elementType: DataType, key: Expression)
    extends Serializable {

  @transient private lazy val keys: HashSet[UnsafeRow] = {
    val toKey = UnsafeProjection.create(Seq(key))
    val found = new HashSet[UnsafeRow]
    values
      .eval(null)
      .asInstanceOf[ArrayData]
      .foreach(elementType, (_, element) => found.add(toKey(InternalRow(element)).copy()): Unit)
    found
  }

  def contains(wanted: UnsafeRow): Boolean = keys.contains(wanted)
}
