package io.matchrecognize.parser.statement

import org.antlr.v4.runtime.tree.{ParseTree, RuleNode, TerminalNode}
import org.antlr.v4.runtime.{CommonToken, ParserRuleContext, Token}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{ParseException, SqlBaseLexer, SqlBaseParser}

import io.matchrecognize.errors.UserText.quoted
import io.matchrecognize.shims.{ParameterText, StatementParameters}

/**
 * The positional parameter markers of a statement. A `?` inside the parentheses of PATTERN is a
 * quantifier unless a brace or a comma precedes it: `A{?} B{1,?}?` has two markers.
 */
private[parser] final class ParameterMarkers(masked: MaskedText) {
  import masked.statement

  /** Indexes of all markers, also of those in hints; before the clauses are parsed. */
  val all: Seq[Int] = {
    val visible = statement.all.filter(_.getChannel == Token.DEFAULT_CHANNEL)
    visible.indices
      .filter(i => visible(i).getType == SqlBaseLexer.QUESTION)
      .filter { i =>
        val isBound = i > 0 && Set("{", ",")(visible(i - 1).getText)
        isBound || !patterns.exists(_.contains(visible(i).getStartIndex))
      }
      .map(visible(_).getStartIndex)
  }

  private lazy val patterns: Seq[Range] = for {
    clause <- masked.clauses
    word <- PatternWord.parts(statement, clause)
    close <- statement.partner.get(word + 1)
  } yield statement.tokens(word).getStartIndex to statement.tokens(close).getStartIndex

  /**
   * Refuses a statement with markers of both kinds, as Spark does, which sees only those outside
   * the clauses: values that have names may also be taken by their places.
   */
  def refuseMixed(values: StatementParameters): Unit = {
    def isNamed(i: Int) = Marker.isNamed(statement, i) &&
      values.named.contains(StatementText.name(statement.tokens(i + 1)))
    if (values.positional.nonEmpty && all.nonEmpty)
      statement.tokens.indices.find(isNamed).foreach { i =>
        val condition = "INVALID_QUERY_MIXED_QUERY_PARAMETERS"
        throw SyntaxErrors.spark(statement, statement.tokens(i), condition, Map.empty)
      }
  }

  /** Numbers of the markers outside all clauses. */
  val outside: Seq[Int] = all.indices.filterNot(i => masked.insideClause(all(i)))
}

/**
 * A parameter marker in a tree of Spark's parser: `:name` or `?`.
 *
 * @param needsLiteral
 *   Spark's grammar has a literal there, not an expression, as in `INTERVAL :w SECOND`
 */
private[parser] final case class Marker(first: Token, last: Token, needsLiteral: Boolean) {

  /** None for a positional one. */
  val name: Option[String] = Option.when(first ne last)(last.getText)

  def text(statement: StatementText): String = statement.between(first, last)
}

private[parser] object Marker {

  /** Whether a token begins `:name`, but not the path of `column:name`. */
  def isNamed(statement: StatementText, i: Int): Boolean = {
    val tokens = statement.tokens
    tokens(i).getType == SqlBaseLexer.COLON && StatementText.isName(tokens(i + 1)) &&
    (i == 0 || !endsOperand(tokens(i - 1)) ||
      tokens(i - 1).getStopIndex + 1 < tokens(i).getStartIndex)
  }

  private def endsOperand(token: Token): Boolean =
    StatementText.isName(token) || token.getType == SqlBaseLexer.RIGHT_PAREN ||
      token.getType == SqlBaseLexer.RIGHT_BRACKET

  /** The markers of a tree in their order. Spark's grammar has `?` for nothing else. */
  def in(tree: ParseTree): Seq[Marker] = tree match {
    case leaf: TerminalNode if leaf.getSymbol.getType == SqlBaseLexer.QUESTION =>
      Seq(Marker(leaf.getSymbol, leaf.getSymbol, needsLiteral(leaf)))
    case rule: ParserRuleContext if isNamed(rule) =>
      Seq(Marker(rule.start, rule.stop, needsLiteral(rule)))
    case rule: RuleNode => (0 until rule.getChildCount).flatMap(i => in(rule.getChild(i)))
    case _ => Nil
  }

  /** The path of `column:name` has its colon in the middle. */
  private def isNamed(rule: ParserRuleContext): Boolean =
    rule.getChildCount == 2 && rule.start.getType == SqlBaseLexer.COLON &&
      rule.getChild(0).isInstanceOf[TerminalNode]

  private def needsLiteral(marker: ParseTree): Boolean =
    !Seq(marker, marker.getParent).exists {
      case _: SqlBaseParser.NamedParameterLiteralContext => true
      case _: SqlBaseParser.PosParameterLiteralContext => true
      case _ => false
    }
}

