package io.matchrecognize.parser.statement

import java.util.Locale

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.MatchRecognizeException
import io.matchrecognize.shims.ParseExceptions

/** Mistakes found while a clause is parsed, located in the user's text. */
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

  /** Spark's condition for a clause that a setting excludes, at a token. */
  def notEnabled(text: StatementText, token: Token, key: String, value: String): ParseException = {
    val setting = Map("configKey" -> s"\"$key\"", "configValue" -> s"\"$value\"")
    spark(text, token, "FEATURE_NOT_ENABLED", setting + ("featureName" -> "MATCH_RECOGNIZE"))
  }

  /** Runs the parsers and reports a stack overflow as Spark's error for too deep nesting. */
  def whileStackLasts[T](text: String)(body: => T): T =
    try body
    catch {
      case _: StackOverflowError =>
        throw ParseExceptions.create(Some(text), Origin(), TooComplex, Map.empty, Array())
    }

  /** Spark's condition for a text that is nested too deeply for its parser. */
  def tooComplex(text: StatementText, token: Token): ParseException =
    spark(text, token, TooComplex, Map.empty)

  private final val TooComplex = "FAILED_TO_PARSE_TOO_COMPLEX"

  /** A condition of our own, without its prefix. */
  def own(origin: Origin, condition: String, parameters: (String, String)*): Nothing =
    throw new MatchRecognizeException(s"MATCH_RECOGNIZE_$condition", parameters.toMap, origin)

  /** The name of a row pattern variable. */
  def variable(text: StatementText, token: Token): String = {
    refuseLiteral(text, token)
    StatementText.name(token)
  }

  /** NULL, TRUE and FALSE cannot qualify a column, so they cannot name a variable either. */
  def refuseLiteral(text: StatementText, token: Token): Unit = {
    val word = token.getText.toUpperCase(Locale.ROOT)
    val hint = s"$word is a literal; write `$word` for a variable of that name"
    if (Literals(word)) throw unexpected(text, token, hint)
  }

  private val Literals = Set("NULL", "TRUE", "FALSE")
}
