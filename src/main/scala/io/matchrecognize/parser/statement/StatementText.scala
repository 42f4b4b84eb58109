package io.matchrecognize.parser.statement

import java.util.Locale

import org.antlr.v4.runtime.{CommonToken, ParserRuleContext, Token}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.internal.SQLConf

/**
 * The text of a statement and its tokens from Spark's lexer. All places are indexes of the String;
 * only the position in a line counts code points, as Spark does.
 */
private[parser] final class StatementText(val text: String) {
  import StatementText._

  private val lexer = new StatementLexer(text)

  /** All tokens, with comments, blanks and hints, as Spark's parser reads them, and the end. */
  val all: IndexedSeq[CommonToken] = lexer.tokens

  /** Where `$` is an anchor, as it is in PATTERN. */
  def anchors: Set[Int] = lexer.anchors

  /** The tokens without comments, blanks and hints. The last is the end of the text. */
  val tokens: IndexedSeq[CommonToken] = {
    var inHint = false
    all.filter { token =>
      val kind = token.getType
      if (kind == SqlBaseLexer.HENT_START) inHint = true
      val hidden = inHint && kind != Token.EOF || token.getChannel != Token.DEFAULT_CHANNEL
      if (kind == SqlBaseLexer.HENT_END) inHint = false
      !hidden
    }
  }

  /** The bracketed comment that is not closed before the end of the text. */
  def unclosedComment: Option[Token] =
    if (lexer.hasUnclosedComment) all.findLast(_.getType == SqlBaseLexer.BRACKETED_COMMENT)
    else None

  /** Whether it is a command whose words Spark does not read, but takes as one text. */
  def isUnread: Boolean = Commands(wordAt(0)) && !Set("VAR", "VARIABLE")(wordAt(1))

  /** For each opening or closing parenthesis, the index of its partner. */
  lazy val partner: Map[Int, Int] = {
    val open = scala.collection.mutable.ArrayBuffer.empty[Int]
    val pairs = Map.newBuilder[Int, Int]
    tokens.indices.foreach { i =>
      tokens(i).getType match {
        case SqlBaseLexer.LEFT_PAREN => open += i
        case SqlBaseLexer.RIGHT_PAREN if open.nonEmpty =>
          val left = open.remove(open.length - 1)
          pairs += left -> i
          pairs += i -> left
        case _ =>
      }
    }
    pairs.result()
  }

  /** The type of a token in Spark's lexer, also beyond the ends of the statement. */
  def typeOf(i: Int): Int = tokens.lift(i).fold(Token.EOF)(_.getType)

  /** The word in upper case, "" for another token and beyond the ends of the statement. */
  def wordAt(i: Int): String = tokens.lift(i).fold("")(word)

  /** Whether a token is a keyword of Spark's, which may be a name all the same. */
  def isKeyword(i: Int): Boolean =
    isIdentifier(tokens(i)) && typeOf(i) != SqlBaseLexer.IDENTIFIER &&
      typeOf(i - 1) != SqlBaseLexer.DOT

  /** Whether parentheses contain names and commas only, `(a, b)`. */
  def listsNames(open: Int): Boolean = {
    val close = partner.getOrElse(open, tokens.length)
    close > open + 1 && close < tokens.length && (open + 1 until close).forall { k =>
      if ((k - open) % 2 == 1) isName(tokens(k)) else tokens(k).getType == SqlBaseLexer.COMMA
    } && (close - open) % 2 == 0
  }

  /**
   * Copies of all tokens, with pieces of the statement replaced: for each the first and the last of
   * its tokens, and the tokens that take their place.
   */
  def replaced(pieces: Seq[(Int, Int, Seq[CommonToken])]): Seq[CommonToken] = {
    // Of a list the rest is no copy.
    var rest = all.toList
    val before = pieces.sortBy(_._1).map { case (first, last, instead) =>
      val (kept, after) = rest.span(_.getStartIndex < tokens(first).getStartIndex)
      rest = after.dropWhile(_.getStartIndex <= tokens(last).getStopIndex)
      kept.map(new CommonToken(_)) ++ instead
    }
    before.flatten ++ rest.map(new CommonToken(_))
  }

  def slice(start: Int, stop: Int): String = text.substring(start, stop + 1)

  def between(first: Token, last: Token): String = slice(first.getStartIndex, last.getStopIndex)

  /** A piece of the text without comments, one blank where there were several or a comment. */
  def words(start: Int, stop: Int): String = {
    val inside = tokens.filter(t => t.getStartIndex >= start && t.getStopIndex <= stop)
    val blanks = inside.zip(inside.drop(1)).map { case (token, next) =>
      if (token.getStopIndex + 1 < next.getStartIndex) " " else ""
    }
    inside.zipAll(blanks, null, "").map { case (token, blank) => token.getText + blank }.mkString
  }

  /** The text from token `first` to token `last` as a place, in the object that is parsed. */
  def origin(first: Token, last: Token): Origin = Origin(
    line = Some(first.getLine),
    startPosition = Some(first.getCharPositionInLine),
    startIndex = Some(first.getStartIndex),
    stopIndex = Some(math.max(first.getStartIndex, last.getStopIndex)),
    sqlText = Some(text),
    objectType = CurrentOrigin.get.objectType,
    objectName = CurrentOrigin.get.objectName
  )

  /** The text of a parse tree as a place. */
  def origin(tree: ParserRuleContext): Origin = origin(tree.start, tree.stop)

  /** The first token that begins at an index or after it. */
  def tokenAt(index: Int): CommonToken =
    tokens.find(_.getStartIndex >= index).getOrElse(tokens.last)

  /** The context from which Spark's ParseException takes its position. */
  def context(token: Token): ParserRuleContext = {
    val context = new ParserRuleContext()
    context.start = token
    context.stop = token
    context
  }
}

