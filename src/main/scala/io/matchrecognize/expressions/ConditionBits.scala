package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, CodegenFallback, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, Predicate, UnaryExpression}
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * Which of up to 64 conditions are TRUE, as the bits of a BIGINT; 0 for one that is FALSE or NULL.
 *
 * They are evaluated as [[ConditionValues]], in generated code of their own: the method of a whole
 * stage would become too long to be compiled.
 */
final case class ConditionBits(conditions: Seq[Expression])
    extends Expression
    with CodegenFallback {
  @transient private lazy val truths = ConditionValues(conditions)

  override def children: Seq[Expression] = conditions
  override def dataType: DataType = LongType
  override def nullable: Boolean = false
  // For the row of truths.
  override def stateful: Boolean = true

  override def eval(input: InternalRow): Any = {
    val row = truths(input)
    var bits = 0L
    var i = 0
    while (i < conditions.length) {
      if (!row.isNullAt(i) && row.getBoolean(i)) bits |= 1L << i
      i += 1
    }
    bits
  }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): ConditionBits = copy(conditions = newChildren)
}

/**
 * Whether a condition of [[ConditionBits]] is TRUE.
 *
 * @param child
 *   the bits
 * @param number
 *   of the condition among all, 64 of which have their bits in one number
 * @param written
 *   the condition as text
 */
final case class ConditionBit(child: Expression, number: Int, written: String)
    extends UnaryExpression
    with Predicate {
  override def nullIntolerant: Boolean = true
  override protected def nullSafeEval(bits: Any): Any =
    (bits.asInstanceOf[Long] >>> number & 1L) != 0
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, bits => s"($bits >>> $number & 1L) != 0")
  override def toString: String = written
  override def sql: String = written
  override protected def withNewChildInternal(newChild: Expression): ConditionBit =
    copy(child = newChild)
}
