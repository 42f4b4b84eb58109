package io.matchrecognize.parser.clause

import java.util.Locale

import org.antlr.v4.runtime.{CommonToken, Token}

import io.matchrecognize.errors.UserText
import io.matchrecognize.parser.clause.{ClauseGrammar => G}
import io.matchrecognize.parser.statement.{StatementText, SyntaxErrors}

/** The correction that a syntax error proposes, and the token that it points at. */
private[clause] final case class SyntaxHint(place: Int, text: String)

/** The hints of syntax errors: sentences of the error catalogue, "" if it has none. */
private[clause] object SyntaxHints {

  /** @param at the token that the grammar refused */
  def inGrammar(tokens: IndexedSeq[CommonToken], at: Int): SyntaxHint =
    if (tokens(at).getType == G.IDENTIFIER && upper(tokens(at)) == "PATTERN")
      SyntaxHint(at, Parentheses)
    else
      commaBeforePart(tokens, tokens.lastIndexWhere(_.getType == G.COMMA, at - 1))
        .orElse(misspelt(tokens, at))
        .getOrElse(SyntaxHint(at, ofPart(tokens, at)))

  /**
   * @param run
   *   the tokens of an expression
   * @param at
   *   the token that Spark's parser refused, or the one after the expression
   */
  def inExpression(tokens: IndexedSeq[CommonToken], run: Range, at: Int): SyntaxHint =
    commaBeforePart(tokens, run.head - 1)
      .orElse(nextDefinition(tokens, run))
      .orElse(misspelt(tokens, at))
      .orElse(misspelt(tokens, at - 1))
      .getOrElse {
        val isMode = (at - 2 until at).exists(k => run.contains(k) && Modes(upper(tokens(k))))
        SyntaxHint(at, if (isMode) Mode else "")
      }

  /** `PARTITION BY g, ORDER BY k`: the comma makes the next part an operand. */
  private def commaBeforePart(tokens: IndexedSeq[CommonToken], comma: Int): Option[SyntaxHint] =
    if (comma < 0 || tokens(comma).getType != G.COMMA) None
    else partAt(tokens, comma + 1).map(part => SyntaxHint(comma, s"remove the comma before $part"))

  /** The part of a clause that begins at a token, if the word can mean nothing else. */
  private def partAt(tokens: IndexedSeq[CommonToken], i: Int): Option[String] = {
    def next(k: Int): String = tokens.lift(i + k).map(upper).getOrElse("")
    def isNamed: Boolean = tokens.lift(i + 1).exists(isName)
    next(0) match {
      case part @ ("PARTITION" | "ORDER") if next(1) == "BY" => Some(s"$part BY")
      case "ONE" if next(1) == "ROW" => Some("ONE ROW PER MATCH")
      case "ALL" if next(1) == "ROWS" => Some("ALL ROWS PER MATCH")
      case "AFTER" if next(1) == "MATCH" => Some("AFTER MATCH SKIP")
      case "PATTERN" if next(1) == "(" => Some("PATTERN")
      case "SUBSET" if isNamed && next(2) == "=" => Some("SUBSET")
      case "DEFINE" if isNamed && next(2) == "AS" => Some("DEFINE")
      case _ => None
    }
  }

  /** `DEFINE A AS x > 1 B AS x > 2`: an expression of DEFINE that has an AS of its own. */
  private def nextDefinition(tokens: IndexedSeq[CommonToken], run: Range): Option[SyntaxHint] = {
    var depth = 0
    val as = run.find { k =>
      tokens(k).getText match {
        case "(" | "[" => depth += 1
        case ")" | "]" => depth -= 1
        case _ =>
      }
      depth == 0 && k > run.head && upper(tokens(k)) == "AS" && isName(tokens(k - 1))
    }
    as.filter(_ => run.head > 1 && upper(tokens(run.head - 1)) == "AS")
      .map(k => SyntaxHint(k - 1, DefinitionComma))
  }

  /** A misspelt keyword where the keyword could begin its part. */
  private def misspelt(tokens: IndexedSeq[CommonToken], i: Int): Option[SyntaxHint] = {
    val text = tokens.lift(i).map(upper).filter(_.head.isLetter).getOrElse("")
    val next = tokens.lift(i + 1).map(upper).getOrElse("")
    def afterNext: String = tokens.lift(i + 2).map(upper).getOrElse("")
    def isNamed: Boolean = tokens.lift(i + 1).exists(isName)
    val fitting =
      if (text.isEmpty) None
      else if (next == "(") Some("PATTERN")
      else if (next == "BY") Seq("PARTITION", "ORDER").find(UserText.isNear(text, _))
      else if (isNamed && afterNext == "AS")
        Seq("DEFINE", "MEASURES").find(UserText.isNear(text, _))
      else if (isNamed && afterNext == "=") Some("SUBSET")
      else Some("MEASURES")
    val isRows = Set("ONE", "ALL")(text) && Set("ROW", "ROWS")(next) && afterNext == "PER"
    if (isRows) Some(SyntaxHint(i, Rows))
    else
      fitting
        .filter(keyword => keyword != text && UserText.isNear(text, keyword))
        .map(keyword => SyntaxHint(i, s"the keyword is $keyword"))
  }

  // Compared by text: the tokens of expressions have lost their types.
  private def isName(token: Token): Boolean = {
    val head = token.getText.head
    head.isLetter || head == '_' || head == '`'
  }

  private def upper(token: Token): String = token.getText.toUpperCase(Locale.ROOT)

  private def ofPart(tokens: IndexedSeq[CommonToken], at: Int): String = {
    val part = (at to 0 by -1).find(k => Parts.contains(tokens(k).getType)).map { k =>
      // The wrong token may itself begin the next part: then the part before it is incomplete.
      if (k == at) (at - 1 to 0 by -1).find(j => Parts(tokens(j).getType)).getOrElse(k) else k
    }
    part.map(k => (tokens(k).getType, k)) match {
      case Some((G.MEASURES, _)) if tokens(at - 2).getType == G.AS && isName(tokens(at)) =>
        MeasureComma
      case Some((G.MEASURES, _)) => Measure
      case Some((G.DEFINE, _)) => Definition
      case Some((G.ONE | G.ALL, k)) if !tokens.slice(k, at).exists(_.getType == G.MATCH) => Rows
      case Some((kind @ (G.ONE | G.ALL), k)) => option(kind == G.ALL, tokens.slice(k + 4, at + 3))
      case Some((G.SUBSET, _)) => Subset
      case Some((G.AFTER, _)) => Skip
      case Some((G.PATTERN, k)) => patternHint(tokens, at, k)
      case None if at > 1 => PartExpected
      case _ => ""
    }
  }

  /** The option meant by the words after PER MATCH. */
  private def option(isAll: Boolean, after: Seq[Token]): String = {
    val words = after.map(upper).takeWhile(OptionWords)
    val omits = words.contains("OMIT") || words.contains("WITHOUT")
    (words.take(2), isAll) match {
      case (Seq(), _) => ""
      case (Seq("SHOW", "TIMEOUT"), true) => OneRowOption
      case (Seq("SHOW" | "OMIT", "EMPTY") | Seq("WITH", "UNMATCHED"), false) => AllRowsOption
      case _ if words.contains("UNMATCHED") && omits => NoUnmatched
      case _ if words.contains("TIMEOUT") && omits => NoTimeouts
      case (Seq("SHOW", "UNMATCHED"), true) => "write WITH UNMATCHED ROWS"
      case (Seq("SHOW", "UNMATCHED"), false) => "write ALL ROWS PER MATCH WITH UNMATCHED ROWS"
      case (_, true) => AllRowsOptions
      case (_, false) => OneRowOptions
    }
  }

  private def patternHint(tokens: IndexedSeq[CommonToken], at: Int, from: Int): String = {
    val kind = tokens(at).getType
    val before = tokens(at - 1).getType
    val inBraces = (at - 1 to from by -1)
      .map(tokens(_).getType)
      .find(k => k == G.LEFT_BRACE || k == G.RIGHT_BRACE || isPrimary(k))
      .contains(G.LEFT_BRACE)
    if (inBraces || (before == G.LEFT_EXCLUSION && kind == G.INTEGER)) Quantifier
    else if (Repeats(kind)) NothingToRepeat
    else if (before == G.LEFT_BRACE) Quantifier
    else if (at == from + 2 && kind == G.RIGHT_PAREN) EmptyPattern
    else if (Closes(kind) && Opens(before)) Nothing
    else if (kind == G.DOUBLE_VERTICAL) Nothing
    else if (kind == G.COMMA) NoComma
    else if (kind == G.RIGHT_PAREN || kind == G.RIGHT_EXCLUSION) unclosed(tokens, at, from)
    else ""
  }

  /** The bracket that the wrong closing token leaves open. */
  private def unclosed(tokens: IndexedSeq[CommonToken], at: Int, from: Int): String = {
    val open = (from until at).foldLeft(List.empty[Int]) { (stack, k) =>
      tokens(k).getType match {
        case G.LEFT_PAREN | G.LEFT_EXCLUSION => k :: stack
        case G.RIGHT_PAREN | G.RIGHT_EXCLUSION if stack.nonEmpty => stack.tail
        case _ => stack
      }
    }
    val isExclusion = tokens(at).getType == G.RIGHT_EXCLUSION
    if (isExclusion && !open.exists(tokens(_).getType == G.LEFT_EXCLUSION)) NotOpened
    else open.headOption.map(k => SyntaxErrors.unclosed(tokens(k))).getOrElse("")
  }

  private def isPrimary(kind: Int): Boolean = ClauseTokens.isName(kind) || kind == G.RIGHT_PAREN

  private val Parts = (G.PARTITION to G.DEFINE).toSet
  private val Repeats = Set(G.ASTERISK, G.PLUS, G.QUESTION, G.LEFT_BRACE)
  private val Opens = Set(G.LEFT_PAREN, G.LEFT_EXCLUSION, G.VERTICAL, G.COMMA, G.DOUBLE_VERTICAL)
  private val Closes = Set(G.RIGHT_PAREN, G.RIGHT_EXCLUSION, G.VERTICAL, G.COMMA, G.DOUBLE_VERTICAL)

  private val Measure = "a measure needs a name, as in COUNT(*) AS n"
  private val DefinitionComma = "definitions are separated by commas"
  private val Modes = Set("RUNNING", "FINAL")
  private val Mode = "RUNNING and FINAL stand before a call, as in FINAL LAST(A.price)"
  private val Definition = "a variable needs a condition, as in A AS price > 10"
  private val AllRowsOption = "this option belongs to ALL ROWS PER MATCH"
  private val OneRowOption = "this option belongs to ONE ROW PER MATCH"
  private val AllRowsOptions =
    "ALL ROWS PER MATCH takes one option: SHOW EMPTY MATCHES, OMIT EMPTY MATCHES or " +
      "WITH UNMATCHED ROWS"
  private val OneRowOptions = "ONE ROW PER MATCH takes one option: SHOW TIMEOUT MATCHES"
  private val NoUnmatched =
    "rows without a match are left out unless ALL ROWS PER MATCH WITH UNMATCHED ROWS is written"
  private val NoTimeouts =
    "matches that time out are left out unless ONE ROW PER MATCH SHOW TIMEOUT MATCHES is written"
  private val OptionWords =
    StatementText.words("SHOW OMIT WITH WITHOUT EMPTY UNMATCHED TIMEOUT MATCHES ROWS")
  private val MeasureComma = "measures are separated by commas"
  val Units = "the units of WITHIN are YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE and SECOND"
  val Skip = "SKIP goes PAST LAST ROW, TO NEXT ROW, or TO, TO FIRST, TO LAST a variable"
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
