package io.matchrecognize.analysis.window

import org.apache.spark.sql.catalyst.expressions.{Expression, WindowExpression}

import io.matchrecognize.plans.{RowPatternWindow, WindowMeasure}

/** Calls over a [[RowPatternWindow]] in the expressions of a query. */
private[window] object WindowCalls {
  def hasCall(e: Expression): Boolean = e.exists {
    case RowPatternWindow.Call(_, _, _) => true
    case _ => false
  }

  def isFunctionReady(call: WindowExpression): Boolean = call.windowFunction match {
    case _: WindowMeasure => true
    case function => function.resolved
  }
}
