package io.matchrecognize.parser.statement

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

import io.matchrecognize.shims.ParameterText

/**
 * A statement whose text Spark stores, such as a view: the text outlives the values of parameter
 * markers, so the values are substituted, as Spark does in the minors that replace markers
 * themselves.
 */
private[parser] final class ViewText(statement: StatementText, values: ParameterValues) {
  private val tokens = statement.tokens

  /** First and last token of the markers, with their values. */
  private val replaced: Seq[(Int, Int, Expression)] = tokens.indices.flatMap { i =>
    val last = if (Marker.isNamed(statement, i)) i + 1 else i
    values.of(tokens(i), tokens(last)).map((i, last, _))
  }

  val text: String = {
    val result = new StringBuilder
    val end = replaced.foldLeft(0) { case (from, (first, last, value)) =>
      val text =
        if (isBound(first, last)) bound(first, last)
        else if (mayBeKey(first, last)) s"(${ParameterText.of(value)})"
        else ParameterText.of(value)
      result.append(statement.text.substring(from, tokens(first).getStartIndex))
      // Blanks, because an operator may precede or follow.
      result.append(' ').append(text).append(' ')
      tokens(last).getStopIndex + 1
    }
    result.append(statement.text.substring(end)).toString
  }

  /** Whether a marker is a bound of a quantifier in PATTERN: only that has braces. */
  private def isBound(first: Int, last: Int): Boolean =
    first > 0 && tokens(first - 1).getText == "{" || tokens(last + 1).getText == "}"

  /**
   * Whether a place may be a whole key of a clause: its value is written in parentheses, because a
   * string or an integer without them is refused as the name or the position of a column.
   */
  private def mayBeKey(first: Int, last: Int): Boolean = {
    val before = first - 1
    val open = (before to 0 by -1)
      .find { i =>
        tokens(i).getType == SqlBaseLexer.LEFT_PAREN &&
        statement.partner.get(i).exists(_ > before)
      }
      .getOrElse(0)
    open > 0 && StatementText.isWord(tokens(open - 1), "MATCH_RECOGNIZE") &&
    (tokens(before).getType == SqlBaseLexer.COMMA || StatementText.isWord(tokens(before), "BY")) &&
    // Strings in a row are one.
    !StatementText.isString(tokens(last + 1))
  }

  /** The value as PATTERN takes it, without the suffix of a BIGINT. */
  private def bound(first: Int, last: Int): String = {
    val open = tokens.lastIndexWhere(_.getText == "{", first)
    val close = tokens.indexWhere(_.getText == "}", last)
    val quantifier = statement.between(tokens(open), tokens(close))
    values.bound(tokens(first), tokens(last), quantifier).toString
  }
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
