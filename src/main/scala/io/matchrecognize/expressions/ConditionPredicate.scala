package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{
  GeneratePredicate,
  GenerateUnsafeProjection
}
import org.apache.spark.sql.catalyst.expressions.{
  BasePredicate,
  CodeGeneratorWithInterpretedFallback,
  Expression,
  InterpretedUnsafeProjection,
  UnsafeProjection
}

/**
 * Spark's predicates without the elimination of common subexpressions, which
 *
 *   - evaluates an expression that occurs twice before all else: in `x <> 0 AND 10 / x BETWEEN 1
 *     AND 5` that would fail although an earlier part is FALSE;
 *   - takes floating-point sums that differ in the order of addition for the same.
 */
object ConditionPredicate extends CodeGeneratorWithInterpretedFallback[Expression, BasePredicate] {

  private final val InterpretedUses = 1000

  /** A predicate of a condition without functions that depend on the partition's number. */
  def apply(condition: Expression): BasePredicate = {
    val predicate =
      LateCompiled(Seq(condition), InterpretedUses)(createInterpretedObject(condition)) {
        createObject(condition)
      }
    new BasePredicate {
      override def eval(row: InternalRow): Boolean = predicate.get().eval(row)
    }
  }

  override protected def createCodeGeneratedObject(in: Expression): BasePredicate =
    GeneratePredicate.generate(in, useSubexprElimination = false)

  override protected def createInterpretedObject(in: Expression): BasePredicate =
    new Interpreted(in.freshCopyIfContainsStatefulExpression())

  private final class Interpreted(condition: Expression) extends BasePredicate {
    override def eval(row: InternalRow): Boolean = condition.eval(row) match {
      case isTrue: Boolean => isTrue
      case _ => false
    }
  }
}

/** The same for a value of a condition: a projection to a row of one field. */
object ConditionValue extends CodeGeneratorWithInterpretedFallback[Expression, UnsafeProjection] {
  def apply(value: Expression): UnsafeProjection = createObject(value)

  override protected def createCodeGeneratedObject(in: Expression): UnsafeProjection =
    GenerateUnsafeProjection.generate(Seq(in), subexpressionEliminationEnabled = false)

  override protected def createInterpretedObject(in: Expression): UnsafeProjection =
    InterpretedUnsafeProjection.createProjection(Seq(in))
}
