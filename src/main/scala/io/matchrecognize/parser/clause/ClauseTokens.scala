package io.matchrecognize.parser.clause

import java.util.Locale

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.{CommonToken, CommonTokenStream, ListTokenSource, Token}
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

import io.matchrecognize.parser.clause.{ClauseGrammar => G}
import io.matchrecognize.parser.statement.StatementText._
import io.matchrecognize.parser.statement.{FoundClause, PatternWord, StatementText, SyntaxErrors}

/**
 * The tokens of one clause as the grammar sees them: Spark's, with the grammar's types, from
 * MATCH_RECOGNIZE to the closing parenthesis.
 *
 * Every word is an ordinary name unless the words that a keyword requires follow it. So `MEASURES 4
 * AS pattern, define + 1 AS x PATTERN (MATCH ONE ROW)` has two parts.
 */
private[clause] final class ClauseTokens(statement: StatementText, clause: FoundClause) {
  import ClauseTokens._

  val all: IndexedSeq[CommonToken] = {
    val result = ArrayBuffer.empty[CommonToken]
    statement.tokens.slice(clause.word, clause.close + 1).foreach { token =>
      val copy = new CommonToken(token)
      copy.setType(plainType(token))
      if (!merge(result, copy)) result += copy
    }
    val end = new CommonToken(result.last)
    end.setType(Token.EOF)
    (result += end).toIndexedSeq
  }

  // Where the part PATTERN begins, in the text.
  private val patterns: Set[Int] =
    PatternWord.parts(statement, clause).map(statement.tokens(_).getStartIndex).toSet

  // A token stream renumbers its tokens.
  private val places = all.map(_.getTokenIndex)

  /** The index of a token among Spark's. */
  def place(i: Int): Int = places(i)

  private val isWindow = upper(all.head) != "MATCH_RECOGNIZE"

  all.find(_.getType == Token.INVALID_TYPE).foreach { token =>
    val hint = if (TypographicQuotes(token.getText)) "write straight quotes" else ""
    throw SyntaxErrors.unexpected(statement, token, hint)
  }
  checkNesting()
  all.indices.foreach(i => all(i).setType(wordType(i)))
  if (isWindow) {
    all.head.setType(G.OVER)
    all.indices.find(beginsFrame).foreach(setFrameTypes)
  }

  val stream = new CommonTokenStream(new ListTokenSource(all.map(t => t: Token).asJava))

  /** The first token after one of Spark's. */
  def after(last: Token): Int = all.indexWhere(_.getStartIndex > last.getStopIndex, stream.index)

  /**
   * Whether a part of the clause begins at this token: the words that follow say so. Tokens of an
   * expression that was parsed have lost their types, so that only texts count.
   */
  def begins(i: Int): Boolean = all.isDefinedAt(i) && (upper(all(i)) match {
    case "PATTERN" => patterns(all(i).getStartIndex)
    case "INITIAL" | "SEEK" => wordAt(i + 1, ")") || begins(i + 1)
    case "WITHIN" =>
      !wordAt(i + 1, "GROUP") && !isOperator(i + 1) && beginsOperand(i + 1)
    case "MEASURES" => beginsMeasure(i + 1)
    case "SUBSET" => nameAt(i + 1) && wordAt(i + 2, "=")
    case "DEFINE" => nameAt(i + 1) && wordAt(i + 2, "AS")
    case "ROWS" | "RANGE" | "GROUPS" | "EXCLUDE" => beginsFrame(i) || beginsExclusion(i)
    case word => ClauseParts.keywords(word).split(' ').lift(1).exists(wordAt(i + 1, _))
  })

  /** Whether the frame of a window begins here: after these words nothing else can. */
  private def beginsFrame(i: Int): Boolean = isWindow && FrameUnits(textAt(i)) &&
    (FrameWords(textAt(i + 1)) || typeAt(i + 1) == G.INTEGER || beginsMarker(i + 1))

  private def beginsMarker(i: Int): Boolean = wordAt(i, "?") || beginsParameter(i)

  private def beginsExclusion(i: Int): Boolean =
    isWindow && wordAt(i, "EXCLUDE") && ExclusionWords(textAt(i + 1))

  private def setFrameTypes(first: Int): Unit = {
    all(first).setType(if (wordAt(first + 1, "BETWEEN")) G.FRAME else G.SHORT_FRAME)
    (first + 1 until all.length - 1).takeWhile(!begins(_)).foreach { i =>
      FrameTypes.get(textAt(i)).foreach(all(i).setType)
    }
    all.indices.find(beginsExclusion).foreach(all(_).setType(G.EXCLUDE))
  }

  /**
   * Makes the next word a name after AS, and also without AS if it begins no part.
   *
   * @param isMeasure
   *   a measure must have a name, so that INITIAL and SEEK cannot be anything else
   */
  def allowName(isMeasure: Boolean): Unit = {
    val i = stream.index
    val isModifier = all(i).getType == G.INITIAL || all(i).getType == G.SEEK
    if (all(i).getType == G.AS) becomeName(i + 1)
    else if (isMeasure && isModifier || !begins(i)) becomeName(i)
  }

  private def becomeName(i: Int): Unit =
    if (PartWords.values.exists(_ == typeAt(i))) all(i).setType(G.IDENTIFIER)

  /**
   * Refuses too deep nesting before anything traverses it. The parser, the planner, EXPLAIN and
   * every comparison of two plans recurse as deeply as a pattern is nested. Spark itself refuses a
   * deep expression, but only after time quadratic in the depth.
   */
  private def checkNesting(): Unit = {
    var depth = 0
    var limit = MaxExpressionNesting
    all.indices.drop(2).foreach { i =>
      // The parentheses of PATTERN itself are not nesting.
      if (depth == 0)
        limit = if (wordAt(i - 1, "PATTERN")) MaxPatternNesting + 1 else MaxExpressionNesting
      typeAt(i) match {
        case G.LEFT_PAREN | G.LEFT_EXCLUSION => depth += 1
        case G.RIGHT_PAREN | G.RIGHT_EXCLUSION => depth -= 1
        case _ =>
      }
      if (depth > limit) throw SyntaxErrors.tooComplex(statement, all(i))
    }
  }

  private def beginsOperand(i: Int): Boolean =
    typeAt(i) != Token.EOF && !NoOperand(upper(all(i))) && !begins(i)

  /** Whether a measure begins, maybe with a column or a variable called WITHIN or MEASURES. */
  private def beginsMeasure(i: Int): Boolean = textAt(i) match {
    case "WITHIN" => !NoOperand(textAt(i + 1)) || wordAt(i + 1, "AS")
    // In `PARTITION BY k measures MEASURES v AS x` it is the part.
    case "MEASURES" if !begins(i) || continuesOperand(i + 1) || endsMeasure(i + 2) => true
    case text => (text == "*" || !isOperator(i)) && beginsOperand(i)
  }

  private def continuesOperand(i: Int): Boolean = wordAt(i, "(") || Signs(textAt(i)) ||
    isOperator(i) || WordOperators(textAt(i))

  private def isOperator(i: Int): Boolean = Operators(textAt(i)) && !beginsParameter(i)

  /** Whether `:name` after a word is a parameter, not a path in the column of that name. */
  private def beginsParameter(i: Int): Boolean = wordAt(i, ":") && nameAt(i + 1) &&
    all(i - 1).getStopIndex + 1 < all(i).getStartIndex

  private def endsMeasure(i: Int): Boolean = wordAt(i, ",") || begins(i)

  private def wordType(i: Int): Int = {
    val kind = all(i).getType
    if (kind != G.IDENTIFIER) kind
    else {
      val word = upper(all(i))
      word match {
        case "MATCH_RECOGNIZE" if i == 0 => G.MATCH_RECOGNIZE
        case "PARTITION" | "ORDER" | "ONE" | "ALL" | "AFTER" | "PATTERN" =>
          if (begins(i)) PartWords(word) else kind
        case "PERMUTE" => if (typeAt(i + 1) == G.LEFT_PAREN) G.PERMUTE else kind
        case "NEXT" => if (wordAt(i + 1, "ROW")) G.NEXT else kind
        case "FIRST" | "LAST" =>
          val modifier = !isWindow && Set("INITIAL", "SEEK")(textAt(i + 1))
          val precedes = nameAt(i + 1) && (!begins(i + 1) || modifier && wordAt(i - 1, "TO"))
          if (precedes || wordAt(i - 1, "NULLS") || wordAt(i - 1, "PAST")) Words(word) else kind
        case _ => PartWords.getOrElse(word, Words.getOrElse(word, kind))
      }
    }
  }

  /** The type at an index, that of the end after it. */
  def typeAt(i: Int): Int = if (all.isDefinedAt(i)) all(i).getType else Token.EOF

  /** Whether a word or a quoted name is at an index. */
  def nameAt(i: Int): Boolean =
    typeAt(i) != Token.EOF && StatementText.isName(statement.all(place(i)))

  /** The text at an index in upper case, "" after the end. */
  def textAt(i: Int): String = if (typeAt(i) == Token.EOF) "" else upper(all(i))

  private def wordAt(i: Int, word: String): Boolean = textAt(i) == word
}

