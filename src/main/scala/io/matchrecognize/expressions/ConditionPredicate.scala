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
import org.apache.spark.sql.internal.SQLConf

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

/** The same for values of conditions: a projection to a row with a field for each. */
object ConditionValues
    extends CodeGeneratorWithInterpretedFallback[Seq[Expression], UnsafeProjection] {
  def apply(values: Seq[Expression]): UnsafeProjection = createObject(values)

  override protected def createCodeGeneratedObject(in: Seq[Expression]): UnsafeProjection =
    GenerateUnsafeProjection.generate(in, subexpressionEliminationEnabled = false)

  override protected def createInterpretedObject(in: Seq[Expression]): UnsafeProjection = {
    val conf = new SQLConf
    conf.setConf(SQLConf.SUBEXPRESSION_ELIMINATION_ENABLED, false)
    SQLConf.withExistingConf(conf)(InterpretedUnsafeProjection.createProjection(in))
  }
}
