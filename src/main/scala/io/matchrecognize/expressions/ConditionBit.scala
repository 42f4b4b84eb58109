package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, Predicate, UnaryExpression}

/**
 * Whether a condition was TRUE on a row, where it was tested below the operator: a bit of `child`,
 * an INT.
 *
 * @param text
 *   the condition, which plans show
 */
final case class ConditionBit(child: Expression, bit: Int, text: String)
    extends UnaryExpression
    with Predicate {
  private def mask: Int = 1 << bit

  override protected def nullSafeEval(bits: Any): Any = (bits.asInstanceOf[Int] & mask) != 0

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, bits => s"($bits & $mask) != 0")

  // The text has ids of columns, which differ between equal plans.
  override lazy val canonicalized: Expression = copy(child = child.canonicalized, text = "")

  override def toString: String = text
  override def sql: String = text

  override protected def withNewChildInternal(newChild: Expression): ConditionBit =
    copy(child = newChild)
}
