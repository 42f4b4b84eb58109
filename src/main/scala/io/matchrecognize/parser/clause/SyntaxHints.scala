package io.matchrecognize.parser.clause

import org.antlr.v4.runtime.Token

import io.matchrecognize.errors.UserText
import io.matchrecognize.parser.clause.{ClauseGrammar => G}
import io.matchrecognize.parser.statement.{StatementText, SyntaxErrors}

/** The correction that a syntax error proposes, and the token that it points at. */
private[clause] final case class SyntaxHint(place: Int, text: String)

/** The hints of syntax errors: sentences of the error catalogue, "" if it has none. */
private[clause] final class SyntaxHints(tokens: ClauseTokens) {
  import SyntaxHints._
  import tokens.{all, nameAt, textAt}

  /** @param at the token that the grammar refused */
  def inGrammar(at: Int): SyntaxHint =
    if (typeAt(at) == G.IDENTIFIER && textAt(at) == "PATTERN") SyntaxHint(at, Parentheses)
    else
      commaBeforePart(all.lastIndexWhere(_.getType == G.COMMA, at - 1))
        .orElse(commaAtEnd(at))
        .orElse(otherWords(at))
        .orElse(misspelt(at))
        .getOrElse(SyntaxHint(at, ofPart(at)))

  /**
   * @param run
   *   the tokens of an expression
   * @param at
   *   the token that Spark's parser refused, or the one after the expression
   */
  def inExpression(run: Range, at: Int): SyntaxHint =
    commaBeforePart(run.head - 1)
      .orElse((at to at - 1 by -1).find(textAt(_) == "OVER").map(SyntaxHint(_, MeasureInside)))
      .orElse(partForKey(run.head))
      .orElse(nextDefinition(run))
      .orElse(otherWords(at))
      .orElse(otherWords(at - 1))
      .orElse(misspelt(at))
      .orElse(misspelt(at - 1))
      .getOrElse {
        val isMode = (at - 2 until at).exists(k => run.contains(k) && Modes(textAt(k)))
        SyntaxHint(at, if (isMode) Mode else "")
      }

  private def isWindow: Boolean = typeAt(0) == G.OVER

  private def isString(i: Int): Boolean = Seq("'", "\"").exists(textAt(i).startsWith)

  private def typeAt(i: Int): Int = if (all.isDefinedAt(i)) all(i).getType else Token.EOF

  /** `PARTITION BY g, ORDER BY k`: the comma makes the next part an operand. */
  private def commaBeforePart(comma: Int): Option[SyntaxHint] = {
    // Only words that can mean nothing else.
    val isPart = comma >= 0 && typeAt(comma) == G.COMMA && tokens.begins(comma + 1) &&
      !AlsoNames(textAt(comma + 1))
    Option.when(isPart)(removeComma(comma))
  }

  private def removeComma(comma: Int): SyntaxHint =
    SyntaxHint(comma, s"remove the comma before ${ClauseParts.keywords(textAt(comma + 1))}")

  /** `DEFINE A AS x > 1,` and nothing more. */
  private def commaAtEnd(at: Int): Option[SyntaxHint] = Option.when(
    typeAt(at) == G.RIGHT_PAREN && typeAt(at + 1) == Token.EOF && typeAt(at - 1) == G.COMMA
  )(SyntaxHint(at - 1, "remove the comma before the closing parenthesis"))

  /** `ORDER BY MEASURES x AS y`, where MEASURES cannot be the name of a key. */
  private def partForKey(i: Int): Option[SyntaxHint] =
    (textAt(i - 1), textAt(i)) match {
      case (",", "MEASURES") => Some(removeComma(i - 1))
      case ("BY", "MEASURES") => Some(SyntaxHint(i, "name a key before MEASURES"))
      case _ => None
    }

  /** `DEFINE A AS x > 1 B AS x > 2`: an expression of DEFINE that has an AS of its own. */
  private def nextDefinition(run: Range): Option[SyntaxHint] = {
    var depth = 0
    val as = run.find { k =>
      textAt(k) match {
        case "(" | "[" => depth += 1
        case ")" | "]" => depth -= 1
        case _ =>
      }
      depth == 0 && k > run.head && textAt(k) == "AS" && nameAt(k - 1)
    }
    as.filter(_ => textAt(run.head - 1) == "AS").map(k => SyntaxHint(k - 1, DefinitionComma))
  }

  /** Words that are missing, and what other clauses and languages write instead. */
  private def otherWords(i: Int): Option[SyntaxHint] = {
    val hint = (textAt(i), textAt(i + 1)) match {
      case (";", _) => Semicolon
      case (":", "=") => Assignment
      case (word @ ("PARTITION" | "ORDER"), next) if next != "BY" => s"write $word BY"
      case ("GROUP" | "DISTRIBUTE", "BY") => "write PARTITION BY"
      case ("SORT" | "CLUSTER", "BY") => "write ORDER BY"
      case ("SKIP", "PAST" | "TO") if textAt(i - 1) != "MATCH" => "write AFTER MATCH SKIP"
      case _ => ""
    }
    Option.when(hint.nonEmpty)(SyntaxHint(i, hint))
  }

  /** A misspelt keyword where the keyword could begin its part. */
  private def misspelt(i: Int): Option[SyntaxHint] = {
    val (text, next, afterNext) = (textAt(i), textAt(i + 1), textAt(i + 2))
    val fitting =
      if (!text.headOption.exists(_.isLetter)) Nil
      else if (next == "(") Seq("PATTERN")
      else if (next == "BY") Seq("PARTITION", "ORDER")
      else if (nameAt(i + 1) && afterNext == "AS") Seq("DEFINE", "MEASURES")
      else if (nameAt(i + 1) && afterNext == "=") Seq("SUBSET")
      else Seq("MEASURES")
    if (Set("ONE", "ALL")(text) && Set("ROW", "ROWS")(next) && afterNext == "PER")
      Some(SyntaxHint(i, Rows))
    else
      fitting
        .find(UserText.isNear(text, _))
        .filter(_ != text)
        .map(keyword => SyntaxHint(i, s"the keyword is $keyword"))
  }

  private def ofPart(at: Int): String = {
    def partAt(k: Int) = (k to 0 by -1).find(j => Parts(typeAt(j)))
    // The wrong token may itself begin the next part: then the part before it is incomplete.
    val part = openPattern(at).orElse(partAt(at - 1)).orElse(partAt(at))
    part.map(k => (typeAt(k), k)) match {
      case Some((G.MEASURES, _)) if typeAt(at - 2) == G.AS && nameAt(at) => MeasureComma
      case Some((G.MEASURES | G.PARTITION, _)) if typeAt(at - 1) == G.AS && isString(at) =>
        QuotedName
      case Some((G.MEASURES, _)) => Measure
      case Some((G.PARTITION | G.ORDER, _)) if typeAt(at) == G.ASTERISK => Keys
      case Some((G.DEFINE, _)) => Definition
      case Some((G.ONE | G.ALL, k)) if !all.slice(k, at).exists(_.getType == G.MATCH) => Rows
      case Some((kind @ (G.ONE | G.ALL), k)) => option(kind == G.ALL, k + 4 until at + 3)
      case Some((G.SUBSET, _)) => Subset
      case Some((G.AFTER, _)) => Skip
      case Some((G.PATTERN, k)) => patternHint(at, k)
      case None if isWindow && at == 2 && nameAt(at) => InheritedWindow
      case None if isWindow => WindowPartExpected
      case None if at > 1 => PartExpected
      case _ => ""
    }
  }

  /** The word PATTERN, if its parentheses are not closed before a token. */
  private def openPattern(at: Int): Option[Int] =
    (at - 1 to 0 by -1).find(typeAt(_) == G.PATTERN).filter { k =>
      (k + 1 until at).map(typeAt).foldLeft(0) {
        case (depth, G.LEFT_PAREN) => depth + 1
        case (depth, G.RIGHT_PAREN) => depth - 1
        case (depth, _) => depth
      } > 0
    }

  /** The option meant by the words after PER MATCH. */
  private def option(isAll: Boolean, after: Range): String = {
    val words = after.map(textAt).takeWhile(OptionWords)
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

  private def patternHint(at: Int, from: Int): String = {
    val kind = typeAt(at)
    val before = typeAt(at - 1)
    val inBraces = (at - 1 to from by -1)
      .map(typeAt)
      .find(k => k == G.LEFT_BRACE || k == G.RIGHT_BRACE)
      .contains(G.LEFT_BRACE)
    if (Set("WITHIN", "INTERVAL")(textAt(at - 1))) WithinAfter
    else if (inBraces || (before == G.LEFT_EXCLUSION && kind == G.INTEGER)) Quantifier
    else if (kind == G.OTHER || kind == G.DOT) otherNotation(at)
    else if (Repeats(kind)) NothingToRepeat
    else if (before == G.LEFT_BRACE) Quantifier
    else if (at == from + 2 && kind == G.RIGHT_PAREN) EmptyPattern
    else if (Closes(kind) && Opens(before)) Nothing
    else if (kind == G.DOUBLE_VERTICAL) Nothing
    else if (kind == G.COMMA) NoComma
    else if (kind == G.RIGHT_PAREN || kind == G.RIGHT_EXCLUSION) unclosed(at, from)
    else if (kind == G.INTEGER) Quantifier
    else PatternParts
  }

  /** What other pattern languages write. */
  private def otherNotation(at: Int): String = textAt(at) match {
    case "->" | "=>" | "~" | ">>" => Arrow
    case "&" => AnyOrder
    case "." => AnyRow
    case "!" => Negation
    case "[" => if (textAt(at + 1) == "^") Negation else Quantifier
    case text if text.head == '\'' || text.head == '"' => Unquoted
    case text if Comparisons(text) => Condition
    case _ => PatternParts
  }

  /** The bracket that the wrong closing token leaves open. */
  private def unclosed(at: Int, from: Int): String = {
    val open = (from until at).foldLeft(List.empty[Int]) { (stack, k) =>
      typeAt(k) match {
        case G.LEFT_PAREN | G.LEFT_EXCLUSION => k :: stack
        case G.RIGHT_PAREN | G.RIGHT_EXCLUSION if stack.nonEmpty => stack.tail
        case _ => stack
      }
    }
    val isExclusion = typeAt(at) == G.RIGHT_EXCLUSION
    if (isExclusion && !open.exists(typeAt(_) == G.LEFT_EXCLUSION)) NotOpened
    else open.headOption.map(k => SyntaxErrors.unclosed(all(k))).getOrElse("")
  }
}

private[clause] object SyntaxHints {
  private val Parts = (G.PARTITION to G.DEFINE).toSet
  private val Repeats = Set(G.ASTERISK, G.PLUS, G.QUESTION, G.LEFT_BRACE)
  private val Opens = Set(G.LEFT_PAREN, G.LEFT_EXCLUSION, G.VERTICAL, G.COMMA, G.DOUBLE_VERTICAL)
  private val Closes = Set(G.RIGHT_PAREN, G.RIGHT_EXCLUSION, G.VERTICAL, G.COMMA, G.DOUBLE_VERTICAL)

  private val QuotedName = "a name has no quotes or is in backticks, as in COUNT(*) AS `n`"
  val PatternTwice = "the word PATTERN is written once, as in PATTERN (A B+)"
  private val Measure = "a measure needs a name, as in COUNT(*) AS n"
  private val DefinitionComma = "definitions are separated by commas"
  // Words that begin a part and may as well be columns.
  private val AlsoNames = Set("MEASURES", "WITHIN", "INITIAL", "SEEK")
  private val Modes = Set("RUNNING", "FINAL")
  private val Mode = "RUNNING and FINAL precede a call, as in FINAL LAST(A.price)"
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
  private val Semicolon = "a semicolon ends the statement, and the clause is not closed"
  private val Assignment = "the name follows the expression, as in COUNT(*) AS n"
  val Bound = "a bound is a number or an interval, as in WITHIN INTERVAL '5' MINUTE"
  val Units = "the units of WITHIN are YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE and SECOND"
  val Skip = "SKIP goes PAST LAST ROW, TO NEXT ROW, or TO, TO FIRST, TO LAST a variable"
  private val Quantifier = 
    "a quantifier is *, +, ?, {n}, {n,}, {n,m} or {,m}, each bound an integer or a parameter marker"
  private val NothingToRepeat = "nothing to repeat here, repeat a group as in (A+)*"
  private val Nothing = "something is missing here, write () to match no row"
  private val EmptyPattern = s"$Nothing, as in PATTERN (())"
  private val NoComma = "variables follow each other without commas, as in (A B)"
  private val WithinAfter = "WITHIN follows the closing parenthesis of PATTERN"
  private val Arrow = "variables follow each other without arrows, as in (A B)"
  private val AnyOrder = "for variables in any order write PERMUTE(A, B)"
  private val PatternParts =
    "a pattern consists of variables, ( ), |, {- -}, ^, $, PERMUTE and quantifiers"
  private val AnyRow =
    "a variable without a definition matches any row, as ANY in PATTERN (A ANY* B)"
  private val Negation = "a pattern has no negation, define a variable by the opposite condition"
  private val Unquoted = "a pattern has no quotes, as in PATTERN (A B+)"
  private val Comparisons = Set("<", ">", "<=", ">=", "<>", "!=", "==")
  private val Condition = "conditions belong in DEFINE"
  private val Keys = "name the columns"
  private val NotOpened = "no {- is open here"
  private val Parentheses = "PATTERN takes parentheses, as in PATTERN (A B+)"
  private val Subset = "a SUBSET is a name and its variables in parentheses, as in U = (A, B)"
  private val Rows = "write ONE ROW PER MATCH or ALL ROWS PER MATCH"
  private val MeasureInside =
    "a measure or function over a window cannot be called here, repeat the measure's expression"
  private val InheritedWindow =
    "a window with a row pattern cannot be based on another window, write its parts here"
  private val WindowPartExpected =
    "the parts of a window with a row pattern are PARTITION BY, ORDER BY, MEASURES, ROWS BETWEEN, " +
      "AFTER MATCH SKIP, INITIAL or SEEK, PATTERN, SUBSET, DEFINE"
  private val PartExpected =
    "the parts of a clause are PARTITION BY, ORDER BY, MEASURES, ONE ROW " +
      "or ALL ROWS PER MATCH, AFTER MATCH SKIP, PATTERN, WITHIN, SUBSET, DEFINE"
}
