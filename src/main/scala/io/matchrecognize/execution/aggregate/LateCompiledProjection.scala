package io.matchrecognize.execution.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateMutableProjection

import io.matchrecognize.expressions.ConditionShape.{AllOf, AnyOf}
import io.matchrecognize.expressions.{ConditionShape, Fallible, LateCompiled}

/**
 * A MutableProjection that is [[LateCompiled]].
 *
 * @param compileAfter
 *   number of interpreted uses
 */
private[execution] final class LateCompiledProjection(
    expressions: Seq[Expression],
    compileAfter: Int = 10000
) {
  import LateCompiledProjection.{InOrder, hides}

  private val projection = LateCompiled[MutableProjection](expressions, compileAfter) {
    InterpretedMutableProjection.createProjection(expressions)
  } {
    if (expressions.exists(hides)) InOrder.createObject(expressions)
    else MutableProjection.create(expressions, Nil)
  }

  /** Writes the values of the expressions on `input` to `target`, which may be part of it. */
  def apply(target: InternalRow, input: InternalRow): Unit =
    projection.get().target(target)(input): Unit
}

private[execution] object LateCompiledProjection {

  /** Whether a part may fail that an earlier one hides, unless common parts are evaluated first. */
  private def hides(e: Expression): Boolean = e.exists {
    case part @ ConditionShape(_: AllOf | _: AnyOf) => Fallible(part)
    case _ => false
  }

  /** Spark's projection without the elimination of common subexpressions. */
  private object InOrder
      extends CodeGeneratorWithInterpretedFallback[Seq[Expression], MutableProjection] {
    override protected def createCodeGeneratedObject(in: Seq[Expression]): MutableProjection =
      GenerateMutableProjection.generate(in, useSubexprElimination = false)

    override protected def createInterpretedObject(in: Seq[Expression]): MutableProjection =
      InterpretedMutableProjection.createProjection(in)
  }
}
