package io.matchrecognize.parser.clause

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.matchrecognize.expressions.{CallMode, PatternFunctionCall}
import io.matchrecognize.parser.statement.{StatementText, SyntaxErrors}

/**
 * RUNNING or FINAL, and the function call that it precedes.
 *
 * @param call
 *   the first token of the call
 */
private[clause] final case class RunningFinal(word: Token, call: Token, statement: StatementText) {
  private val close: Int = {
    val first = statement.tokens.indexWhere(_.getStartIndex == call.getStartIndex)
    val open = statement.tokens.indexWhere(_.getText == "(", first)
    statement.tokens(statement.partner.getOrElse(open, open)).getStopIndex
  }

  /** Wraps the innermost node that begins at the call and covers its arguments. */
  def put(expression: Expression): Expression = {
    def covers(e: Expression): Boolean =
      e.origin.startIndex.contains(call.getStartIndex) && e.origin.stopIndex.exists(_ >= close)
    val candidates = expression.collect { case e if covers(e) => e }
    candidates.find(isCall).orElse(candidates.lastOption) match {
      case None => throw SyntaxErrors.unexpected(statement, word)
      case Some(found) =>
        val isFinal = word.getText.equalsIgnoreCase("FINAL")
        val origin = statement.origin(word, lastToken(found))
        // Spark repeats the value of a CASE or a LIKE ANY in each of its comparisons; copies of an
        // IDENTIFIER are not equal.
        def wrapped(e: Expression): Expression =
          if (e.getClass != found.getClass || e.origin != found.origin) e.mapChildren(wrapped)
          else CurrentOrigin.withOrigin(origin)(CallMode(isFinal, e))
        wrapped(expression)
    }
  }

  private def isCall(e: Expression): Boolean = e match {
    case _: UnresolvedFunction | _: AggregateExpression | _: PatternFunctionCall => true
    case _ => false
  }

  private def lastToken(e: Expression): Token = {
    val stop = e.origin.stopIndex.getOrElse(close)
    statement.tokens.find(_.getStopIndex >= stop).getOrElse(call)
  }
}

private[clause] object RunningFinal {
  private val Query = StatementText.words("SELECT WITH FROM VALUES TABLE")

  /**
   * Hides RUNNING or FINAL if Spark stopped at the word, at the call after it or at the parenthesis
   * of that call. In a subquery they are ordinary names.
   */
  def hide(statement: StatementText, place: Int, begin: Int): Option[RunningFinal] = {
    def isVisible(token: Token) = token.getChannel == Token.DEFAULT_CHANNEL
    val read = statement.all.slice(begin, place + 1).filter(isVisible)
    val next = statement.all.iterator.drop(place + 1).find(isVisible)
    val (visible, last) = read.lastOption match {
      case Some(word) if isModifier(word) => (read ++ next, read.length)
      case Some(open) if open.getText == "(" => (read, nameBefore(read))
      case _ => (read, read.length - 1)
    }
    for {
      word <- visible.lift(last - 1)
      call <- visible.lift(last)
      if isModifier(word) && isCall(call, statement) && !insideQuery(visible.take(last))
    } yield {
      word.setChannel(Token.HIDDEN_CHANNEL)
      RunningFinal(word, call, statement)
    }
  }

  /** The first token of the name that ends before the last of the tokens. */
  private def nameBefore(tokens: IndexedSeq[Token]): Int =
    Iterator.iterate(tokens.length - 2)(_ - 2).find(k => k < 1 || tokens(k - 1).getText != ".").get

  private def insideQuery(tokens: IndexedSeq[Token]): Boolean =
    tokens.indices
      .foldLeft(List.empty[Boolean]) { (open, k) =>
        tokens(k).getText match {
          case "(" => tokens.lift(k + 1).exists(t => Query(StatementText.word(t))) :: open
          case ")" => open.drop(1)
          case _ => open
        }
      }
      .contains(true)

  private def isModifier(token: Token): Boolean =
    StatementText.isWord(token, "RUNNING") || StatementText.isWord(token, "FINAL")

  private def isCall(token: Token, statement: StatementText): Boolean = {
    val from = statement.tokens.indexWhere(_.getStartIndex == token.getStartIndex)
    def at(i: Int) = statement.tokens.lift(i).map(_.getText)
    val last = Iterator.iterate(from)(_ + 2).find(k => !at(k + 1).contains(".")).get
    from >= 0 && StatementText.isName(token) && !StatementText.isWord(token, "AS") &&
    at(last + 1).contains("(")
  }
}
