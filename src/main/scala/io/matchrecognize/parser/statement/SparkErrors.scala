package io.matchrecognize.parser.statement

import java.util.Locale

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.Token
import org.apache.spark.QueryContext
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.trees.{Origin, SQLQueryContext}

import io.matchrecognize.shims.ParseExceptions

/**
 * Relocates errors of Spark's parser from the text that it was given to the user's text: same
 * condition, same place.
 */
private[parser] object SparkErrors {

  def isLegacy(e: ParseException): Boolean =
    e.getCondition == null || e.getCondition.startsWith("_LEGACY_ERROR")

  /** An error in an expression of a clause. */
  def inClause(e: ParseException, statement: StatementText): ParseException =
    if (isLegacy(e)) SyntaxErrors.unexpected(statement, tokenAt(statement, e.start)) else e

  /**
   * An error in the statement around the clauses.
   *
   * @param index
   *   the place in the statement of a place in the text that Spark parsed
   */
  def around(e: ParseException, masked: MaskedText, index: Int => Int): ParseException =
    Option(e.getMessageParameters.get("error"))
      .flatMap(masked.shownIn)
      .map(misplaced(_, masked))
      .orElse(afterClause(e, masked))
      .getOrElse(rebuilt(e, masked, index))

  /** The error of a clause, window or measure where Spark's grammar has no place for it. */
  def misplaced(mask: Mask, masked: MaskedText): ParseException = {
    import masked.statement
    def before = statement.tokens(mask.first - 1)
    def notRead = RelationScanner.notRead(statement, mask.first)
    val hint =
      if (masked.measureMasks.contains(mask)) WindowScanner.MeasureCall
      else if (masked.windowMasks.contains(mask)) ""
      else if (!statement.isKeyword(mask.first - 1) || NoAlias(StatementText.word(before)))
        notRead
      else s"$notRead; ${keywordAlias(before)}"
    SyntaxErrors.unexpected(statement, statement.tokens(mask.word), hint)
  }

  /** The error of what follows a clause, if Spark's parser failed there. */
  private def afterClause(e: ParseException, masked: MaskedText): Option[ParseException] = {
    import masked.statement
    val token = tokenAt(statement, e.start)
    val at = statement.tokens.indexOf(token)
    val hint = token.getText.toUpperCase(Locale.ROOT) match {
      case _ if e.getCondition != "PARSE_SYNTAX_ERROR" || !masked.endsClause(at - 1) => ""
      case "TABLESAMPLE" =>
        "TABLESAMPLE precedes MATCH_RECOGNIZE, which then reads the sample; for a sample of the " +
          "matches write the clause in a subquery"
      case ")" => "no ( is open for it"
      case _ => if (statement.isKeyword(at)) keywordAlias(token) else ""
    }
    Option.when(hint.nonEmpty)(SyntaxErrors.unexpected(statement, token, hint))
  }

  private def keywordAlias(keyword: Token): String =
    s"if the keyword ${keyword.getText} is an alias here, write AS ${keyword.getText}"

  private val NoAlias =
    StatementText.words("FROM JOIN ON WHERE BY HAVING AND OR USING SELECT TABLE")

  private def rebuilt(e: ParseException, masked: MaskedText, index: Int => Int): ParseException = {
    val text = masked.statement.text
    val parameters = e.getMessageParameters.asScala.toMap.transform((_, v) => masked.restore(v))
    val contexts: Array[QueryContext] = e.getQueryContext.map {
      case c: SQLQueryContext =>
        c.copy(
          originStartIndex = c.originStartIndex.map(index),
          originStopIndex = c.originStopIndex.map(index.andThen(masked.stop)),
          sqlText = Some(text)
        )
      case other => other
    }
    val command = e.command.map(_ => text)
    if (e.getCondition == null) e.withCommand(text)
    else ParseExceptions.create(command, e.start, e.getCondition, parameters, contexts)
  }

  /** Whether Spark's parser failed at a token. */
  def isAt(token: Token, e: ParseException): Boolean =
    e.line.contains(token.getLine) && e.startPosition.contains(token.getCharPositionInLine)

  private def tokenAt(statement: StatementText, origin: Origin): Token =
    statement.tokens
      .find { t =>
        val line = origin.line.getOrElse(1)
        t.getLine > line || t.getLine == line &&
        t.getCharPositionInLine >= origin.startPosition.getOrElse(0)
      }
      .getOrElse(statement.tokens.last)
}
