package io.matchrecognize.execution.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateMutableProjection
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.expressions.ConditionShape.{AllOf, AnyOf}
import io.matchrecognize.expressions.{ConditionShape, Fallible}

/**
 * A MutableProjection that is interpreted until it has been used so often that generated code pays.
 * A clause may have hundreds of aggregates with a class of each; compiling them took longer than
 * searching some thousands of rows.
 *
 * @param compileAfter
 *   number of interpreted uses
 */
private[execution] final class LateCompiledProjection(
    expressions: Seq[Expression],
    compileAfter: Int
) {
  import LateCompiledProjection.InOrder

  private var uses = 0
  private var projection: MutableProjection =
    if (compileAfter > 0) InterpretedMutableProjection.createProjection(expressions) else compiled()

  private def compiled(): MutableProjection =
    if (expressions.exists(LateCompiledProjection.hides)) InOrder.createObject(expressions)
    else MutableProjection.create(expressions, Nil)

  /** Writes the values of the expressions on `input` to `target`, which may be part of it. */
  def apply(target: InternalRow, input: InternalRow): Unit = {
    if (uses < compileAfter) {
      uses += 1
      if (uses == compileAfter) projection = compiled()
    }
    projection.target(target)(input): Unit
  }
}

private[execution] object LateCompiledProjection {
  private final val InterpretedUses = 10000

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

  def apply(expressions: Seq[Expression]): LateCompiledProjection = {
    // What has a state of its own must stay the same object; CODEGEN_ONLY means what it says.
    val mode = SQLConf.get.getConf(SQLConf.CODEGEN_FACTORY_MODE).toString
    val atOnce = mode == CodegenObjectFactoryMode.CODEGEN_ONLY.toString ||
      expressions.exists(_.exists(e => !e.deterministic || e.stateful))
    new LateCompiledProjection(expressions, if (atOnce) 0 else InterpretedUses)
  }
}
