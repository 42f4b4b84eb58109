package io.matchrecognize.parser.clause

import scala.annotation.tailrec
import scala.collection.mutable.ArrayBuffer

import org.antlr.v4.runtime._
import org.apache.spark.sql.catalyst.parser.{ParseException, SqlBaseLexer, SqlBaseParser}

import io.matchrecognize.parser.clause.ClauseGrammar._
import io.matchrecognize.parser.statement.SparkErrors.isAt
import io.matchrecognize.parser.statement._

/**
 * Parses the clauses of a statement with the grammar, and each expression with Spark's parser at
 * that place in the same tokens. A syntax error is Spark's PARSE_SYNTAX_ERROR at the first wrong
 * token, with a hint if the error catalogue has one.
 */
private[clause] final class ClauseReader(statement: StatementText, parameters: ParameterValues) {
  import ClauseReader._

  private val spark = TokenParser(statement.all)

  /** @return the parts of a clause, in order */
  def read(clause: FoundClause): Seq[RowPatternPartContext] = {
    val tokens = new ClauseTokens(statement, clause)
    val parser = new ClauseGrammar(tokens.stream)
    parser.removeErrorListeners()
    parser.addErrorListener(new SyntaxErrorListener(statement, tokens))
    val parts = new ClauseParts(statement, clause.isWindow)
    parser.reader = new Expressions(parser, tokens, parts)
    if (clause.isWindow) parser.rowPatternWindow() else parser.rowPatternRecognitionClause()
    parts.complete(statement.origin(statement.tokens(clause.first), statement.tokens(clause.close)))
  }

  private final class Expressions(grammar: ClauseGrammar, tokens: ClauseTokens, parts: ClauseParts)
      extends Reader {

    private val hints = new SyntaxHints(tokens)

    override def part(part: RowPatternPartContext): Unit = parts.add(part)

    override def expression(context: ExpressionContext): SparkTree = {
      val i = tokens.stream.index
      def word = tokens.textAt(i)
      context.getParent match {
        case _: FrameBoundContext if FrameBounds(s"$word ${tokens.textAt(i + 1)}") =>
          tokens.stream.seek(i + 1)
          FrameKeyword(word)
        case parent =>
          val found = plain(parent)
          if (isNamed(parent)) tokens.allowName(isMeasure(parent))
          found
      }
    }

    private def isMeasure(parent: RuleContext): Boolean =
      parent.isInstanceOf[RowPatternMeasureDefinitionContext]

    /** Whether a name may follow the expression. */
    private def isNamed(parent: RuleContext): Boolean =
      isMeasure(parent) || parent.isInstanceOf[PartitionKeyContext]

    override def bound(context: BoundContext): SparkTree = {
      val i = tokens.stream.index
      val sign = if (Set("-", "+")(tokens.all(i).getText)) 1 else 0
      val isShort = tokens.all.slice(i + sign, i + sign + 3) match {
        case Seq(colon, name, unit) if isColon(colon) => StatementText.isName(name) && isUnit(unit)
        case Seq(value, unit, _*) => isValue(value) && isUnit(unit)
        case _ => false
      }
      if (isShort) interval() else plain(context)
    }

    private def isValue(token: Token) =
      StatementText.isNumber(token) || token.getText.head == '\'' || token.getText == "?"

    private def isColon(token: Token) = token.getText == ":"

    private def isUnit(token: Token) = StatementText.IntervalUnits(StatementText.word(token))

    /**
     * Parses an expression. If Spark stops before a token that may follow an expression, it parses
     * the piece of the clause up to the next comma or part, so that it reports the mistake inside.
     * If the mistake is a call after RUNNING or FINAL, that word is hidden and Spark parses again.
     */
    private def plain(parent: RuleContext): SparkExpression = {
      requireOperand(parent)
      val at = tokens.stream.index
      val modifiers = ArrayBuffer.empty[RunningFinal]
      @tailrec
      def read(): SqlBaseParser.ExpressionContext = {
        val result = attempt(spark.parse(statement.text) { parser =>
          spark.tokens.restart(tokens.place(at))
          parser.expression()
        })
        if (result.exists(tree => follows(tokens.after(tree.stop), parent))) result.toOption.get
        else {
          lazy val mistake = mistakeFrom(at, end(at, parent)).orElse(result.left.toOption)
          def found(place: Int) = modifierAt(place, tokens.place(at), parent)
          found(spark.tokens.farthest).orElse(mistake.map(placeOf).flatMap(found)) match {
            case Some(modifier) =>
              modifiers += modifier
              read()
            case None =>
              mistake.foreach(e => throw located(e, at, parent))
              refuseName(result.toOption.get, at, parent)
              result.toOption.get
          }
        }
      }
      val tree = read()
      consumed(SparkExpression(tree, modifiers.toSeq, spark))
    }

    private def attempt[T](read: => T): Either[ParseException, T] =
      try Right(read)
      catch { case e: ParseException => Left(e) }

    /** Spark would accept an alias after the expression; here only the grammar may. */
    private def refuseName(
        tree: SqlBaseParser.ExpressionContext,
        at: Int,
        parent: RuleContext
    ): Unit = {
      val run = at until end(at, parent)
      if (run.contains(tokens.after(tree.stop))) throw unexpected(hintFor(run, run.last))
    }

    /** Whether the token may follow an expression. */
    private def follows(i: Int, parent: RuleContext): Boolean = {
      val kind = tokens.all(i).getType
      def isBareName = ClauseTokens.isName(kind) && ends(i + 1)
      parent match {
        case _: RowPatternMeasureDefinitionContext => kind == AS || isBareName
        case _: PartitionKeyContext => ends(i) || kind == AS || isBareName
        case _: FrameBoundContext => kind == ROW || kind == PRECEDING || kind == FOLLOWING
        case _: SortItemContext => ends(i) || kind == ASC || kind == DESC || kind == NULLS
        case _ => ends(i)
      }
    }

    private def ends(i: Int): Boolean =
      Ends(tokens.all(i).getType) || tokens.begins(i)

    /** The mistake in the piece of the clause that begins at a token. */
    private def mistakeFrom(at: Int, end: Int): Option[ParseException] = {
      val piece = statement.all.slice(tokens.place(at), tokens.place(end)).map(new CommonToken(_))
      val last = new CommonToken(tokens.all(end))
      last.setType(Token.EOF)
      val parser = TokenParser(piece :+ last)
      attempt(parser.parse(statement.text)(_.singleExpression())).left.toOption
    }

    /** The comma, AS, part or closing parenthesis that ends the expression. */
    private def end(at: Int, parent: RuleContext): Int = {
      var depth = 0
      (at until tokens.all.length).find { i =>
        val text = tokens.all(i).getText
        val isEnd =
          depth == 0 && i > at && (ends(i) || isNamed(parent) && tokens.all(i).getType == AS)
        if (text == "(" || text == "[") depth += 1
        if (text == ")" || text == "]") depth -= 1
        isEnd || depth < 0
      }.get
    }

    /** The end of the piece is not the end of the user's input. */
    private def located(e: ParseException, at: Int, parent: RuleContext): ParseException = {
      val last = end(at, parent)
      val isAtEnd = e.getMessageParameters.get("error") == "end of input"
      val place = if (isAtEnd) last else tokens.all.indexWhere(isAt(_, e))
      val hint =
        if (e.getCondition != "PARSE_SYNTAX_ERROR" || place < 0) SyntaxHint(place, "")
        else hintFor(at until last, place)
      if (isAtEnd || hint.text.nonEmpty) unexpected(hint) else e
    }

    private def hintFor(run: Range, place: Int): SyntaxHint =
      if (run.isEmpty) SyntaxHint(place, "") else hints.inExpression(run, place)

    private def unexpected(hint: SyntaxHint): ParseException =
      SyntaxErrors.unexpected(statement, tokens.all(hint.place), hint.text)

    private def modifierAt(place: Int, begin: Int, parent: RuleContext) = parent match {
      case _: RowPatternMeasureDefinitionContext | _: RowPatternDefinitionContext =>
        RunningFinal.hide(statement, place, begin)
      case _ => None
    }

    /** `1 HOUR` is short for `INTERVAL 1 HOUR`: that word is inserted for Spark. */
    private def interval(): SparkExpression = {
      val begin = tokens.place(tokens.stream.index)
      val word = new CommonToken(statement.all(begin))
      word.setType(SqlBaseLexer.INTERVAL)
      word.setStopIndex(word.getStartIndex - 1)
      word.setText("INTERVAL")
      val rest = statement.all.drop(begin).map(new CommonToken(_))
      val parser = TokenParser(word +: rest)
      // Where parameter markers are no literals, one before a unit is a mistake.
      val tree = attempt(parser.parse(statement.text)(_.expression())).getOrElse {
        throw SyntaxErrors.unexpected(statement, statement.all(begin), SyntaxHints.Bound)
      }
      consumed(SparkExpression(tree, Nil, parser, isShortInterval = true))
    }

    /** If an expression is missing altogether, the grammar reports it better. */
    private def requireOperand(parent: RuleContext): Unit =
      (grammar.getCurrentToken.getType, parent) match {
        case (RIGHT_PAREN | COMMA, _) | (ASTERISK, _: PartitionKeyContext | _: SortItemContext) =>
          throw new InputMismatchException(grammar)
        case _ =>
      }

    private def consumed(expression: SparkExpression): SparkExpression = {
      val next = tokens.after(expression.tree.stop)
      // Hints look only at the words of the clause.
      (tokens.stream.index until next).foreach(tokens.all(_).setType(OTHER))
      tokens.stream.seek(next)
      valued(expression)
    }
  }

  /**
   * An expression with the values of its parameter markers. Like Spark, this parses twice: first
   * with the markers, to find them, and then with the values.
   */
  private def valued(read: SparkExpression): SparkExpression =
    parameters.written(read.tree, read.parser.tokens).fold(read) { tokens =>
      val end = new CommonToken(tokens.last)
      end.setType(Token.EOF)
      val parser = TokenParser(tokens :+ end)
      // The message names the value, which the statement does not show.
      def unexpected(token: Token): ParseException = {
        val marker = parameters.markerAt(read.tree, token).map(_.text(statement))
        val hint =
          marker.map(text => s"$text has this value, and the literal cannot be written here")
        SyntaxErrors.unexpected(statement, token, hint.getOrElse(""))
      }
      def explained(e: ParseException): ParseException = {
        val wrong = tokens.find { token =>
          isAt(token, e) && e.getMessageParameters.get("error") == s"'${token.getText}'"
        }
        wrong.filter(_ => e.getCondition == "PARSE_SYNTAX_ERROR").fold(e)(unexpected)
      }
      val tree =
        try parser.parse(statement.text)(_.expression())
        catch { case e: ParseException => throw explained(e) }
      tokens
        .drop(tree.stop.getTokenIndex + 1)
        .find(_.getChannel == Token.DEFAULT_CHANNEL)
        .foreach(token => throw unexpected(token))
      read.copy(tree = tree, parser = parser)
    }

  private def placeOf(e: ParseException): Int = statement.all.indexWhere(isAt(_, e))
}

private object ClauseReader {

  /** Bounds of a frame that begin with a keyword. */
  private val FrameBounds = Set("UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING", "CURRENT ROW")

  private val Ends = Set(COMMA, RIGHT_PAREN, Token.EOF)
}

/** Raises the first error of the grammar, with its hint. */
private final class SyntaxErrorListener(statement: StatementText, tokens: ClauseTokens)
    extends BaseErrorListener {
  override def syntaxError(
      recognizer: Recognizer[_, _],
      symbol: Any,
      line: Int,
      position: Int,
      message: String,
      cause: RecognitionException
  ): Unit = {
    val place = tokens.all.indexWhere(_ eq symbol.asInstanceOf[AnyRef])
    val hint = new SyntaxHints(tokens).inGrammar(place)
    throw SyntaxErrors.unexpected(statement, tokens.all(hint.place), hint.text)
  }
}
