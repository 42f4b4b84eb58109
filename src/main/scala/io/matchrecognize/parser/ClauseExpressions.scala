package io.matchrecognize.parser

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.matchrecognize.expressions.MalformedBound

/**
 * Has Spark's parser read the expressions of a clause.
 *
 * Spark gets a text in which everything but the expression is blank, so that its positions are
 * those of the user's statement; then all nodes get the user's text. RUNNING and FINAL, which Spark
 * does not know, are blanked too and put back by [[PatternExpressions]].
 */
private[parser] final class ClauseExpressions(
    statement: StatementText,
    delegate: ParserInterface,
    parameters: ParameterValues
) {
  private val origins = new UserOrigins(statement, Nil)

  /** An expression of PARTITION BY or ORDER BY, as Spark reads it. */
  def plain(first: Token, last: Token): Expression = {
    val parsed = parse(tokens(first, last), Set.empty)
    new PatternExpressions(statement).checkLambdas(parsed)
    parsed
  }

  /** An expression of MEASURES or DEFINE. */
  def inMatch(first: Token, last: Token): Expression = {
    val run = tokens(first, last)
    val modifiers = RunningFinal.find(run, statement)
    val parsed = parse(run, modifiers.map(_.word.getStartIndex).toSet)
    val converted = new PatternExpressions(statement).convert(parsed)
    modifiers.foldRight(converted)(_.put(_, statement))
  }

  /** The bound of WITHIN; `1 HOUR` is short for `INTERVAL 1 HOUR`. */
  def bound(first: Token, last: Token): Expression = {
    val run = tokens(first, last)
    val sign = if (Set("-", "+")(run.head.getText)) 1 else 0
    val isShort = run.length > sign + 1 &&
      beginsValue(run(sign).getText.head) && Operands.IntervalUnits(upper(run(sign + 1)))
    val whole = statement.origin(first, last)
    // Spark would take the word as a name of the value.
    if (!isShort && isUnknownUnit(run.drop(sign)))
      throw SyntaxErrors.unexpected(statement, run.last, SyntaxHints.Units)
    try
      if (!isShort) {
        val parsed = read(run, Set.empty) { e =>
          if (SparkErrors.isLegacy(e)) e else inClause(e, run)
        }
        new PatternExpressions(statement).checkLambdas(parsed)
        parsed
      } else {
        val text = "INTERVAL " + statement.between(first, last)
        origins.place(delegate.parseExpression(text), text, whole)
      }
    catch {
      case e: ParseException if isShort || SparkErrors.isLegacy(e) =>
        CurrentOrigin.withOrigin(whole)(MalformedBound(statement.between(first, last)))
    }
  }

  private def isUnknownUnit(run: Seq[Token]): Boolean =
    run.length == 2 && beginsValue(run.head.getText.head) && run.last.getText.head.isLetter

  private def upper(token: Token): String = token.getText.toUpperCase(java.util.Locale.ROOT)

  private def beginsValue(head: Char): Boolean = head.isDigit || head == '.' || head == '\''

  private def tokens(first: Token, last: Token): IndexedSeq[Token] = {
    val from = statement.tokens.indexWhere(_ eq first)
    statement.tokens.slice(from, statement.tokens.indexWhere(_ eq last, from) + 1)
  }

  private def parse(run: IndexedSeq[Token], blanks: Set[Int]): Expression =
    read(run, blanks)(inClause(_, run))

  private def read(run: IndexedSeq[Token], blanks: Set[Int])(
      failure: ParseException => ParseException
  ): Expression = {
    val text = blanked(run, blanks)
    val parsed =
      try delegate.parseExpression(text)
      catch { case e: ParseException => throw failure(e) }
    origins.replace(parsed, text)
    Generators.refuse(parsed, statement)
    parameters.bind(unnamed(parsed, run))
  }

  private def inClause(e: ParseException, run: IndexedSeq[Token]): ParseException =
    SparkErrors.inClause(e, statement, places(run))

  /** Where the tokens of an expression are among those of the statement. */
  private def places(run: IndexedSeq[Token]): Range = {
    val last = statement.tokens.indexWhere(_ eq run.last)
    last + 1 - run.length to last
  }

  /** Spark would take a name after the expression; here each has its own place. */
  private def unnamed(parsed: Expression, run: IndexedSeq[Token]): Expression = {
    def spurious(alias: Expression) = alias match {
      case a: Alias => a.child.nodeName != "SemiStructuredExtract"
      case other => other.nodeName == "MultiAlias"
    }
    if (spurious(parsed)) {
      val hint = SyntaxHints.inExpression(statement.tokens, places(run), places(run).last)
      throw SyntaxErrors.unexpected(statement, statement.tokens(hint.place), hint.text)
    }
    parsed.transformDown {
      case a: Alias if a.child.nodeName == "SemiStructuredExtract" => a.child
    }
  }

  /** The statement up to the end of the expression, all before it blank; line ends are kept. */
  private def blanked(run: IndexedSeq[Token], blanks: Set[Int]): String = {
    val codePoints = statement.codePoints.take(run.last.getStopIndex + 1)
    def blank(from: Int, until: Int): Unit = (from until until).foreach { i =>
      if (codePoints(i) != '\n' && codePoints(i) != '\r') codePoints(i) = ' '
    }
    blank(0, run.head.getStartIndex)
    run.foreach(t => if (blanks(t.getStartIndex)) blank(t.getStartIndex, t.getStopIndex + 1))
    new String(codePoints, 0, codePoints.length)
  }
}
