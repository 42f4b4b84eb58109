package io.matchrecognize.parser.clause

import org.antlr.v4.runtime.{CommonToken, Token}
import org.apache.spark.sql.catalyst.parser.ParseException

import io.matchrecognize.parser.statement._

/**
 * Puts the values of parameter markers into expressions. Like Spark, it parses twice: first with
 * the markers, to find them, and then with the values.
 */
private[clause] final class ValuedExpressions(
    statement: StatementText,
    parameters: ParameterValues
) {

  def valued(read: SparkExpression): SparkExpression =
    parameters.written(read.tree, read.parser.tokens) match {
      case None => read
      case Some(tokens) =>
        val end = new CommonToken(tokens.last)
        end.setType(Token.EOF)
        val parser = TokenParser(tokens :+ end)
        val tree =
          try parser.read(statement.text)(_.expression())
          catch { case e: ParseException => throw explained(e, read, tokens) }
        tokens
          .drop(tree.stop.getTokenIndex + 1)
          .find(_.getChannel == Token.DEFAULT_CHANNEL)
          .foreach(token => throw unexpected(token, read))
        read.copy(tree = tree, parser = parser)
    }

  private def explained(
      e: ParseException,
      read: SparkExpression,
      tokens: Seq[CommonToken]
  ): ParseException = {
    def isAt(token: Token) = e.start.line.contains(token.getLine) &&
      e.start.startPosition.contains(token.getCharPositionInLine) &&
      e.getMessageParameters.get("error") == s"'${token.getText}'"
    if (e.getCondition != "PARSE_SYNTAX_ERROR") e
    else tokens.find(isAt).map(unexpected(_, read)).getOrElse(e)
  }

  /** The message names the value, which the statement does not show. */
  private def unexpected(token: Token, read: SparkExpression): ParseException = {
    val marker = parameters.markerAt(read.tree, token).map(_.text(statement))
    val hint = marker.map(text => s"$text has this value, and the literal cannot be written here")
    SyntaxErrors.unexpected(statement, token, hint.getOrElse(""))
  }
}
