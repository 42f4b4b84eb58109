package io.matchrecognize.parser

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.{ParserRuleContext, Token}
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Descending,
  NullsFirst,
  NullsLast,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

import io.matchrecognize.parser.MatchRecognizeParser._
import io.matchrecognize.pattern.RowPatternAnalysis
import io.matchrecognize.plans._

/**
 * Makes [[UnresolvedMatchRecognize]] of a clause's parse tree: checks which parts stand together,
 * has Spark's parser read the expressions, and notes positions for later errors.
 */
private[parser] final class ClauseBuilder(
    statement: StatementText,
    expressions: ClauseExpressions
) {

  def build(clause: ClauseTokens): LogicalPlan => UnresolvedMatchRecognize = {
    // Before the tokens of expressions lose their types.
    val nested = new ClauseScanner(statement).within(clause.open + 1, clause.close)
    val tree = ClauseSyntax.parse(statement, clause)
    val parts = tree.rowPatternPart.asScala.toSeq
    val whole = statement.origin(tree.start, statement.tokens(clause.close))
    new ClauseOrder(statement).check(parts, whole)
    nested.foreach(refuseNested(parts, _))
    val node = new Parts(parts, whole)
    (child: LogicalPlan) => CurrentOrigin.withOrigin(whole)(node.over(child))
  }

  private def refuseNested(parts: Seq[RowPatternPartContext], at: Int): Unit = {
    val place = statement.tokens(at).getStartIndex
    def holds(piece: ParserRuleContext): Boolean =
      piece.start.getStartIndex <= place && place <= piece.stop.getStopIndex
    val where = parts.find(holds) match {
      case Some(define: DefineContext) =>
        val variable = define.rowPatternDefinition.asScala.find(holds)
        "DEFINE" + variable.map(d => " " + SyntaxErrors.quoted(name(d.identifier))).mkString
      case Some(part) => ClauseOrder.nameOf(part)
      case None => "MATCH_RECOGNIZE"
    }
    val last = statement.partner.getOrElse(at + 1, at)
    SyntaxErrors.own(
      "MATCH_RECOGNIZE_UNSUPPORTED.NESTED_CLAUSE",
      Map("clause" -> where),
      statement.origin(statement.tokens(at), statement.tokens(last))
    )
  }

  private def name(context: IdentifierContext): String = {
    val token = context.start
    val text = StatementText.name(token)
    val plain = token.getType == MatchRecognizeLexer.IDENTIFIER
    if (plain && !text.matches("[A-Za-z_0-9]+"))
      throw SyntaxErrors.spark(statement, token, "INVALID_IDENTIFIER", Map("ident" -> text))
    text
  }

  private def variable(context: IdentifierContext): String = {
    SyntaxErrors.refuseLiteral(statement, context.start)
    name(context)
  }

  private def origin(context: ParserRuleContext): Origin =
    statement.origin(context.start, context.stop)

  private final class Parts(parts: Seq[RowPatternPartContext], whole: Origin) {
    private val partitionKeys = parts
      .collectFirst { case p: PartitionByContext => p.expression.asScala.toSeq }
      .toSeq
      .flatten
    private val partitionSpec = partitionKeys.map(e => expressions.plain(e.start, e.stop))

    private val sortItems = parts
      .collectFirst { case o: OrderByContext => o.sortItem.asScala.toSeq }
      .toSeq
      .flatten
    private val orderSpec = sortItems.map(sortOrder)

    private val measureItems = parts
      .collectFirst { case m: MeasuresContext =>
        m.rowPatternMeasureDefinition.asScala.toSeq
      }
      .toSeq
      .flatten
    private val measureNames = measureItems.map(m => name(m.identifier))
    private val measures =
      measureItems.map(m => expressions.inMatch(m.expression.start, m.expression.stop))

    private val rowsContext: Option[ParserRuleContext] = parts.collectFirst {
      case one: OneRowPerMatchContext => one
      case all: AllRowsPerMatchContext => all
    }
    private val rowsPerMatch = rowsContext match {
      case Some(one: OneRowPerMatchContext) => RowsPerMatch.OneRow(one.TIMEOUT != null)
      case Some(all: AllRowsPerMatchContext) => RowsPerMatch.AllRows(emptyMatches(all))
      case _ => RowsPerMatch.OneRow(showTimeoutMatches = false)
    }

    private val skipTo = parts.collectFirst { case after: AfterMatchContext =>
      after.rowPatternSkipTo
    }
    private val skip = skipTo match {
      case Some(_: SkipToNextRowContext) => AfterMatchSkip.ToNextRow
      case Some(to: SkipToVariableContext) =>
        val first = to.position != null && to.position.getType == MatchRecognizeLexer.FIRST
        AfterMatchSkip.ToVariable(variable(to.identifier), first)
      case _ => AfterMatchSkip.PastLastRow
    }
    private val skipTarget = skipTo
      .collect { case to: SkipToVariableContext => origin(to.identifier) }
      .orElse(skipTo.map(origin))
      .getOrElse(whole)

    private val patternContext = parts.collectFirst { case p: PatternContext => p.rowPattern }.get
    private val pattern = new PatternBuilder(statement).build(patternContext)
    private val patternText = statement.between(patternContext.start, patternContext.stop)

    private val withinContext = parts.collectFirst { case w: WithinContext => w.expression }
    private val within = withinContext.map(w => expressions.bound(w.start, w.stop))

    private val subsetItems = parts
      .collectFirst { case s: SubsetContext =>
        s.rowPatternSubsetItem.asScala.toSeq.map(_.identifier.asScala.toSeq)
      }
      .toSeq
      .flatten
    private val subsets = subsetItems.map(ids => Subset(variable(ids.head), ids.tail.map(variable)))

    skipTo.foreach {
      case to: SkipToVariableContext if isHalf(to) =>
        throw SyntaxErrors.unexpected(statement, to.identifier.start, SyntaxHints.Skip)
      case _ =>
    }

    private val definitions = parts
      .collectFirst { case d: DefineContext =>
        d.rowPatternDefinition.asScala.toSeq
      }
      .toSeq
      .flatten
    private val definedVariables = definitions.map(d => variable(d.identifier))
    private val conditions =
      definitions.map(d => expressions.inMatch(d.expression.start, d.expression.stop))

    private val positions = ClausePositions(
      clause = whole,
      partitionKeys = partitionKeys.map(origin),
      orderKeys = sortItems.map(item => origin(item.expression)),
      pattern = origin(patternContext),
      patternText = patternText,
      permutations =
        PatternBuilder.permutations(patternContext).map(p => (origin(p), p.rowPattern.size)),
      rowsPerMatch = rowsContext.map(origin).getOrElse(whole),
      skipTarget = skipTarget,
      within = withinContext.map(origin).getOrElse(whole),
      measureNames = measureItems.map(m => origin(m.identifier)),
      definedVariables = definitions.map(d => origin(d.identifier)),
      subsetNames = subsetItems.map(ids => origin(ids.head)),
      subsetMembers = subsetItems.map(_.tail.map(origin))
    )

    def over(child: LogicalPlan): UnresolvedMatchRecognize = UnresolvedMatchRecognize(
      partitionSpec,
      orderSpec,
      measures,
      measureNames,
      rowsPerMatch,
      skip,
      pattern,
      within,
      subsets,
      definedVariables,
      conditions,
      positions,
      child
    )

    /** `SKIP TO NEXT` without ROW, `SKIP TO LAST` without a variable. */
    private def isHalf(to: SkipToVariableContext): Boolean = {
      val word = StatementText.word(to.identifier.start)
      def declared = RowPatternAnalysis.labels(pattern) ++ subsets.map(_.name)
      to.position == null && Set("NEXT", "FIRST", "LAST", "PAST")(word) &&
      !declared.exists(_.equalsIgnoreCase(word))
    }

    private def emptyMatches(all: AllRowsPerMatchContext): AllRowsMode =
      all.rowPatternEmptyMatchHandling match {
        case _: OmitEmptyMatchesContext => AllRowsMode.OmitEmptyMatches
        case _: WithUnmatchedRowsContext => AllRowsMode.WithUnmatchedRows
        case _ => AllRowsMode.ShowEmptyMatches
      }

    private def sortOrder(item: SortItemContext): SortOrder = {
      // A syntax error would take its place from the origin below.
      val key = expressions.plain(item.expression.start, item.expression.stop)
      CurrentOrigin.withOrigin(origin(item)) {
        val direction =
          if (item.direction != null && item.direction.getType == MatchRecognizeLexer.DESC)
            Descending
          else Ascending
        val nulls = Option(item.nullOrder: Token).map(_.getType) match {
          case Some(MatchRecognizeLexer.FIRST) => NullsFirst
          case Some(_) => NullsLast
          case None => direction.defaultNullOrdering
        }
        new SortOrder(key, direction, nulls, Nil)
      }
    }
  }
}
