package io.matchrecognize.parser

import org.antlr.v4.runtime.{CommonToken, Token}

import io.matchrecognize.parser.{MatchRecognizeLexer => L}

/**
 * Reads an expression token by token and knows whether an operand has just ended: only there can a
 * name without AS, or the next part of the clause, begin. Brackets are read as one operand.
 */
private[parser] final class Operands(tokens: IndexedSeq[CommonToken]) {
  import Operands._

  var ended = false

  def reset(): Unit = ended = false

  /** Reads a token, or a whole bracket, and gives the place after it. */
  def read(i: Int): Int = {
    val token = tokens(i)
    token.getText match {
      case "(" | "[" =>
        ended = true
        skipBracket(i)
      case ")" | "]" | "?" =>
        ended = true
        i + 1
      case text if isNameOrLiteral(token) =>
        ended =
          if (OperatorWords(text.toUpperCase(java.util.Locale.ROOT))) false
          else !(!ended && isModifier(tokens, i))
        i + 1
      case _ =>
        ended = false
        i + 1
    }
  }

  private def skipBracket(from: Int): Int = {
    var depth = 0
    var i = from
    do {
      tokens(i).getText match {
        case "(" | "[" => depth += 1
        case ")" | "]" => depth -= 1
        case _ =>
      }
      i += 1
    } while (i < tokens.length && depth > 0)
    i
  }

  private def isNameOrLiteral(token: Token): Boolean = token.getType match {
    case L.IDENTIFIER | L.BACKQUOTED_IDENTIFIER | L.STRING | L.INTEGER | L.NUMBER => true
    case _ => false
  }
}

private[parser] object Operands {

  /** A set of words, given apart by blanks. */
  def words(list: String): Set[String] = list.split(' ').toSet

  /** Words after which an operand must follow. */
  val OperatorWords: Set[String] = words(
    "AND OR NOT IN LIKE ILIKE RLIKE REGEXP BETWEEN IS DIV WHEN THEN ELSE CASE AS " +
      "FROM ESCAPE COLLATE OVER DISTINCT"
  )

  val IntervalUnits: Set[String] =
    Seq(
      "YEAR",
      "QUARTER",
      "MONTH",
      "WEEK",
      "DAY",
      "HOUR",
      "MINUTE",
      "SECOND",
      "MILLISECOND",
      "MICROSECOND",
      "NANOSECOND"
    ).flatMap(unit => Seq(unit, unit + "S")).toSet

  /** RUNNING or FINAL before a function call. The token before it must not end an operand. */
  def isModifier(tokens: IndexedSeq[Token], i: Int): Boolean = {
    val text = tokens(i).getText
    (text.equalsIgnoreCase("RUNNING") || text.equalsIgnoreCase("FINAL")) && {
      var k = i + 1
      def at(k: Int): String = if (k < tokens.length) tokens(k).getText else ""
      val named =
        k < tokens.length && (at(k).head == '`' || at(k).head.isLetter || at(k).head == '_')
      if (!named || OperatorWords(at(k).toUpperCase(java.util.Locale.ROOT))) false
      else {
        while (at(k + 1) == ".") k += 2
        at(k + 1) == "("
      }
    }
  }
}
