package io.matchrecognize.parser.statement

import scala.collection.mutable.ArrayBuffer

import org.antlr.v4.runtime.misc.Interval
import org.antlr.v4.runtime.{CharStream, CommonToken, IntStream, Token}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

/**
 * Spark's lexer over a whole statement, its clauses included. In a PATTERN some characters have
 * another meaning than in Spark's SQL, so four of Spark's tokens are split there: the `$$` and
 * `$A$` that open a string, the end of a hint in `A*` before a comment, and the comment in `{--}`.
 */
private[statement] final class StatementLexer(text: String) {
  import StatementLexer._

  private val lexer = new SqlBaseLexer(new SqlCharacters(text))
  lexer.removeErrorListeners()

  private val found = ArrayBuffer.empty[CommonToken]
  // Whether each open parenthesis is that of a PATTERN, or inside one.
  private var open = List.empty[Boolean]
  private var last: Option[CommonToken] = None
  private val dollars = Set.newBuilder[Int]

  /** All tokens, the hidden ones too; the last is the end of the text. */
  val tokens: IndexedSeq[CommonToken] = {
    while (!found.lastOption.exists(_.getType == Token.EOF)) add(next())
    found.toIndexedSeq
  }

  /** Where `$` is an anchor: the indexes of those inside the parentheses of a PATTERN. */
  lazy val anchors: Set[Int] = dollars.result()

  def hasUnclosedComment: Boolean = lexer.has_unclosed_bracketed_comment

  private def next(): CommonToken = {
    val token = lexer.nextToken().asInstanceOf[CommonToken]
    if (isInPattern && misread(token)) cut(token) else token
  }

  private def isInPattern: Boolean = open.headOption.contains(true)

  private def misread(token: CommonToken): Boolean = token.getType match {
    case SqlBaseLexer.HENT_END => !isInHint
    case DollarQuote => true
    case SqlBaseLexer.SIMPLE_COMMENT =>
      found.lastOption.exists(t => t.getText == "{" && t.getStopIndex + 1 == token.getStartIndex)
    case _ => false
  }

  private def isInHint: Boolean = found.reverseIterator
    .map(_.getType)
    .find(kind => kind == SqlBaseLexer.HENT_START || kind == SqlBaseLexer.HENT_END)
    .contains(SqlBaseLexer.HENT_START)

  /** Keeps only the first character of a token and makes the lexer continue after it. */
  private def cut(token: CommonToken): CommonToken = {
    if (token.getType == DollarQuote) lexer.popMode()
    lexer.getInputStream.seek(token.getStartIndex + 1)
    lexer.getInterpreter.setLine(token.getLine)
    lexer.getInterpreter.setCharPositionInLine(token.getCharPositionInLine + 1)
    lexer._hitEOF = false
    token.setStopIndex(token.getStartIndex)
    token.setType(SqlBaseLexer.UNRECOGNIZED)
    token.setChannel(Token.DEFAULT_CHANNEL)
    token
  }

  private def add(token: CommonToken): Unit = {
    found += token
    if (token.getChannel == Token.DEFAULT_CHANNEL) {
      // It is asked for again and again, and would be cut from the statement each time.
      token.setText(token.getText)
      if (isInPattern && token.getText == "$") dollars += token.getStartIndex
      // After the word STRUCT, ARRAY or MAP the lexer reads `>>` as two brackets, even in every
      // later expression of the statement if the word does not begin a type.
      if (last.exists(isTypeWord) && token.getType != SqlBaseLexer.LT)
        lexer.complex_type_level_counter = math.max(0, lexer.complex_type_level_counter - 1)
      token.getType match {
        case SqlBaseLexer.LEFT_PAREN =>
          open ::= isInPattern ||
            open.nonEmpty && last.exists(_.getText.equalsIgnoreCase("PATTERN"))
        case SqlBaseLexer.RIGHT_PAREN => open = open.drop(1)
        case _ =>
      }
      last = Some(token)
    }
  }

  private def isTypeWord(token: Token): Boolean = token.getType match {
    case SqlBaseLexer.ARRAY | SqlBaseLexer.MAP | SqlBaseLexer.STRUCT => true
    case _ => false
  }
}

private[statement] object StatementLexer {

  /** The token that opens a string such as `$$...$$`; Spark 4.0 has none. */
  private val DollarQuote: Int = tokenType("BEGIN_DOLLAR_QUOTED_STRING")

  /** The type of a token that not every Spark minor has. */
  def tokenType(name: String): Int = {
    val names = SqlBaseLexer.VOCABULARY
    (0 to names.getMaxTokenType)
      .find(names.getSymbolicName(_) == name)
      .getOrElse(Token.INVALID_TYPE)
  }
}

/**
 * The characters of a statement for Spark's lexer: letters in upper case, as Spark's grammar
 * requires; the tokens keep the user's. It advances by code points, as ANTLR does, but positions
 * are indexes of the String, by which messages and query contexts cut their fragments.
 */
private final class SqlCharacters(text: String) extends CharStream {
  private var place = 0

  override def LA(i: Int): Int =
    if (i == 0) 0
    else if (i < 0) {
      val at = if (text.codePointCount(0, place) + i < 0) -1 else text.offsetByCodePoints(place, i)
      if (at < 0) IntStream.EOF else upperAt(at)
    } else upperAt(ahead(i - 1))

  private def ahead(characters: Int): Int = {
    var at = place
    var left = characters
    while (left > 0 && at < text.length) {
      at = after(at)
      left -= 1
    }
    at
  }

  private def after(at: Int): Int = at + Character.charCount(text.codePointAt(at))

  private def upperAt(at: Int): Int =
    if (at >= text.length) IntStream.EOF else Character.toUpperCase(text.codePointAt(at))

  override def consume(): Unit = place = after(place)
  override def index(): Int = place
  override def seek(index: Int): Unit = place = index
  override def size(): Int = text.length
  override def mark(): Int = -1
  override def release(marker: Int): Unit = ()
  override def getSourceName: String = IntStream.UNKNOWN_SOURCE_NAME
  override def getText(interval: Interval): String =
    if (interval.a >= text.length) ""
    else text.substring(interval.a, math.min(interval.b + 1, text.length))
}
