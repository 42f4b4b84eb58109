package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}

/**
 * `<` or `<=` of floating-point numbers as Spark orders them, NaN last and equal to itself. Spark's
 * code branches on the numbers; where they rise and fall at random, as prices do, the processor
 * guesses half of these branches wrong. This one does not branch.
 */
final case class FloatingComparison(left: Expression, right: Expression, orEqual: Boolean)
    extends BinaryExpression
    with Predicate {

  override protected def nullSafeEval(x: Any, y: Any): Any = {
    def literal(value: Any) = Literal(value, left.dataType)
    val (smaller, larger) = (literal(x), literal(y))
    (if (orEqual) LessThanOrEqual(smaller, larger) else LessThan(smaller, larger)).eval()
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(
      ctx,
      ev,
      (x, y) =>
        if (orEqual) s"($x <= $y) | ($y != $y)" else s"($x < $y) | (($y != $y) & ($x == $x))"
    )

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): Expression = copy(left = newLeft, right = newRight)
}

object FloatingComparison {

  /** The expression with all comparisons of floating-point numbers in this form. */
  def in(expression: Expression): Expression = expression.transformUp {
    case ConditionShape(ConditionShape.Ordered(x, y, orEqual)) if Floating(x.dataType) =>
      FloatingComparison(x, y, orEqual)
  }
}
