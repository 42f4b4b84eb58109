package io.matchrecognize.parser.clause

import scala.util.matching.Regex

import io.matchrecognize.errors.UserText
import io.matchrecognize.parser.clause.{ClauseGrammar => G}

/** The correction that a syntax error proposes, and the token that it points at. */
private[clause] final case class SyntaxHint(place: Int, text: String)

/**
 * The hints of syntax errors in a clause: rows of a pattern and a sentence, of which the first that
 * fits is shown, and misspelt keywords. A mistake without a row has Spark's message alone.
 */
private[clause] final class SyntaxHints(tokens: ClauseTokens) {
  import SyntaxHints._
  import tokens.{all, nameAt, textAt, typeAt}

  /** @param at the token that the grammar refused */
  def inGrammar(at: Int): SyntaxHint =
    commaBeforePart(all.lastIndexWhere(_.getType == G.COMMA, at - 1))
      .orElse(first(Anywhere, (at - 2).max(0), at))
      .orElse(misspelt(at))
      .orElse(first(InPart, partOf(at), at))
      .getOrElse(SyntaxHint(at, ""))

  /**
   * @param run
   *   the tokens of an expression
   * @param at
   *   the token that Spark's parser refused, or the one after the expression
   */
  def inExpression(run: Range, at: Int): SyntaxHint =
    commaBeforePart(run.head - 1)
      .orElse(first(InExpression, run.head - 1, at))
      .orElse(first(Anywhere, at - 1, at))
      .orElse(first(Anywhere, at - 1, at - 1))
      .orElse(misspelt(at))
      .orElse(misspelt(at - 1))
      .getOrElse(SyntaxHint(at, if (textAt(run.head - 1) == "WITHIN") Bound else ""))

  /** The first row that fits the text from a token on, with `@@` before the wrong token. */
  private def first(rows: Seq[(Regex, String)], from: Int, at: Int): Option[SyntaxHint] = {
    val words = (from to at + 2).map(k => if (k == at) s"@@ ${textAt(k)}" else textAt(k))
    val starts = words.scanLeft(0)(_ + _.length + 1)
    rows.iterator
      .flatMap { case (pattern, sentence) =>
        pattern.findFirstMatchIn(words.mkString(" ")).map { found =>
          val group = if (found.groupCount > 0) found.group(1) else ""
          val place = if (group.isEmpty) at else from + starts.lastIndexWhere(_ <= found.start(1))
          SyntaxHint(place, sentence.replace("$1", group))
        }
      }
      .nextOption()
  }

  /** `PARTITION BY g, ORDER BY k`: the comma makes the next part an operand. */
  private def commaBeforePart(comma: Int): Option[SyntaxHint] = {
    // Only words that can mean nothing else.
    val isPart = comma >= 0 && typeAt(comma) == G.COMMA && tokens.begins(comma + 1) &&
      !AlsoNames(textAt(comma + 1))
    Option.when(isPart) {
      SyntaxHint(comma, s"remove the comma before ${ClauseParts.keywords(textAt(comma + 1))}")
    }
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
    fitting
      .find(UserText.isNear(text, _))
      .filter(_ != text)
      .map(keyword => SyntaxHint(i, s"the keyword is $keyword"))
  }

  /** The part that is wrong: a PATTERN with open parentheses, else the last one that has begun. */
  private def partOf(at: Int): Int = {
    def partAt(k: Int) = (k to 0 by -1).find(j => Parts(typeAt(j)))
    def isOpen(k: Int) = (k + 1 until at).map(typeAt).foldLeft(0) {
      case (depth, G.LEFT_PAREN) => depth + 1
      case (depth, G.RIGHT_PAREN) => depth - 1
      case (depth, _) => depth
    } > 0
    // The wrong token may itself begin the next part: then the part before it is incomplete.
    (at - 1 to 0 by -1)
      .find(typeAt(_) == G.PATTERN)
      .filter(isOpen)
      .orElse(partAt(at - 1))
      .orElse(partAt(at))
      .getOrElse(0)
  }
}

