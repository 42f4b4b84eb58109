package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.{EvalMode, Expression}

/** Where an expression keeps its mode differs between Spark minors. */
private[compile] object EvalModes {
  def isAnsi(e: Expression): Boolean = e.productIterator.exists {
    case mode: EvalMode.Value => mode == EvalMode.ANSI
    case context: Product => context.productIterator.contains(EvalMode.ANSI)
    case _ => false
  }
}
