package io.matchrecognize.parser.statement

import scala.annotation.tailrec

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.parser.{ParseException, SqlBaseLexer => L}

import io.matchrecognize.parser.statement.StatementText._

/**
 * Explains why Spark's parser refused a window: it has parts of a row pattern and no PATTERN, so
 * that [[WindowScanner]] does not take it for one, or a measure is called where no window has a row
 * pattern.
 */
private[parser] final class UnreadWindows(statement: StatementText) {
  import UnreadWindows._

  private val tokens = statement.tokens

  /** @return the error with a hint, or the same one */
  def explained(e: ParseException): ParseException = {
    if (e.getCondition == "PARSE_SYNTAX_ERROR") {
      parts.nextOption().foreach { case (first, last, part) =>
        SyntaxErrors.own(
          "MATCH_RECOGNIZE_INVALID_WINDOW.MISSING_PATTERN",
          Map("part" -> part),
          statement.origin(tokens(first), tokens(last))
        )
      }
    }
    measure(e).fold(e)(SyntaxErrors.unexpected(statement, _, Measure))
  }

  /** The parts of row patterns in windows without PATTERN. */
  private def parts: Iterator[(Int, Int, String)] =
    if (!tokens.exists(token => PartWords(word(token)))) Iterator.empty
    else
      windows.flatMap { open =>
        val close = statement.partner.getOrElse(open, tokens.length)
        val inside = topLevel(open, close)
        if (inside.exists(i => isWord(tokens(i), "PATTERN") && typeOf(i + 1) == L.LEFT_PAREN)) Nil
        else inside.flatMap(part(_, open, close))
      }

  /** The parentheses of all windows. */
  private def windows: Iterator[Int] = {
    val definitions = WindowDefinitions.in(statement).toSet
    tokens.indices.iterator.filter { i =>
      typeOf(i) == L.LEFT_PAREN && i > 0 &&
      (isWord(tokens(i - 1), "OVER") || definitions(i - 1))
    }
  }

  private def topLevel(open: Int, close: Int): Seq[Int] = {
    val found = Seq.newBuilder[Int]
    var i = open + 1
    while (i < close) {
      found += i
      i = statement.partner.getOrElse(i, i) + 1
    }
    found.result()
  }

  /** The part that begins at a token: its first and last word, and its name. */
  private def part(i: Int, open: Int, close: Int): Option[(Int, Int, String)] = {
    def at(k: Int) = if (k < close) word(tokens(k)) else ""
    val follows = i == open + 1 || PatternWord.endsOperand(tokens(i - 1))
    val length = (at(i), at(i + 1), at(i + 2)) match {
      case _ if !follows => 0
      case ("MEASURES", next, _) if i + 1 < close && next != "," => 1
      case ("AFTER", "MATCH", "SKIP") => 3
      case ("SEEK" | "INITIAL", _, _) if i > open + 1 => 1
      case ("SUBSET", _, _) if typeOf(i + 2) == L.EQ => 1
      case ("DEFINE", _, "AS") => 1
      case _ => 0
    }
    Option.when(length > 0) {
      (i, i + length - 1, (i until i + length).map(k => word(tokens(k))).mkString(" "))
    }
  }

  /**
   * What follows `name OVER` in a list of SELECT, if Spark's parser failed there. After keywords
   * OVER may be a column: `SELECT CASE over`.
   */
  private def measure(e: ParseException): Option[Token] =
    if (e.getCondition != "PARSE_SYNTAX_ERROR") None
    else
      tokens.indices
        .find { i =>
          e.line.contains(tokens(i).getLine) &&
          e.startPosition.contains(tokens(i).getCharPositionInLine)
        }
        .filter { i =>
          i > 1 && isWord(tokens(i - 1), "OVER") && isOnlyName(i - 2) &&
          (isOnlyName(i) && typeOf(i + 1) != L.LEFT_PAREN || typeOf(i) == L.LEFT_PAREN) &&
          isSelected(i - 2)
        }
        .map(tokens)

  private def isOnlyName(i: Int): Boolean =
    typeOf(i) == L.IDENTIFIER || isQuotedName(tokens(i))

  /** Whether the list of a SELECT contains the token. */
  @tailrec
  private def isSelected(i: Int): Boolean =
    if (i < 0) false
    else if (isWord(tokens(i), "SELECT")) true
    else if (AfterList(word(tokens(i)))) false
    else isSelected(statement.partner.get(i).filter(_ < i).getOrElse(i) - 1)

  private def typeOf(i: Int): Int =
    if (i < 0 || i >= tokens.length) Token.EOF else tokens(i).getType
}

private[parser] object UnreadWindows {
  private val PartWords = words("MEASURES DEFINE SUBSET SEEK INITIAL AFTER")

  /** Words that end the list of a SELECT, or that begin what has none. */
  private val AfterList = words("FROM WHERE TABLE VALUES INTO")

  private val Measure =
    "a function over a window has parentheses, as in rank() OVER w; a name alone is a measure of a " +
      "window with a row pattern, and this one has no PATTERN"

  /** Whether a text may contain what is explained here: its words occur. */
  def mentions(text: String): Boolean = {
    val upper = text.toUpperCase(java.util.Locale.ROOT)
    upper.contains("OVER") || upper.contains("WINDOW")
  }
}