private[clause] object ClauseTokens {
  // A thread's stack of one megabyte holds this recursion with room to spare (NestingSuite).
  private final val MaxPatternNesting = 400

  // More than the parser can handle with the JVM's default stack.
  private final val MaxExpressionNesting = 1000

  /** Whether tokens of this type are words or quoted names. */
  def isName(kind: Int): Boolean = kind >= G.IDENTIFIER

  private def upper(token: Token): String = token.getText.toUpperCase(Locale.ROOT)

  private val Symbols = Map(
    "(" -> G.LEFT_PAREN,
    ")" -> G.RIGHT_PAREN,
    "{" -> G.LEFT_BRACE,
    "{-" -> G.LEFT_EXCLUSION,
    "}" -> G.RIGHT_BRACE,
    "-}" -> G.RIGHT_EXCLUSION,
    "," -> G.COMMA,
    "=" -> G.EQUAL,
    "*" -> G.ASTERISK,
    "+" -> G.PLUS,
    "?" -> G.QUESTION,
    "|" -> G.VERTICAL,
    "||" -> G.DOUBLE_VERTICAL,
    "^" -> G.CIRCUMFLEX,
    "$" -> G.DOLLAR,
    ":" -> G.COLON,
    "." -> G.DOT
  )

  private def named(from: Int, to: Int): Map[String, Int] =
    (from to to).map(kind => G.VOCABULARY.getSymbolicName(kind) -> kind).toMap

  /** Words that begin a part of the clause. */
  private val PartWords =
    named(G.PARTITION, G.DEFINE) -- Seq("FRAME", "SHORT_FRAME", "EXCLUDE")

  /** Words inside a part. */
  private val Words = named(G.AS, G.NULLS) - "SKIP_TO" + ("SKIP" -> G.SKIP_TO)

  private val FrameUnits = Set("ROWS", "RANGE", "GROUPS")
  private val FrameWords = Set("BETWEEN", "UNBOUNDED", "CURRENT")
  private val FrameTypes = named(G.BETWEEN, G.FOLLOWING) + ("ROW" -> G.ROW)
  private val ExclusionWords = Set("NO", "CURRENT", "GROUP", "TIES")

  private val NoOperand = Set(")", ",", "=", "AS")

  /** What follows an operand. */
  private val Operators =
    words(". [ * / % | || & ^ :: : < > <= >= <> != == <=> -> =>")

  private val WordOperators = words("IS IN LIKE ILIKE RLIKE REGEXP BETWEEN AND OR DIV NOT")

  /** What precedes or follows an operand. */
  private val Signs = Set("+", "-")

  private def plainType(token: Token): Int =
    if (isQuotedName(token)) G.QUOTED_IDENTIFIER
    else if (isIdentifier(token)) G.IDENTIFIER
    else if (token.getType == SqlBaseLexer.INTEGER_VALUE) G.INTEGER
    else
      Symbols.getOrElse(
        token.getText,
        if (token.getType == SqlBaseLexer.UNRECOGNIZED && !Foreign(token.getText))
          Token.INVALID_TYPE
        else G.OTHER
      )

  /** Characters that Spark's lexer does not know but that are not a mistake by themselves. */
  private val Foreign = Set("@", "#")

  private val TypographicQuotes = Set("\u201c", "\u201d", "\u2018", "\u2019")

  /** `{-` and `-}` are one token here and two for Spark. */
  private def merge(before: ArrayBuffer[CommonToken], token: CommonToken): Boolean =
    before.lastOption.exists { last =>
      val isAdjacent = last.getStopIndex + 1 == token.getStartIndex
      val joined = if (isAdjacent) last.getText + token.getText else ""
      val isExclusion = joined == "{-" || joined == "-}"
      if (isExclusion) {
        last.setStopIndex(token.getStopIndex)
        last.setText(joined)
        last.setType(Symbols(joined))
      }
      isExclusion
    }
}
