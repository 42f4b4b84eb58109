package io.matchrecognize.parser.statement

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

import io.matchrecognize.errors.MatchRecognizeErrors
import io.matchrecognize.plans.QuantifierBounds
import io.matchrecognize.shims.{ParameterText, StatementParameters}

/**
 * A statement whose text Spark stores, such as a view: the text outlives the values of parameter
 * markers, so the values are substituted, as Spark does in the minors that replace markers
 * themselves.
 *
 * @param positions
 *   indexes of the positional markers in their order
 */
private[parser] final class ViewText(
    statement: StatementText,
    parameters: StatementParameters,
    positions: Seq[Int]
) {
  private val tokens = statement.tokens
  private val byPosition = positions.zip(parameters.positional).toMap

  /** First and last index of the markers, with their values. */
  private val replaced: Seq[(Int, Int, Expression)] = tokens.indices.flatMap { i =>
    val start = tokens(i).getStartIndex
    if (byPosition.contains(start)) Some((start, start, byPosition(start)))
    else if (isNamed(i))
      parameters.named
        .get(StatementText.name(tokens(i + 1)))
        .map((start, tokens(i + 1).getStopIndex, _))
    else None
  }

  val text: String = {
    val result = new StringBuilder
    val end = replaced.foldLeft(0) { case (from, (start, stop, value)) =>
      // Blanks, because an operator may precede or follow.
      val text = quantifier(start, stop).fold(
        if (mayBeKey(start, stop)) s"(${ParameterText.of(value)})" else ParameterText.of(value)
      )(bound(_, start, stop, value))
      result.append(statement.text.substring(from, start)).append(' ').append(text).append(' ')
      stop + 1
    }
    result.append(statement.text.substring(end)).toString
  }

  /** The quantifier of PATTERN that has its bound at a place: only it has braces. */
  private def quantifier(start: Int, stop: Int): Option[(Token, Token)] = {
    val before = tokens.lastIndexWhere(_.getStopIndex < start)
    val after = tokens.indexWhere(_.getStartIndex > stop)
    val isBound = before >= 0 && after >= 0 &&
      (tokens(before).getText == "{" || tokens(after).getText == "}")
    Option.when(isBound) {
      val open = tokens.lastIndexWhere(_.getText == "{", before)
      (tokens(open), tokens(tokens.indexWhere(_.getText == "}", after)))
    }
  }

  /**
   * Whether a place may be a whole key of a clause: its value is written in parentheses, because a
   * string or an integer without them is refused as the name or the position of a column.
   */
  private def mayBeKey(start: Int, stop: Int): Boolean = {
    val before = tokens.lastIndexWhere(_.getStopIndex < start)
    val open = (before to 0 by -1)
      .find { i =>
        tokens(i).getType == SqlBaseLexer.LEFT_PAREN &&
        statement.partner.get(i).exists(_ > before)
      }
      .getOrElse(0)
    open > 0 && StatementText.isWord(tokens(open - 1), "MATCH_RECOGNIZE") &&
    (tokens(before).getType == SqlBaseLexer.COMMA || StatementText.isWord(tokens(before), "BY")) &&
    // Strings in a row are one.
    !tokens.find(_.getStartIndex > stop).exists(StatementText.isString)
  }

  /** The value as PATTERN takes it, without the suffix of a BIGINT. */
  private def bound(
      quantifier: (Token, Token),
      start: Int,
      stop: Int,
      value: Expression
  ): String = {
    val literal = Option(value).collect { case literal: Literal => literal }
    literal.flatMap(QuantifierBounds.integer).map(_.toString).getOrElse {
      throw MatchRecognizeErrors.quantifierValue(
        statement.slice(start, stop),
        statement.between(quantifier._1, quantifier._2),
        literal,
        statement.origin(statement.tokenAt(start), tokens.findLast(_.getStartIndex <= stop).get)
      )
    }
  }

  /** `:name`, but not the path of `column:name`. */
  private def isNamed(i: Int): Boolean = tokens(i).getType == SqlBaseLexer.COLON &&
    tokens.isDefinedAt(i + 1) && StatementText.isName(tokens(i + 1)) &&
    (i == 0 || !endsOperand(tokens(i - 1)) ||
      tokens(i - 1).getStopIndex + 1 < tokens(i).getStartIndex)

  private def endsOperand(token: Token): Boolean =
    StatementText.isName(token) || token.getType == SqlBaseLexer.RIGHT_PAREN ||
      token.getType == SqlBaseLexer.RIGHT_BRACKET
}

private[parser] object ViewText {

  /**
   * Whether Spark stores texts of a statement, which may be inside a script or EXPLAIN: then a word
   * that creates something precedes what is created. In a handler anything may precede that word.
   */
  def isKept(statement: StatementText): Boolean = {
    val words = statement.tokens.map(StatementText.word)
    words.indices.exists { i =>
      Keeping(words(i)) && words.lift(i + 1).exists(Kept)
    } || words.containsSlice(Seq("CURSOR", "FOR"))
  }

  private val Keeping = Set("CREATE", "ALTER", "CACHE")

  private val Kept = StatementText.words(
    "OR VIEW TEMPORARY TEMP GLOBAL TABLE LAZY FUNCTION MATERIALIZED STREAMING FLOW METRIC EXTERNAL"
  )
}
