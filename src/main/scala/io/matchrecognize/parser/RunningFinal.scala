package io.matchrecognize.parser

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.matchrecognize.expressions.{PatternFunctionCall, RunningOrFinal}

/**
 * RUNNING or FINAL, and the function call that it stands before.
 *
 * @param begin
 *   index in the String of the call's first character
 * @param close
 *   index in the String of its closing parenthesis
 */
private[parser] final case class RunningFinal(word: Token, call: Token, begin: Int, close: Int) {

  /** Puts the word back over its call: the innermost node that begins and ends there. */
  def put(expression: Expression, statement: StatementText): Expression = {
    def covers(e: Expression): Boolean =
      e.origin.startIndex.contains(begin) && e.origin.stopIndex.exists(_ >= close)
    val candidates = expression.collect { case e if covers(e) => e }
    val call = candidates.find(isCall).orElse(candidates.lastOption)
    call match {
      case None => throw SyntaxErrors.unexpected(statement, word)
      case Some(found) =>
        val isFinal = word.getText.equalsIgnoreCase("FINAL")
        val origin = statement.origin(word, lastToken(found, statement))
        var done = false
        expression.transformDown {
          case e if !done && (e eq found) =>
            done = true
            CurrentOrigin.withOrigin(origin)(RunningOrFinal(isFinal, found))
        }
    }
  }

  private def isCall(e: Expression): Boolean = e match {
    case _: UnresolvedFunction | _: PatternFunctionCall | _: AggregateExpression => true
    case _ => false
  }

  private def lastToken(e: Expression, statement: StatementText): Token = {
    val stop = e.origin.stopIndex.getOrElse(close)
    statement.tokens.find(t => statement.lastIndex(t.getStopIndex) >= stop).getOrElse(call)
  }
}

private[parser] object RunningFinal {

  /** The modifiers of an expression, subqueries left out. */
  def find(run: IndexedSeq[Token], statement: StatementText): Seq[RunningFinal] = {
    val first = statement.tokens.indexWhere(_ eq run.head)
    def subqueryEnd(i: Int): Option[Int] =
      if (run(i).getText != "(" || i + 1 >= run.length) None
      else if (!Query(run(i + 1).getText.toUpperCase(java.util.Locale.ROOT))) None
      else statement.partner.get(first + i).map(_ - first)
    val found = Seq.newBuilder[RunningFinal]
    var i = 0
    while (i < run.length) {
      subqueryEnd(i) match {
        case Some(close) => i = close
        case None =>
          if (Operands.isModifier(run, i) && (i == 0 || !endsOperand(run(i - 1)))) {
            val open = (i until run.length).find(k => run(k).getText == "(").get
            val close = statement.partner.getOrElse(first + open, first + open)
            val call = run(i + 1)
            val begin = statement.firstIndex(call.getStartIndex)
            val end = statement.firstIndex(statement.tokens(close).getStopIndex)
            found += RunningFinal(run(i), call, begin, end)
          }
      }
      i += 1
    }
    found.result()
  }

  private def endsOperand(token: Token): Boolean = {
    val text = token.getText
    text == ")" || text == "]" || text == "?" || text == "." || {
      val head = text.head
      (head.isLetterOrDigit || head == '_' || head == '`' || head == '\'' || head == '"') &&
      !Operands.OperatorWords(text.toUpperCase(java.util.Locale.ROOT))
    }
  }

  private val Query = Set("SELECT", "WITH", "FROM", "VALUES", "TABLE")
}
