package io.matchrecognize.parser

import scala.util.Try

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.analysis.UnresolvedSubqueryColumnAliases
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.execution.SparkSqlParser
import org.apache.spark.sql.internal.{SQLConf, VariableSubstitution}
import org.apache.spark.sql.types.{DataType, StructType}

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.parser.clause.ClauseBuilder
import io.matchrecognize.parser.statement._
import io.matchrecognize.shims.{ParserOfMinor, StatementParameters}

/**
 * Spark's parser with MATCH_RECOGNIZE. This class parses the clauses; `delegate` parses the
 * statement with the clauses masked (see [[MaskedText]]), and they are then put into its plan (see
 * [[PlaceholderSwap]]).
 *
 *   - A text without the word reaches the delegate unchanged, and so does every text while
 *     `spark.matchRecognize.enabled` is false.
 *   - Errors name the user's text and positions, never the masked text's.
 *   - Views, SQL functions and scripts are parsed here again when Spark parses their text.
 *   - If its session uses only Spark's single-pass resolver, which does not run the rules of
 *     extensions, a clause is an error: no plan of it could be resolved.
 *
 * @param conf
 *   returns the conf of the session that has this parser
 */
final class MatchRecognizeSqlParser(protected val delegate: ParserInterface, conf: () => SQLConf)
    extends ParserOfMinor {
  import MatchRecognizeSqlParser._

  override def parsePlan(sqlText: String): LogicalPlan = parse(sqlText)(_.parsePlan(_))

  override def parseQuery(sqlText: String): LogicalPlan = parse(sqlText)(_.parseQuery(_))

  override def parseExpression(sqlText: String): Expression =
    parse(sqlText)(_.parseExpression(_))

  override def parseTableIdentifier(sqlText: String): TableIdentifier =
    delegate.parseTableIdentifier(sqlText)

  override def parseFunctionIdentifier(sqlText: String): FunctionIdentifier =
    delegate.parseFunctionIdentifier(sqlText)

  override def parseMultipartIdentifier(sqlText: String): Seq[String] =
    delegate.parseMultipartIdentifier(sqlText)

  override def parseTableSchema(sqlText: String): StructType = delegate.parseTableSchema(sqlText)

  override def parseDataType(sqlText: String): DataType = delegate.parseDataType(sqlText)

  override def parseRoutineParam(sqlText: String): StructType = delegate.parseRoutineParam(sqlText)

  override protected def parseWith(
      sqlText: String,
      parameters: StatementParameters,
      hasMarkers: Boolean
  )(call: (String, Seq[Int]) => LogicalPlan): LogicalPlan = {
    val direct = if (hasMarkers) None else ifSparks((p: ParserInterface, text) => p.parsePlan(text))
    parseClauses(sqlText, parameters, direct, isStatement = true)(call)
  }

  private def parse[T](sqlText: String)(call: (ParserInterface, String) => T): T =
    parseClauses(sqlText, StatementParameters.none, ifSparks(call)) { (text, _) =>
      call(delegate, text)
    }

  /** `call`, if `delegate` is Spark's own parser, not that of another extension. */
  private def ifSparks[T](
      call: (ParserInterface, String) => T
  ): Option[(ParserInterface, String) => T] =
    if (delegate.getClass == classOf[SparkSqlParser]) Some(call) else None

  /**
   * @param direct
   *   parses with Spark's own parser
   * @param call
   *   parses a text with `delegate`, given also the places of the parameter markers in it
   */
  private def parseClauses[T](
      sqlText: String,
      parameters: StatementParameters,
      direct: Option[(ParserInterface, String) => T],
      isStatement: Boolean = false
  )(call: (String, Seq[Int]) => T): T = {
    def untouched: T = call(sqlText, parameters.positional.indices)
    val text = if (sqlText.contains("${")) substituted(sqlText) else sqlText
    if (!RelationScanner.mentions(text) && !WindowScanner.mentions(text))
      explained(UnreadClauses.explained(_, text))(untouched)
    else
      SyntaxErrors.whileStackLasts(text) {
        val statement = new StatementText(text)
        lazy val masked = {
          val groups = new RelationScanner(statement).groups
          val scanner = new WindowScanner(statement, groups)
          new MaskedText(statement, groups, scanner.windows, scanner.measures)
        }
        if (!SQLConf.get.getConf(MatchRecognizeConf.Enabled))
          try untouched
          catch { case e: ParseException => throw notEnabled(statement, e).getOrElse(e) }
        else if (isStatement && statement.isUnread) untouched
        else if (masked.clauses.isEmpty)
          explained(UnreadClauses.explained(_, statement, Set.empty))(untouched)
        else if (isSinglePassOnly) {
          val first = statement.tokens(masked.clauses.map(_.first).min)
          val key = SQLConf.ANALYZER_SINGLE_PASS_RESOLVER_ENABLED.key
          throw SyntaxErrors.notEnabled(statement, first, key, "false")
        } else {
          val markers = new ParameterMarkers(masked)
          markers.refuseMixed(parameters)
          val values = new ParameterValues(statement, parameters, markers.all)
          if (!parameters.isEmpty && ViewText.isKept(statement)) {
            val valued = new ViewText(statement, values).text
            parseClauses(valued, StatementParameters.none, None, isStatement)(call)
          } else exchange(masked, values, direct)(call(_, markers.outside))
        }
      }
  }

  // The session that resolves what is parsed here is the parser's own. The conf of the thread is
  // that of a view while Spark resolves the view; the active session may be another one while
  // Spark parses a condition of a DataFrame.
  private def isSinglePassOnly: Boolean =
    conf().getConf(SQLConf.ANALYZER_SINGLE_PASS_RESOLVER_ENABLED)

  /** Replaces the error of Spark's parser. */
  private def explained[T](hint: ParseException => ParseException)(parsed: => T): T =
    try parsed
    catch {
      case e: ParseException =>
        throw if (SQLConf.get.getConf(MatchRecognizeConf.Enabled)) hint(e) else e
    }

  /**
   * Substitutes `${name}` as Spark does, which takes a name without a value as empty text; but
   * `${2,4}` in PATTERN is an anchor with a quantifier unless a variable is called like that.
   */
  private def substituted(sqlText: String): String = {
    lazy val anchors = new StatementText(sqlText).anchors
    val kept = QuantifiedAnchor
      .findAllMatchIn(sqlText)
      .filter(anchor => !SQLConf.get.contains(anchor.group(1)) && anchors(anchor.start))
      .toSeq
    val starts = kept.map(_.start) :+ sqlText.length
    val rests = 0 +: kept.map(_.end)
    // Spark substitutes each piece between two anchors.
    val pieces = rests.zip(starts).map { case (start, end) =>
      new VariableSubstitution().substitute(sqlText.substring(start, end))
    }
    pieces
      .zipAll(kept.map(_.matched), "", "")
      .map { case (piece, anchor) => piece + anchor }
      .mkString
  }

  private def exchange[T](
      masked: MaskedText,
      values: ParameterValues,
      direct: Option[(ParserInterface, String) => T]
  )(call: String => T): T = {
    import masked.statement
    val builder = new ClauseBuilder(statement, values)
    val clauses = masked.groups.map(over(_, statement, builder))
    val windows = masked.windows.zipWithIndex.map { case (window, i) => builder.window(window, i) }
    // Spark finds an unclosed comment after the clause only when it lexes a text.
    val onTokens = direct.filter(_ => statement.unclosedComment.isEmpty)
    val index: Int => Int = if (onTokens.isDefined) identity else masked.index
    val parsed =
      try
        onTokens match {
          case Some(parse) => parse(TokenParser(masked.tokens), statement.text)
          case None => call(masked.text)
        }
      catch {
        case e: ParseException =>
          val found = masked.groups.flatMap(_.clauses).map(_.word).toSet
          val hinted = UnreadClauses.explained(e, statement, found)
          throw if (hinted ne e) hinted else SparkErrors.around(e, masked, index)
      }
    val parts = new WindowParts(masked, windows)
    val (plan, wrong) = new PlaceholderSwap(masked, clauses, parts, index)(parsed)
    wrong.headOption.foreach(mask => throw SparkErrors.misplaced(mask, masked))
    plan
  }

  /** Builds the plan of a group of clauses over their input. */
  private def over(
      group: ClauseGroup,
      statement: StatementText,
      builder: ClauseBuilder
  ): LogicalPlan => LogicalPlan = {
    def named(plan: LogicalPlan, alias: Option[RelationAlias]): LogicalPlan = alias match {
      case None => plan
      case Some(a) =>
        CurrentOrigin.withOrigin(
          statement.origin(statement.tokens(a.first), statement.tokens(a.last))
        ) {
          val columns =
            if (a.columns.isEmpty) plan else new UnresolvedSubqueryColumnAliases(a.columns, plan)
          SubqueryAlias(a.name, columns)
        }
    }
    val clauses = group.clauses.map(clause => (builder.build(clause), clause.alias))
    (input: LogicalPlan) =>
      clauses.foldLeft(named(input, group.inputAlias)) { case (child, (clause, alias)) =>
        named(clause(child), alias)
      }
  }

  /**
   * The error for a clause that no scanner recognised: the delegate fails at its word or, having
   * taken that for an alias with columns, shortly after it. A delegate that gets further reads the
   * clause itself, and its error is about something else.
   */
  private def notEnabled(
      statement: StatementText,
      error: ParseException
  ): Option[ParseException] = {
    lazy val groups = new RelationScanner(statement).groups
    lazy val scanner = new WindowScanner(statement, groups)
    val at = statement.tokens.indexWhere(SparkErrors.isAt(_, error))
    def unread[T](found: => Seq[T])(words: T => Range): Option[Token] = {
      val wrong = Try(found).getOrElse(Nil).map(words).find(_.contains(at))
      wrong.map(range => statement.tokens(range.start))
    }
    unread(groups)(group => group.first until group.first + 4)
      .orElse(unread(scanner.windows)(window => window.word to window.close))
      .orElse(unread(scanner.measures)(call => call.name to call.last))
      .map { token =>
        SyntaxErrors.notEnabled(statement, token, MatchRecognizeConf.Enabled.key, "true")
      }
  }
}

object MatchRecognizeSqlParser {
  private val QuantifiedAnchor = """\$\{([\s\d,]*)\}""".r
}
