package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.{CodegenObjectFactoryMode, Expression}
import org.apache.spark.sql.internal.SQLConf

/**
 * What evaluates expressions, interpreted until it has been used so often that generated code pays.
 * A task may have hundreds of aggregates or patterns, each with a class of its own; to compile them
 * took longer than to search some thousands of rows.
 *
 * @param compileAfter
 *   number of interpreted uses
 */
private[matchrecognize] final class LateCompiled[A](
    compileAfter: Int,
    interpreted: => A,
    compiled: => A
) {
  private var uses = 0
  private var current = if (compileAfter > 0) interpreted else compiled

  /** What evaluates them the next time. */
  def get(): A = {
    if (uses < compileAfter) {
      uses += 1
      if (uses == compileAfter) current = compiled
    }
    current
  }
}

private[matchrecognize] object LateCompiled {

  /**
   * @param uses
   *   after how many of them generated code pays
   */
  def apply[A](expressions: Seq[Expression], uses: Int)(
      interpreted: => A
  )(compiled: => A): LateCompiled[A] = {
    // What has a state of its own must stay the same object; CODEGEN_ONLY means what it says.
    val mode = SQLConf.get.getConf(SQLConf.CODEGEN_FACTORY_MODE).toString
    val atOnce = mode == CodegenObjectFactoryMode.CODEGEN_ONLY.toString ||
      expressions.exists(_.exists(e => !e.deterministic || e.stateful))
    new LateCompiled(if (atOnce) 0 else uses, interpreted, compiled)
  }
}
