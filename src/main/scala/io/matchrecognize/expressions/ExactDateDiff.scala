package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression}
import org.apache.spark.sql.types.{DataType, IntegerType}

/** `DATEDIFF`, which wraps around; this one fails then. */
final case class ExactDateDiff(left: Expression, right: Expression) extends BinaryExpression {
  override def dataType: DataType = IntegerType

  override protected def nullSafeEval(end: Any, start: Any): Any =
    Math.subtractExact(end.asInstanceOf[Int], start.asInstanceOf[Int])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, (end, start) => s"java.lang.Math.subtractExact($end, $start)")

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): ExactDateDiff = copy(left = newLeft, right = newRight)
}