/**
 * Values of the parameter markers inside clauses, for the Spark minors whose parser replaces the
 * markers itself. A marker without a value stays, and Spark reports it as unbound.
 *
 * Positional markers are numbered over the whole statement; see [[ParameterMarkers]].
 *
 * @param positions
 *   indexes of the statement's markers in their order
 */
private[parser] final class ParameterValues(
    statement: StatementText,
    values: StatementParameters,
    positions: Seq[Int]
) {
  private val byPosition = positions.zip(values.positional).toMap

  /** The value of the marker from one token to another, None if it has none. */
  def of(first: Token, last: Token): Option[Expression] =
    if (first eq last) byPosition.get(first.getStartIndex)
    else values.named.get(StatementText.name(last))

  /** The value of a marker that is a bound of a quantifier: an integer of at least 0. */
  def bound(first: Token, last: Token, quantifier: String): Long = {
    val value = of(first, last).collect { case e if e.resolved && e.foldable => e.eval() }
    value match {
      case Some(number @ (_: Byte | _: Short | _: Int | _: Long))
          if number.asInstanceOf[Number].longValue >= 0 =>
        number.asInstanceOf[Number].longValue
      case _ =>
        SyntaxErrors.own(
          statement.origin(first, last),
          "INVALID_PATTERN.QUANTIFIER_VALUE",
          "bound" -> quoted(statement.between(first, last)),
          "quantifier" -> quoted(quantifier),
          "found" -> of(first, last).fold("not known when the statement is parsed")(_.sql)
        )
    }
  }

  /**
   * The tokens of a tree with those of the values in place of the markers, as Spark itself writes
   * values into the statement: so a value has the type that it has outside the clauses, and may be
   * wherever Spark reads a literal. The places of the new tokens are those of the markers. None if
   * no marker has a value.
   *
   * @param tokens
   *   the tokens that were parsed
   */
  def written(tree: ParserRuleContext, tokens: WatchedTokens): Option[Seq[CommonToken]] = {
    val valued = Marker.in(tree).flatMap { marker =>
      val value = valueOf(marker)
      if (value.isEmpty && marker.needsLiteral) throw unbound(marker)
      value.map(marker -> _)
    }
    Option.when(valued.nonEmpty) {
      val first = tree.start.getTokenIndex
      val (rest, end) = valued.foldLeft((Seq.empty[CommonToken], first)) {
        case ((before, from), (marker, value)) =>
          val kept = slice(tokens, from, marker.first.getTokenIndex)
          (before ++ kept ++ literal(marker, value), marker.last.getTokenIndex + 1)
      }
      rest ++ slice(tokens, end, tree.stop.getTokenIndex + 1)
    }
  }

  /** The marker whose value has this token. */
  def markerAt(tree: ParserRuleContext, token: Token): Option[Marker] =
    Marker.in(tree).find { marker =>
      valueOf(marker).isDefined && marker.first.getStartIndex == token.getStartIndex
    }

  private def valueOf(marker: Marker): Option[Expression] = of(marker.first, marker.last)

  private def slice(tokens: WatchedTokens, from: Int, until: Int): Seq[CommonToken] =
    (from until until).map(i => new CommonToken(tokens.get(i)))

  private def literal(marker: Marker, value: Expression): Seq[CommonToken] = {
    val written = new StatementText(ParameterText.of(value)).tokens
    written.init.zip(written.tail).map { case (token, next) =>
      val placed = new CommonToken(marker.first)
      placed.setStopIndex(marker.last.getStopIndex)
      // Spark takes the name of a function that is a keyword, as in `array(1, 2)`, from the text.
      val isCall = StatementText.isIdentifier(token) && token.getType != SqlBaseLexer.CAST &&
        next.getType == SqlBaseLexer.LEFT_PAREN
      placed.setType(if (isCall) SqlBaseLexer.IDENTIFIER else token.getType)
      placed.setText(token.getText)
      placed
    }
  }

  private def unbound(marker: Marker): ParseException = {
    val name = marker.name.getOrElse(s"_${marker.first.getStartIndex}")
    SyntaxErrors.spark(statement, marker.first, "UNBOUND_SQL_PARAMETER", Map("name" -> name))
  }
}