/**
 * Classifies tokens without a grammar: Spark's lexer has a type for each of its keywords, and
 * nearly all of them are names too.
 */
private[parser] object StatementText {

  /** Whether the token is a word without quotes. */
  def isWord(token: Token): Boolean = isIdentifier(token) && !isDigit(token)

  def isWord(token: Token, word: String): Boolean =
    isIdentifier(token) && token.getText.equalsIgnoreCase(word)

  /** A word, also one that begins with a digit. */
  def isIdentifier(token: Token): Boolean = token.getType match {
    case SqlBaseLexer.IDENTIFIER => true
    case SqlBaseLexer.STRING_LITERAL | StringBody | Token.EOF => false
    case _ =>
      val head = token.getText.codePointAt(0)
      Character.isLetter(head) || head == '_'
  }

  /** What is between `$$` and `$$`; Spark 4.0 has none. */
  private val StringBody: Int =
    StatementLexer.tokenType("DOLLAR_QUOTED_STRING_BODY")

  def isName(token: Token): Boolean = isQuotedName(token) || isIdentifier(token)

  /** Double quotes delimit a name or a string, depending on the session's conf. */
  def isQuotedName(token: Token): Boolean =
    token.getType == SqlBaseLexer.BACKQUOTED_IDENTIFIER ||
      token.getType == SqlBaseLexer.DOUBLEQUOTED_STRING && SQLConf.get.doubleQuotedIdentifiers

  def isString(token: Token): Boolean =
    token.getType == SqlBaseLexer.STRING_LITERAL ||
      token.getType == SqlBaseLexer.DOUBLEQUOTED_STRING && !SQLConf.get.doubleQuotedIdentifiers

  def isNumber(token: Token): Boolean =
    !isIdentifier(token) && (isDigit(token) || token.getText.matches("[.][0-9].*"))

  private def isDigit(token: Token): Boolean = Character.isDigit(token.getText.head)

  /** The word in upper case, "" for another token. */
  def word(token: Token): String =
    if (isWord(token)) token.getText.toUpperCase(Locale.ROOT) else ""

  /** The name that an identifier token denotes. */
  def name(token: Token): String = {
    val text = token.getText
    val quote = text.substring(0, 1)
    if (quote != "`" && quote != "\"") text
    else text.substring(1, text.length - 1).replace(quote + quote, quote)
  }

  /** Whether a text has a word, in whichever case. */
  def contains(text: String, word: String): Boolean =
    (0 to text.length - word.length).exists(i => text.regionMatches(true, i, word, 0, word.length))

  /** A set of words, separated by blanks. */
  def words(list: String): Set[String] = list.split(' ').toSet

  private val Commands = words("SET RESET ADD LIST")

  val IntervalUnits: Set[String] = words(
    "YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND MICROSECOND NANOSECOND"
  ).flatMap(unit => Seq(unit, unit + "S"))
}
