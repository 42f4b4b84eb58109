package io.matchrecognize.parser.statement

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.parser.{SqlBaseLexer => L}

import io.matchrecognize.parser.statement.StatementText._

/**
 * A measure that is called over a window, `name OVER w` or `name OVER (...)`.
 *
 * @param window
 *   the name of the window, or the number of the window specification that follows
 */
private[parser] final case class FoundMeasure(
    name: Int,
    last: Int,
    window: Either[String, Int]
)

/**
 * Finds the row pattern windows of a statement among its tokens, and the measures called over
 * windows, for which Spark's grammar has no place.
 *
 * A window specification follows OVER, or `name AS` in a WINDOW clause. It is a row pattern window
 * if the word PATTERN and a parenthesis follow an operand or a word of the frame in it; a function
 * `pattern(x)` is always preceded by something else.
 *
 * @param groups
 *   clauses of the same statement: what is inside them is read with them
 */
private[parser] final class WindowScanner(statement: StatementText, groups: Seq[ClauseGroup]) {
  import WindowScanner._

  private val tokens = statement.tokens

  val windows: IndexedSeq[FoundClause] = {
    val found = IndexedSeq.newBuilder[FoundClause]
    var i = 0
    while (i < tokens.length) {
      if (isWord(tokens(i), "OVER") && isPattern(i + 1)) {
        found += window(i)
        i = statement.partner(i + 1)
      } else if (beginsDefinitions(i)) definitions(i + 1).foreach(found += window(_))
      i += 1
    }
    found
      .result()
      .distinctBy(_.word)
      .filterNot(w =>
        groups.exists(g => g.clauses.exists(c => c.open < w.word && w.word < c.close))
      )
  }

  lazy val measures: Seq[FoundMeasure] = tokens.indices.flatMap { i =>
    val isCall = isWord(tokens(i), "OVER") && i > 0 && isName(tokens(i - 1)) &&
      typeOf(i - 2) != L.DOT && !isNullTreatment(i - 1) && !windows.exists(w =>
        w.open < i && i < w.close
      )
    if (!isCall) None
    else if (typeOf(i + 1) == L.LEFT_PAREN)
      windows.indexWhere(_.open == i + 1) match {
        case -1 if isName(tokens(i + 2)) && typeOf(i + 3) == L.RIGHT_PAREN =>
          Some(FoundMeasure(i - 1, i + 3, Left(name(tokens(i + 2)))))
        case -1 => None
        case number => Some(FoundMeasure(i - 1, windows(number).close, Right(number)))
      }
    else if (isName(tokens(i + 1)) && !isWord(tokens(i + 1), "FROM"))
      Some(FoundMeasure(i - 1, i + 1, Left(name(tokens(i + 1)))))
    else None
  }

  /** `first_value(x) IGNORE NULLS OVER w`. */
  private def isNullTreatment(i: Int): Boolean =
    isWord(tokens(i), "NULLS") && i > 0 &&
      (isWord(tokens(i - 1), "IGNORE") || isWord(tokens(i - 1), "RESPECT"))

  private def window(word: Int): FoundClause =
    FoundClause(word, word + 1, statement.partner(word + 1), None, isWindow = true)

  /** `WINDOW name AS`. */
  private def beginsDefinitions(i: Int): Boolean =
    isWord(tokens(i), "WINDOW") && i + 2 < tokens.length && isName(tokens(i + 1)) &&
      isWord(tokens(i + 2), "AS")

  /** Where the definitions with a row pattern have their AS. */
  private def definitions(first: Int): Seq[Int] =
    if (!isNamed(first)) Nil
    else {
      val as = first + 1
      val last =
        if (typeOf(as + 1) == L.LEFT_PAREN) statement.partner.getOrElse(as + 1, tokens.length)
        else as + 1
      val rest = if (typeOf(last + 1) == L.COMMA) definitions(last + 2) else Nil
      if (isPattern(as + 1)) as +: rest else rest
    }

  private def isNamed(i: Int): Boolean =
    i + 1 < tokens.length && isName(tokens(i)) && isWord(tokens(i + 1), "AS")

  private def isPattern(open: Int): Boolean =
    typeOf(open) == L.LEFT_PAREN && statement.partner.get(open).exists { close =>
      var i = open + 1
      var found = false
      while (i < close && !found) {
        found = isWord(tokens(i), "PATTERN") && typeOf(i + 1) == L.LEFT_PAREN &&
          (i == open + 1 || endsPart(tokens(i - 1)))
        i = if (typeOf(i) == L.LEFT_PAREN) statement.partner.getOrElse(i, close) + 1 else i + 1
      }
      found
    }

  private def endsPart(token: Token): Boolean =
    token.getType == L.RIGHT_PAREN || token.getType == L.RIGHT_BRACKET || isQuotedName(token) ||
      isString(token) || isNumber(token) || isIdentifier(token) && !BeforeOperand(word(token))

  private def typeOf(i: Int): Int =
    if (i < 0 || i >= tokens.length) Token.EOF else tokens(i).getType
}

private[parser] object WindowScanner {
  val MeasureCall = "a measure is called as an expression, name OVER window"

  /** Whether a text may contain a row pattern window: its words occur. */
  def mentions(text: String): Boolean =
    contains(text, "pattern") && (contains(text, "over") || contains(text, "window"))

  private def contains(text: String, word: String): Boolean =
    (0 to text.length - word.length).exists(i => text.regionMatches(true, i, word, 0, word.length))

  /** Words after which `pattern(x)` is a function. */
  private val BeforeOperand = words(
    "BY AND OR NOT CASE WHEN THEN ELSE IN LIKE ILIKE RLIKE REGEXP BETWEEN IS DISTINCT FROM DIV " +
      "ROWS RANGE GROUPS ALL ANY SOME ESCAPE DISTRIBUTE SORT"
  )
}
