package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.{ScalarSubquery => _, _}
import org.apache.spark.sql.execution.ScalarSubquery
import org.apache.spark.sql.types.{DoubleType, FloatType, StringType}

/**
 * Whether the evaluation of an expression may raise an error (ANSI mode's overflow, a bad cast, a
 * function's own). Only common expressions that certainly cannot are recognised.
 */
object Fallible {
  def apply(e: Expression): Boolean = !cannotFail(e) || e.children.exists(apply)

  private def cannotFail(e: Expression): Boolean = e match {
    case _: BoundReference | _: Attribute | _: Navigation | _: Literal | _: ConditionBit => true
    case _: BinaryComparison | _: And | _: Or | _: Not => true
    case _: IsNull | _: IsNotNull | _: IsNaN | _: In | _: InSet | _: Coalesce => true
    case _: If | _: CaseWhen | _: StartsWith | _: EndsWith | _: Contains => true
    case _: Length | _: Upper | _: Lower => true
    // IN (SELECT ...): its subquery has run before the first row is tested.
    case _: InCollectedSet | _: GetStructField | _: ScalarSubquery => true
    case _: BitwiseAnd | _: BitwiseOr | _: BitwiseXor | _: BitwiseNot => true
    case a: BinaryArithmetic =>
      (a.isInstanceOf[Add] || a.isInstanceOf[Subtract] || a.isInstanceOf[Multiply]) &&
      isFloating(a)
    case m: UnaryMinus => isFloating(m)
    case a: Abs => isFloating(a)
    case c: Cast => c.dataType != StringType && Cast.canUpCast(c.child.dataType, c.dataType)
    case _ => false
  }

  private def isFloating(e: Expression): Boolean =
    e.dataType == DoubleType || e.dataType == FloatType
}
