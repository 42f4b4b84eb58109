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
    checkNesting(statement, inner)
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
        val hint = SyntaxHints.inGrammar(tokens, at)
        throw SyntaxErrors.unexpected(statement, tokens(hint.place), hint.text)
      }
    })
    parser.rowPatternRecognitionClause()
  }

  /**
   * Refuses what is nested too deep before anything walks it. The parser, the planner, EXPLAIN and
   * every comparison of two plans recur as deep as a pattern is nested. Spark refuses a deep
   * expression itself, but only after a time that grows with the square of the depth.
   */
  private def checkNesting(statement: StatementText, tokens: Seq[CommonToken]): Unit = {
    // The parentheses of PATTERN itself are not nesting.
    var inPattern = -1
    var inExpression = 0
    tokens.foreach { token =>
      val step = token.getText match {
        case "(" | "{-" => 1
        case ")" | "-}" => -1
        case _ => 0
      }
      if (token.getType == L.EXPRESSION_TOKEN) inExpression += step else inPattern += step
      if (inPattern > MaxPatternNesting || inExpression > MaxExpressionNesting)
        throw SyntaxErrors.tooComplex(statement, token)
    }
  }

  // A thread's stack of a megabyte holds several times what recurs over it.
  private final val MaxPatternNesting = 400

  // More than the parser takes with the stack that a JVM gives by default.
  private final val MaxExpressionNesting = 1000

  private def unknown(token: Token): Boolean = token.getType == L.OTHER
}
