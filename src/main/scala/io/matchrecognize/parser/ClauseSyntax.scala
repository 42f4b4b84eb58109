package io.matchrecognize.parser

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.atn.PredictionMode
import org.antlr.v4.runtime.{
  BaseErrorListener,
  CommonToken,
  CommonTokenStream,
  DefaultErrorStrategy,
  ListTokenSource,
  RecognitionException,
  Recognizer,
  Token
}

import io.matchrecognize.parser.MatchRecognizeParser.RowPatternRecognitionClauseContext
import io.matchrecognize.parser.{MatchRecognizeLexer => L}

/**
 * Reads one clause with the grammar. A syntax error is Spark's PARSE_SYNTAX_ERROR at the first
 * wrong token, with a hint where the error catalogue has one.
 */
private[parser] object ClauseSyntax {

  def parse(
      statement: StatementText,
      clause: ClauseTokens
  ): RowPatternRecognitionClauseContext = {
    val inner = statement.tokens.slice(clause.open + 1, clause.close)
    inner.find(unknown).foreach(t => throw SyntaxErrors.unexpected(statement, t))
    new ClauseWords(inner).assign()
    statement.tokens(clause.word).setType(L.MATCH_RECOGNIZE)
    val tokens = statement.tokens.slice(clause.word, clause.close + 1)
    val last = statement.tokens(clause.close)
    val end = new CommonToken(last)
    end.setType(Token.EOF)
    val source = new ListTokenSource((tokens :+ end).map(t => t: Token).asJava)
    val parser = new MatchRecognizeParser(new CommonTokenStream(source))
    parser.removeErrorListeners()
    parser.getInterpreter.setPredictionMode(PredictionMode.LL)
    parser.setErrorHandler(new DefaultErrorStrategy)
    parser.addErrorListener(new BaseErrorListener {
      override def syntaxError(
          recognizer: Recognizer[_, _],
          symbol: Any,
          line: Int,
          position: Int,
          message: String,
          cause: RecognitionException
      ): Unit = {
        val at = tokens.indexWhere(_ eq symbol.asInstanceOf[AnyRef]) match {
          case -1 => tokens.length - 1
          case k => k
        }
        throw SyntaxErrors.unexpected(statement, tokens(at), hint(tokens, at))
      }
    })
    parser.rowPatternRecognitionClause()
  }

  private def unknown(token: Token): Boolean = token.getType == L.OTHER

  private def hint(tokens: IndexedSeq[CommonToken], at: Int): String = {
    val isBarePattern = tokens(at).getText.equalsIgnoreCase("PATTERN") &&
      tokens(at).getType == L.IDENTIFIER
    if (isBarePattern) Parentheses else partHint(tokens, at)
  }

  private def partHint(tokens: IndexedSeq[CommonToken], at: Int): String = {
    val part = (at to 0 by -1).find(k => Parts.contains(tokens(k).getType)).map { k =>
      // The wrong token may itself begin the next part: what misses something is the part before.
      if (k == at) (at - 1 to 0 by -1).find(j => Parts(tokens(j).getType)).getOrElse(k) else k
    }
    part.map(k => (tokens(k).getType, k)) match {
      case Some((L.MEASURES, _)) => Measure
      case Some((L.DEFINE, _)) => Definition
      case Some((L.ONE, _)) if wordAround(tokens, at, "SHOW", "OMIT", "WITH") => AllRowsOption
      case Some((L.ALL, _)) if wordAround(tokens, at, "SHOW") => OneRowOption
      case Some((L.ONE | L.ALL, k)) if !tokens.slice(k, at).exists(_.getType == L.MATCH) => Rows
      case Some((L.SUBSET, _)) => Subset
      case Some((L.AFTER, _)) => Skip
      case Some((L.PATTERN, k)) => patternHint(tokens, at, k)
      case None if at > 1 => PartExpected
      case _ => ""
    }
  }

  private def wordAround(tokens: IndexedSeq[CommonToken], at: Int, words: String*): Boolean =
    Seq(at, at - 1).exists(k => words.exists(_.equalsIgnoreCase(tokens(k).getText)))

  private def patternHint(tokens: IndexedSeq[CommonToken], at: Int, from: Int): String = {
    val kind = tokens(at).getType
    val before = tokens(at - 1).getType
    val inBraces = (at - 1 to from by -1)
      .map(tokens(_).getType)
      .find(k => k == L.LEFT_BRACE || k == L.RIGHT_BRACE || isPrimary(k))
      .contains(L.LEFT_BRACE)
    if (inBraces || (before == L.LEFT_EXCLUSION && kind == L.INTEGER)) Quantifier
    else if (Repeats(kind)) NothingToRepeat
    else if (before == L.LEFT_BRACE) Quantifier
    else if (at == from + 2 && kind == L.RIGHT_PAREN) EmptyPattern
    else if (Closes(kind) && Opens(before)) Nothing
    else if (kind == L.DOUBLE_VERTICAL) Nothing
    else if (kind == L.COMMA) NoComma
    else if (kind == L.RIGHT_PAREN || kind == L.RIGHT_EXCLUSION) unclosed(tokens, at, from)
    else ""
  }

  /** What the wrong closing token leaves open. */
  private def unclosed(tokens: IndexedSeq[CommonToken], at: Int, from: Int): String = {
    val open = (from until at).foldLeft(List.empty[Int]) { (stack, k) =>
      tokens(k).getType match {
        case L.LEFT_PAREN | L.LEFT_EXCLUSION => k :: stack
        case L.RIGHT_PAREN | L.RIGHT_EXCLUSION if stack.nonEmpty => stack.tail
        case _ => stack
      }
    }
    val isExclusion = tokens(at).getType == L.RIGHT_EXCLUSION
    if (isExclusion && !open.exists(tokens(_).getType == L.LEFT_EXCLUSION)) NotOpened
    else open.headOption.map(k => SyntaxErrors.unclosed(tokens(k))).getOrElse("")
  }

  private def isPrimary(kind: Int): Boolean =
    kind == L.IDENTIFIER || kind == L.BACKQUOTED_IDENTIFIER || kind == L.RIGHT_PAREN

  private val Parts = Set(
    L.PARTITION,
    L.ORDER,
    L.MEASURES,
    L.ONE,
    L.ALL,
    L.AFTER,
    L.INITIAL,
    L.SEEK,
    L.PATTERN,
    L.WITHIN,
    L.SUBSET,
    L.DEFINE
  )
  private val Repeats = Set(L.ASTERISK, L.PLUS, L.QUESTION, L.LEFT_BRACE)
  private val Opens = Set(L.LEFT_PAREN, L.LEFT_EXCLUSION, L.VERTICAL, L.COMMA, L.DOUBLE_VERTICAL)
  private val Closes = Set(L.RIGHT_PAREN, L.RIGHT_EXCLUSION, L.VERTICAL, L.COMMA, L.DOUBLE_VERTICAL)

  private val Measure = "a measure needs a name, as in COUNT(*) AS n"
  private val Definition = "a variable needs a condition, as in A AS price > 10"
  private val AllRowsOption = "this option belongs to ALL ROWS PER MATCH"
  private val OneRowOption = "this option belongs to ONE ROW PER MATCH"
  private val Skip = "SKIP goes PAST LAST ROW, TO NEXT ROW, or TO, TO FIRST, TO LAST a variable"
  private val Quantifier = "a quantifier is *, +, ?, {n}, {n,}, {n,m} or {,m}"
  private val NothingToRepeat = "nothing to repeat here, repeat a group as in (A+)*"
  private val Nothing = "nothing stands here, write () to match no row"
  private val EmptyPattern = s"$Nothing, as in PATTERN (())"
  private val NoComma = "variables follow each other without commas, as in (A B)"
  private val NotOpened = "no {- is open here"
  private val Parentheses = "PATTERN takes parentheses, as in PATTERN (A B+)"
  private val Subset = "a SUBSET is a name and its variables in parentheses, as in U = (A, B)"
  private val Rows = "write ONE ROW PER MATCH or ALL ROWS PER MATCH"
  private val PartExpected =
    "the parts of a clause are PARTITION BY, ORDER BY, MEASURES, ONE ROW " +
      "or ALL ROWS PER MATCH, AFTER MATCH SKIP, PATTERN, WITHIN, SUBSET, DEFINE"
}
