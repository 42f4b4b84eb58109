package io.matchrecognize.parser.clause

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.matchrecognize.expressions.{PatternFunctionCall, RunningOrFinal}
import io.matchrecognize.parser.statement.{StatementText, SyntaxErrors}

/**
 * RUNNING or FINAL, and the function call that it precedes.
 *
 * @param call
 *   the first token of the call
 */
private[clause] final case class RunningFinal(word: Token, call: Token, statement: StatementText) {
  private val close: Int = {
    val first = statement.tokens.indexWhere(_.getStartIndex == call.getStartIndex)
    val open = statement.tokens.indexWhere(_.getText == "(", first)
    statement.tokens(statement.partner.getOrElse(open, open)).getStopIndex
  }

  /** Puts the word over its call: the innermost node that begins there and holds its arguments. */
  def put(expression: Expression): Expression = {
    def covers(e: Expression): Boolean =
      e.origin.startIndex.contains(call.getStartIndex) && e.origin.stopIndex.exists(_ >= close)
    val candidates = expression.collect { case e if covers(e) => e }
    candidates.find(isCall).orElse(candidates.lastOption) match {
      case None => throw SyntaxErrors.unexpected(statement, word)
      case Some(found) =>
        val isFinal = word.getText.equalsIgnoreCase("FINAL")
        val origin = statement.origin(word, lastToken(found))
        var done = false
        expression.transformDown {
          case e if !done && (e eq found) =>
            done = true
            CurrentOrigin.withOrigin(origin)(RunningOrFinal(isFinal, found))
        }
    }
  }

  private def isCall(e: Expression): Boolean = e match {
    case _: UnresolvedFunction | _: PatternFunctionCall | _: AggregateExpression => true
    case _ => false
  }

  private def lastToken(e: Expression): Token = {
    val stop = e.origin.stopIndex.getOrElse(close)
    statement.tokens.find(_.getStopIndex >= stop).getOrElse(call)
  }
}
