package io.matchrecognize.execution.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  CodegenObjectFactoryMode,
  Expression,
  InterpretedMutableProjection,
  MutableProjection
}
import org.apache.spark.sql.internal.SQLConf

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
  private var uses = 0
  private var projection: MutableProjection =
    if (compileAfter > 0) InterpretedMutableProjection.createProjection(expressions) else compiled()

  private def compiled(): MutableProjection = MutableProjection.create(expressions, Nil)

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

  def apply(expressions: Seq[Expression]): LateCompiledProjection = {
    // What has a state of its own must stay the same object; CODEGEN_ONLY means what it says.
    val mode = SQLConf.get.getConf(SQLConf.CODEGEN_FACTORY_MODE).toString
    val atOnce = mode == CodegenObjectFactoryMode.CODEGEN_ONLY.toString ||
      expressions.exists(_.exists(e => !e.deterministic || e.stateful))
    new LateCompiledProjection(expressions, if (atOnce) 0 else InterpretedUses)
  }
}