private[clause] object SyntaxHints {
  private val Parts = (G.PARTITION to G.DEFINE).toSet

  // Words that begin a part and may as well be columns.
  private val AlsoNames = Set("MEASURES", "WITHIN", "INITIAL", "SEEK")

  val Bound = "a bound is a number or an interval, as in WITHIN INTERVAL '5' MINUTE"

  private val Quantifier =
    "a quantifier is *, +, ?, {n}, {n,}, {n,m} or {,m}, each bound an integer or a parameter marker"
  private val Nothing = "something is missing here, write () to match no row"
  private val RowsPerMatch = "write ONE ROW PER MATCH or ALL ROWS PER MATCH"

  private val NoStar =
    "name each measure, as in LAST(A.price) AS price; ALL ROWS PER MATCH returns all columns"

  private val NoQuotes = "write a variable without quotes or in backticks, as in (A `first day`+)"

  private val MeasureInside =
    "a measure or function over a window cannot be called here, repeat the measure's expression"

  // If a pattern has a group, the error points at what it matches; `$1` is its text.
  private def rows(of: (String, String)*): Seq[(Regex, String)] = of.map { case (pattern, text) =>
    pattern.r -> text
  }

  private val Anywhere = rows(
    """(?:MEASURES|[,.]) (\*) @@ """ -> NoStar,
    """FILTER @@ WHERE """ -> "write FILTER (WHERE ...)",
    """@@ WHERE """ ->
      "rows are filtered before the clause, as in FROM (SELECT * FROM t WHERE ...) MATCH_RECOGNIZE",
    """@@ PATTERN [^(]""" -> "PATTERN takes parentheses, as in PATTERN (A B+)",
    """(,) @@ \) *$""" -> "remove the comma before the closing parenthesis",
    """@@ ;""" -> "a semicolon ends the statement, and the clause is not closed",
    """@@ : =""" -> "the name follows the expression, as in COUNT(*) AS n",
    """@@ (PARTITION|ORDER) (?!BY )""" -> "write $1 BY",
    """@@ (?:GROUP|DISTRIBUTE) BY """ -> "write PARTITION BY",
    """@@ (?:SORT|CLUSTER) BY """ -> "write ORDER BY",
    """(?<!MATCH )@@ SKIP (?:PAST|TO)""" -> "write AFTER MATCH SKIP",
    """@@ (?:ONE|ALL) ROWS? PER""" -> RowsPerMatch
  )

  /** The text begins with the keyword of the part, or with the clause's first word. */
  private val InPart = rows(
    """^MEASURES .* AS \S+ @@ [\w`]""" -> "measures are separated by commas",
    """^(?:MEASURES|PARTITION) .* AS @@ ['"]""" ->
      "write a name without quotes or in backticks, as in COUNT(*) AS `n`",
    """^(?:AFTER .* (?:TO|FIRST|LAST)|SUBSET(?: .* [(,])?|DEFINE(?: .* ,)?) @@ ['"]""" -> NoQuotes,
    """^MEASURES """ -> "a measure needs a name, as in COUNT(*) AS n",
    """^(?:PARTITION|ORDER) .*@@ \*""" -> "name the columns",
    """^DEFINE """ -> "a variable needs a condition, as in A AS price > 10",
    """^(?:ONE|ALL) (?!.* MATCH .*@@)""" -> RowsPerMatch,
    """^ALL .*(?:SHOW|OMIT|WITH|WITHOUT) """ ->
      ("ALL ROWS PER MATCH takes one option: SHOW EMPTY MATCHES, OMIT EMPTY MATCHES or " +
        "WITH UNMATCHED ROWS"),
    """^ONE .*(?:SHOW|OMIT|WITH|WITHOUT) """ ->
      ("ONE ROW PER MATCH takes one option: SHOW TIMEOUT MATCHES; the others belong to " +
        "ALL ROWS PER MATCH"),
    """^SUBSET """ -> "a SUBSET is a name and its variables in parentheses, as in U = (A, B)",
    """^AFTER """ -> "SKIP goes PAST LAST ROW, TO NEXT ROW, or TO, TO FIRST, TO LAST a variable",
    """^PATTERN .* (?:WITHIN|INTERVAL) @@""" ->
      "WITHIN follows the closing parenthesis of PATTERN",
    """^PATTERN .*(?:\{ [^{}]*@@|\{- @@ \d)""" -> Quantifier,
    """^PATTERN .*@@ (?:->|=>|~|>>)""" -> "variables follow each other without arrows, as in (A B)",
    """^PATTERN .*@@ &""" -> "for variables in any order write PERMUTE(A, B)",
    """^PATTERN .*@@ \.""" ->
      "a variable without a definition matches any row, as ANY in PATTERN (A ANY* B)",
    """^PATTERN .*@@ (?:!|\[ \^)""" ->
      "a pattern has no negation, define a variable by the opposite condition",
    """^PATTERN .*@@ ['"]""" -> NoQuotes,
    """^PATTERN .*@@ (?:[<>]=?|<>|!=|==) """ -> "conditions belong in DEFINE",
    """^PATTERN .*@@ (?:[*+?]|\{ )""" -> "nothing to repeat here, repeat a group as in (A+)*",
    """^PATTERN \( @@ \)""" -> s"$Nothing, as in PATTERN (())",
    """^PATTERN .*(?:\(|\{-|\||,) @@ (?:\)|-\}|\||,)|^PATTERN .*@@ \|\|""" -> Nothing,
    """^PATTERN .*@@ ,""" -> "variables follow each other without commas, as in (A B)",
    """^PATTERN .*@@ \)""" -> "a {- is not closed",
    """^PATTERN .*@@ -\}""" -> "a {- or a parenthesis is missing before it",
    """^PATTERN .* (?:\S|\)) (\() @@ \d+ ,""" ->
      "an f-string of Python reads { and } itself, write {{ and }} in it, as in A{{2,}}",
    """^PATTERN .*@@ (?:\d|\[)""" -> Quantifier,
    """^PATTERN """ ->
      "a pattern consists of variables, ( ), |, {- -}, ^, $, PERMUTE and quantifiers",
    """^OVER \( @@ [\w`]""" ->
      "a window with a row pattern cannot be based on another window, write its parts here",
    """^OVER """ ->
      ("the parts of a window with a row pattern are PARTITION BY, ORDER BY, MEASURES, " +
        "ROWS BETWEEN, AFTER MATCH SKIP, INITIAL or SEEK, PATTERN, SUBSET, DEFINE"),
    """^MATCH_RECOGNIZE .* @@""" ->
      ("the parts of a clause are PARTITION BY, ORDER BY, MEASURES, ONE ROW " +
        "or ALL ROWS PER MATCH, AFTER MATCH SKIP, PATTERN, WITHIN, SUBSET, DEFINE")
  )

  /** The text begins with the token before the expression. */
  private val InExpression = rows(
    """^WITHIN (?:[-+] )?\S+ (?:@@ )?([A-Z]+) (?:@@ )?(?:\)|SUBSET|DEFINE)""" ->
      "the units of WITHIN are YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE and SECOND",
    """^(?:MEASURES|,) (?:\S+ \. )?(\*) """ -> NoStar,
    """@@ OVER """ -> MeasureInside,
    """(OVER) @@""" -> MeasureInside,
    """^(,) (?:@@ )?MEASURES """ -> "remove the comma before MEASURES",
    """^BY (?:@@ )?(MEASURES) """ -> "name a key before MEASURES",
    """^AS (?:[^()]|\([^()]*\))* ([^\s()@]+) (?:@@ )?AS """ -> "definitions are separated by commas",
    """ (?:RUNNING|FINAL) (?:\S+ )?@@""" ->
      "RUNNING and FINAL precede a call, as in FINAL LAST(A.price)"
  )
}
