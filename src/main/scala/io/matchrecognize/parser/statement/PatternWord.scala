package io.matchrecognize.parser.statement

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.parser.{SqlBaseLexer => L}

import io.matchrecognize.parser.statement.StatementText._

/**
 * The word PATTERN of a clause or of a window specification. With parentheses it begins the part of
 * that name, or it is a call of a user's function.
 */
private[parser] object PatternWord {

  /**
   * The words that begin the part: usually one, several are a mistake. Before it something has
   * ended; a function `pattern(x)` follows a word or an operator that requires an operand. If all
   * words of a clause follow one, it may be a column: `ORDER BY measures PATTERN (A)`; or there is
   * a comma too many before the part.
   */
  def parts(statement: StatementText, clause: FoundClause): Seq[Int] = {
    val parts = ofWindow(statement, clause.open)
    if (parts.nonEmpty || clause.isWindow) parts
    else
      in(statement, clause.open).find { i =>
        val before = statement.tokens(i - 1)
        before.getType == L.COMMA || MayBeColumns(word(before))
      }.toSeq
  }

  /**
   * The words that begin the part of a window specification. A word after AS is a name, unless it
   * may begin a condition: conditions follow the part.
   */
  def ofWindow(statement: StatementText, open: Int): Seq[Int] = {
    val tokens = statement.tokens
    val all = in(statement, open)
    val sure = all.foldLeft(Vector.empty[Int]) { (parts, i) =>
      val isNamed = i > open + 2 && isWord(tokens(i - 2), "AS") && isWord(tokens(i - 1)) &&
        (parts.isEmpty || !BeginsOperand(word(tokens(i - 1))))
      if (i == open + 1 || endsOperand(tokens(i - 1)) || isNamed) parts :+ i else parts
    }
    // No expression of a plain window has such a word; here it is a name: `SKIP TO LAST final`.
    if (sure.nonEmpty) sure else all.find(i => OfPatterns(word(tokens(i - 1)))).toSeq
  }

  /** All words PATTERN with parentheses between others, but those in further ones. */
  def in(statement: StatementText, open: Int): Seq[Int] = {
    val close = statement.partner.getOrElse(open, statement.tokens.length)
    def isOpen(i: Int) = statement.typeOf(i) == L.LEFT_PAREN
    Iterator
      .iterate(open + 1)(i => if (isOpen(i)) statement.partner.getOrElse(i, close) + 1 else i + 1)
      .takeWhile(_ < close)
      // A token makes its text anew whenever it is asked.
      .filter(i => isOpen(i + 1) && isWord(statement.tokens(i), "PATTERN"))
      .toSeq
  }

  /** Whether something has ended with a token, so that a part may begin after it. */
  def endsOperand(token: Token): Boolean =
    token.getType == L.RIGHT_PAREN || token.getType == L.RIGHT_BRACKET || isQuotedName(token) ||
      isString(token) || isNumber(token) || isIdentifier(token) && !BeforeOperand(word(token))

  private val OfPatterns = words("MEASURES AS RUNNING FINAL")

  private val MayBeColumns =
    OfPatterns ++ words("ROWS RANGE GROUPS ALL ANY SOME ESCAPE DISTRIBUTE SORT")

  private val BeginsOperand = words("NOT CASE RUNNING FINAL")

  /** Words that an operand follows. */
  private val BeforeOperand = MayBeColumns ++ words(
    "BY AND OR NOT CASE WHEN THEN ELSE IN LIKE ILIKE RLIKE REGEXP BETWEEN IS DISTINCT FROM DIV"
  )
}
