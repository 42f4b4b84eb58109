package io.matchrecognize.parser

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.MatchRecognizeException

/** Mistakes found while a clause is parsed, shown at their place in the user's text. */
private[parser] object SyntaxErrors {

  /** Spark's PARSE_SYNTAX_ERROR at a token. `hint` is a sentence of the error catalogue. */
  def unexpected(text: StatementText, token: Token, hint: String = ""): ParseException =
    spark(
      text,
      token,
      "PARSE_SYNTAX_ERROR",
      Map(
        "error" -> (if (token.getType == Token.EOF) "end of input" else s"'${token.getText}'"),
        "hint" -> (if (hint.isEmpty) "" else s": $hint")
      )
    )

  /** One of Spark's own conditions at a token. */
  def spark(
      text: StatementText,
      token: Token,
      condition: String,
      parameters: Map[String, String]
  ): ParseException = new ParseException(condition, parameters, text.context(token))

  def own(condition: String, parameters: Map[String, String], origin: Origin): Nothing =
    throw new MatchRecognizeException(condition, parameters, origin)

  def quoted(name: String): String = "`" + name.replace("`", "``") + "`"

  def unclosed(token: Token): String =
    s"it is opened at line ${token.getLine}, position ${token.getCharPositionInLine} and not closed"
}
