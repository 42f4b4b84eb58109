package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.{Expression, Predicate, UnaryExpression}
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * Which of up to 64 conditions are TRUE, as the bits of a BIGINT; 0 for one that is FALSE or NULL.
 */
final case class ConditionBits(conditions: Seq[Expression]) extends Expression {
  override def children: Seq[Expression] = conditions
  override def dataType: DataType = LongType
  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any =
    conditions.indices.foldLeft(0L) { (bits, i) =>
      if (conditions(i).eval(input) == true) bits | 1L << i else bits
    }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val bits = ctx.freshName("bits")
    val tests = conditions.zipWithIndex.map { case (condition, i) =>
      val test = condition.genCode(ctx)
      s"${test.code}\nif (!${test.isNull} && ${test.value}) $bits |= ${1L << i}L;"
    }
    val parts = ctx.splitExpressionsWithCurrentInputs(
      tests,
      "conditionBits",
      Seq("long" -> bits),
      "long",
      body => s"$body\nreturn $bits;",
      _.map(call => s"$bits = $call;").mkString("\n")
    )
    ev.copy(
      code"long $bits = 0L;\n$parts\nlong ${ev.value} = $bits;",
      isNull = FalseLiteral
    )
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
