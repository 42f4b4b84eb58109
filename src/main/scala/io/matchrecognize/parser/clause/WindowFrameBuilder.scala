package io.matchrecognize.parser.clause

import java.util.Locale

import org.antlr.v4.runtime.ParserRuleContext
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import io.matchrecognize.parser.clause.ClauseGrammar._
import io.matchrecognize.parser.statement.{StatementText, SyntaxErrors}

/** Checks the frame of a row pattern window and reads its end. */
private[clause] final class WindowFrameBuilder(
    statement: StatementText,
    expressions: ClauseExpressions
) {

  /** How many rows follow the current row in the frame, None if all. */
  def end(parts: Seq[RowPatternPartContext]): Option[Expression] = parts.collectFirst {
    case frame: FrameContext =>
      check(frame, frame.frameBound(0))
      bound(frame.frameBound(1))
    case frame: ShortFrameContext =>
      check(frame, frame.frameBound)
      Some(Literal(0))
  }.flatten

  private def check(frame: RowPatternPartContext, start: FrameBoundContext): Unit = {
    val unit = frame.start.getText.toUpperCase(Locale.ROOT)
    if (unit != "ROWS") refuse("FRAME_UNIT", frame, "unit" -> unit)
    if (start.expression.tree != FrameKeyword("CURRENT"))
      refuse("FRAME_START", frame, "start" -> text(start))
  }

  private def bound(context: FrameBoundContext): Option[Expression] =
    (context.expression.tree, context.direction.getType) match {
      case (FrameKeyword("UNBOUNDED"), FOLLOWING) => None
      case (FrameKeyword("CURRENT"), _) => Some(Literal(0))
      case (_: SparkExpression, FOLLOWING) => Some(expressions.plain(context.expression))
      case _ => refuse("FRAME_END", context, "end" -> text(context))
    }

  private def text(bound: FrameBoundContext): String =
    statement.between(bound.start, bound.stop).toUpperCase(Locale.ROOT)

  private def refuse(condition: String, place: ParserRuleContext, words: (String, String)) =
    SyntaxErrors.own(statement.origin(place), s"INVALID_WINDOW.$condition", words)
}
