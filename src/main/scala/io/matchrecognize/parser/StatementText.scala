package io.matchrecognize.parser

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.{CharStreams, CommonToken, CommonTokenStream, ParserRuleContext, Token}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.shims.Origins

/**
 * The text of a statement and its tokens, comments and blanks left out. Positions of tokens are
 * those of ANTLR: code points, which differ from a String's indexes after a surrogate pair. Origins
 * have the String's indexes, by which messages and query contexts cut their fragments.
 *
 * Double quotes delimit an identifier or a string as the session says when the statement is parsed.
 */
final class StatementText(val text: String) {
  val codePoints: Array[Int] = text.codePoints().toArray

  private val (all, unclosed) = {
    val lexer = new MatchRecognizeLexer(CharStreams.fromString(text))
    lexer.removeErrorListeners()
    val stream = new CommonTokenStream(lexer)
    stream.fill()
    (stream.getTokens.asScala.toIndexedSeq, lexer.unclosedComment)
  }

  val tokens: IndexedSeq[CommonToken] = {
    val quoted =
      if (SQLConf.get.doubleQuotedIdentifiers) MatchRecognizeLexer.BACKQUOTED_IDENTIFIER
      else MatchRecognizeLexer.STRING
    all.collect {
      case token: CommonToken if token.getChannel == Token.DEFAULT_CHANNEL =>
        if (token.getType == MatchRecognizeLexer.DOUBLE_QUOTED) token.setType(quoted)
        token
    }
  }

  /** The bracketed comment that lasts to the end of the text. */
  def unclosedComment: Option[Token] =
    if (unclosed) all.findLast(_.getType == MatchRecognizeLexer.BRACKETED_COMMENT) else None

  /** For each token that is an opening parenthesis or its closing one, the place of the other. */
  lazy val partner: Map[Int, Int] = {
    val open = scala.collection.mutable.ArrayBuffer.empty[Int]
    val pairs = Map.newBuilder[Int, Int]
    tokens.indices.foreach { i =>
      tokens(i).getType match {
        case MatchRecognizeLexer.LEFT_PAREN => open += i
        case MatchRecognizeLexer.RIGHT_PAREN if open.nonEmpty =>
          val left = open.remove(open.length - 1)
          pairs += left -> i
          pairs += i -> left
        case _ =>
      }
    }
    pairs.result()
  }

  // Index in the String of each code point and of the end; null if they are the code points' own.
  private lazy val indexes: Array[Int] =
    if (codePoints.length == text.length) null
    else codePoints.scanLeft(0)((index, point) => index + Character.charCount(point))

  /** Index in the String of a code point's first character. */
  def firstIndex(codePoint: Int): Int = if (indexes == null) codePoint else indexes(codePoint)

  /** Index in the String of a code point's last character. */
  def lastIndex(codePoint: Int): Int =
    if (indexes == null) codePoint else indexes(codePoint + 1) - 1

  /** The first token that begins at an index of the String or after it. */
  def tokenAt(index: Int): Token =
    tokens.find(t => firstIndex(t.getStartIndex) >= index).getOrElse(tokens.last)

  def slice(start: Int, stop: Int): String = new String(codePoints, start, stop - start + 1)

  /** The text from token `first` to token `last`. */
  def between(first: Token, last: Token): String = slice(first.getStartIndex, last.getStopIndex)

  def origin(first: Token, last: Token): Origin =
    Origins(
      first.getLine,
      first.getCharPositionInLine,
      firstIndex(first.getStartIndex),
      lastIndex(math.max(first.getStartIndex, last.getStopIndex)),
      text,
      CurrentOrigin.get
    )

  /** What Spark's ParseException takes its position from. */
  def context(token: Token): ParserRuleContext = {
    val context = new ParserRuleContext()
    context.start = token
    context.stop = token
    context
  }
}

object StatementText {

  /** Whether the token is a word without quotes. */
  def isWord(token: Token): Boolean =
    token.getType == MatchRecognizeLexer.IDENTIFIER && !token.getText.head.isDigit

  def isWord(token: Token, word: String): Boolean =
    token.getType == MatchRecognizeLexer.IDENTIFIER && token.getText.equalsIgnoreCase(word)

  def isName(token: Token): Boolean =
    token.getType == MatchRecognizeLexer.IDENTIFIER ||
      token.getType == MatchRecognizeLexer.BACKQUOTED_IDENTIFIER

  /** The word in upper case, "" for another token. */
  def word(token: Token): String =
    if (isWord(token)) token.getText.toUpperCase(java.util.Locale.ROOT) else ""

  /** The name that an identifier token stands for. */
  def name(token: Token): String = {
    val text = token.getText
    if (token.getType != MatchRecognizeLexer.BACKQUOTED_IDENTIFIER) text
    else {
      val quote = text.substring(0, 1)
      text.substring(1, text.length - 1).replace(quote + quote, quote)
    }
  }
}
