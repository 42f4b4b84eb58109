package io.matchrecognize.analysis.checks

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnaryMinus}
import org.apache.spark.sql.types.{ByteType, IntegerType, LongType, ShortType}

import io.matchrecognize.analysis.names.OuterConstants
import io.matchrecognize.analysis.typing.Constants
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.expressions.MatchNumber
import io.matchrecognize.plans.UnresolvedMatchRecognize

/** Checks what is particular to a row pattern window once its expressions are resolved. */
object WindowChecks {
  def check(node: UnresolvedMatchRecognize): Unit = {
    if (node.child.isStreaming) throw Errors.windowOnStream(node.positions.clause)
    node.expressionsByPart.foreach { case (_, expression) =>
      expression.foreach {
        case number: MatchNumber => throw Errors.windowFunctionOfMatch(number)
        case _ =>
      }
    }
  }

  /** The end of the frame as a literal. */
  def frameEnd(end: Expression): Literal =
    if (OuterConstants.isPlaceholder(end)) Literal(0L)
    else
      Constants.fold(end) match {
        case Some(Literal(rows: Number, ByteType | ShortType | IntegerType | LongType))
            if rows.longValue >= 0 =>
          Literal(rows.longValue)
        case _ =>
          val place = end match {
            case UnaryMinus(child, _) if end.origin.line.isEmpty => child.origin
            case other => other.origin
          }
          throw Errors.frameEnd(end, place)
      }
}
