package io.matchrecognize.parser.clause

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

import org.antlr.v4.runtime.{ParserRuleContext, Token}
import org.apache.spark.sql.catalyst.analysis.{
  ExpressionWithUnresolvedIdentifier,
  UnresolvedAttribute
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, UserText}
import io.matchrecognize.parser.clause.ClauseGrammar._
import io.matchrecognize.parser.statement._
import io.matchrecognize.pattern.AfterMatchSkip
import io.matchrecognize.plans._

/**
 * Builds [[UnresolvedMatchRecognize]] from a clause's parse tree: checks which parts go together,
 * has Spark's parser read the expressions, and notes origins for later errors.
 */
private[parser] final class ClauseBuilder(statement: StatementText, parameters: ParameterValues) {
  import statement.origin

  private val reader = new ClauseReader(statement, parameters)
  private val expressions = new ClauseExpressions(statement)

  def build(clause: FoundClause): LogicalPlan => UnresolvedMatchRecognize = {
    val parts = partsOf(clause)
    val whole = origin(statement.tokens(clause.word), statement.tokens(clause.close))
    val node = new Parts(parts, whole)
    node.refuseTimeWindows()
    (child: LogicalPlan) => CurrentOrigin.withOrigin(whole)(node.over(child))
  }

  /**
   * A window specification with a row pattern: a [[RowPatternWindow]] in front of its PARTITION BY
   * keys, so that Spark's rules resolve the keys in the query that has the window.
   *
   * @param id
   *   its number in the statement
   */
  def window(found: FoundClause, id: Int): WindowSpecDefinition = {
    val parts = partsOf(found)
    val whole = origin(statement.tokens(found.open), statement.tokens(found.close))
    val keys = parts.collect { case by: PartitionByContext => by.partitionKey.asScala }.flatten
    keys.flatMap(nameOf).headOption.foreach(name => throw SyntaxErrors.unexpected(statement, name))
    new Parts(parts, whole).window(id)
  }

  private def partsOf(clause: FoundClause): Seq[RowPatternPartContext] = {
    val nested = new RelationScanner(statement).within(clause)
    nested.foreach(hide)
    val parts = reader.read(clause)
    nested.headOption.foreach(refuseNested(parts, _))
    parts
  }

  /** Lets Spark parse to the end of the expression, so that the error can name it. */
  private def hide(nested: Int): Unit = {
    val pipe = if (statement.tokens(nested - 1).getType == SqlBaseLexer.OPERATOR_PIPE) 1 else 0
    val last = statement.partner.getOrElse(nested + 1, nested + 1)
    (nested - pipe to last).foreach(statement.tokens(_).setChannel(Token.HIDDEN_CHANNEL))
  }

  private def refuseNested(parts: Seq[RowPatternPartContext], at: Int): Unit = {
    val place = statement.tokens(at).getStartIndex
    def holds(piece: ParserRuleContext): Boolean =
      piece.start.getStartIndex <= place && place <= piece.stop.getStopIndex
    val where = parts.find(holds) match {
      case Some(define: DefineContext) =>
        val variable = define.rowPatternDefinition.asScala.find(holds)
        "DEFINE" + variable.map(d => " " + UserText.quoted(name(d.identifier.start))).mkString
      case Some(part) => ClauseParts.nameOf(part)
      case None => "MATCH_RECOGNIZE"
    }
    val last = statement.partner.getOrElse(at + 1, at)
    val nested = origin(statement.tokens(at), statement.tokens(last))
    SyntaxErrors.own(nested, "UNSUPPORTED.NESTED_CLAUSE", "clause" -> where)
  }

  /** The name of a key or measure, which is its last token. */
  private def nameOf(item: ParserRuleContext): Option[Token] =
    Option.when(item.getChildCount > 1)(item.stop)

  private def name(token: Token): String = {
    val text = StatementText.name(token)
    val plain = token.getType != ClauseGrammar.QUOTED_IDENTIFIER
    if (plain && !text.matches("[A-Za-z_0-9]+"))
      throw SyntaxErrors.spark(statement, token, "INVALID_IDENTIFIER", Map("ident" -> text))
    text
  }

  private def variable(context: ParserRuleContext): String = {
    SyntaxErrors.refuseLiteral(statement, context.start)
    name(context.start)
  }

  private final class Parts(parts: Seq[RowPatternPartContext], whole: Origin) {
    private val partitionKeys = items[PartitionByContext, PartitionKeyContext](_.partitionKey)
    private val partitionSpec = partitionKeys.map(partitionKey)

    private val sortItems = items[OrderByContext, SortItemContext](_.sortItem)
    private val orderSpec = sortItems.map(sortOrder)

    private val measureItems =
      items[MeasuresContext, RowPatternMeasureDefinitionContext](_.rowPatternMeasureDefinition)
    private val measureNames = measureItems.flatMap(nameOf).map(name)
    private val measures = measureItems.map(m => expressions.inMatch(m.expression))

    private val (rowsPerMatch, rowsPlace) = parts
      .collectFirst {
        case one: OneRowPerMatchContext => RowsPerMatch.OneRow(one.TIMEOUT != null) -> origin(one)
        case all: AllRowsPerMatchContext => RowsPerMatch.AllRows(emptyMatches(all)) -> origin(all)
      }
      .getOrElse(RowsPerMatch.OneRow(showTimeoutMatches = false) -> whole)

    private val (skip, skipTarget) = parts
      .collectFirst { case after: AfterMatchContext => after.rowPatternSkipTo }
      .map {
        case to: SkipToVariableContext =>
          val first = to.position != null && to.position.getType == ClauseGrammar.FIRST
          AfterMatchSkip.ToVariable(variable(to.identifier), first) -> origin(to.identifier)
        case next: SkipToNextRowContext => AfterMatchSkip.ToNextRow -> origin(next)
        case past => AfterMatchSkip.PastLastRow -> origin(past)
      }
      .getOrElse(AfterMatchSkip.PastLastRow -> whole)

    private val patternContext = parts.collectFirst { case p: PatternContext => p.rowPattern }.get
    private val pattern = new PatternBuilder(statement, parameters).build(patternContext)

    private val withinContext = parts.collectFirst { case w: WithinContext => w.bound }
    private val within = withinContext.map(expressions.bound)

    private val subsetItems = items[SubsetContext, RowPatternSubsetItemContext](
      _.rowPatternSubsetItem
    ).map(_.identifier.asScala.toSeq)
    private val subsets = subsetItems.map(ids => Subset(variable(ids.head), ids.tail.map(variable)))

    private val definitions =
      items[DefineContext, RowPatternDefinitionContext](_.rowPatternDefinition)
    private val definedVariables = definitions.map(d => variable(d.identifier))
    private val conditions = definitions.map(d => expressions.inMatch(d.expression))

    private val positions = ClausePositions(
      clause = whole,
      partitionKeys = partitionKeys.map(key => origin(key.expression)),
      orderKeys = sortItems.map(item => origin(item.expression)),
      pattern = origin(patternContext),
      permutations = PatternBuilder
        .nodes(patternContext)
        .collect { case p: PermutationContext => (origin(p), p.rowPattern.size) }
        .toSeq,
      rowsPerMatch = rowsPlace,
      skipTarget = skipTarget,
      within = withinContext.map(origin).getOrElse(whole),
      measureNames = measureItems.flatMap(nameOf).map(name => origin(name, name)),
      definedVariables = definitions.map(d => origin(d.identifier)),
      subsetNames = subsetItems.map(ids => origin(ids.head)),
      subsetMembers = subsetItems.map(_.tail.map(origin))
    )

    private val clause = PatternClause(
      partitionSpec,
      orderSpec,
      measures,
      rowsPerMatch,
      skip,
      pattern,
      within,
      subsets,
      definedVariables,
      conditions
    )

    def window(id: Int): WindowSpecDefinition = CurrentOrigin.withOrigin(whole) {
      val isSeek = parts.exists {
        case modifier: InitialOrSeekContext => modifier.modifier.getType == ClauseGrammar.SEEK
        case _ => false
      }
      val end = new WindowFrameBuilder(statement, expressions).end(parts)
      val ofWindow = clause.copy(
        partitionSpec = Nil,
        orderSpec = Nil,
        rowsPerMatch = RowsPerMatch.EachRow(isSeek),
        frameEnd = end
      )
      val marker = RowPatternWindow(ofWindow, measureNames, positions, RowPatternWindow.Id(id))
      WindowSpecDefinition(marker +: partitionSpec, orderSpec, UnspecifiedFrame)
    }

    def refuseTimeWindows(): Unit = (partitionSpec ++ orderSpec).foreach(TimeWindows.refuse)

    def over(child: LogicalPlan): UnresolvedMatchRecognize = {
      val hasAlias = child.isInstanceOf[SubqueryAlias]
      UnresolvedMatchRecognize(clause, measureNames, positions, hasAlias, withNamedKeys(child))
    }

    private def withNamedKeys(input: LogicalPlan): LogicalPlan = {
      val named = partitionSpec.zip(positions.partitionKeys).collect { case (key: Alias, place) =>
        (key, place)
      }
      named.zipWithIndex.foreach { case ((key, _), i) =>
        named.take(i).collectFirst {
          case (other, _) if SQLConf.get.resolver(other.name, key.name) =>
            val texts = Seq(key, other).map(k => UserText.quotedKey(k.child))
            throw Errors.duplicateKey(key.name, texts.head, s"the key ${texts.last}", key.origin)
        }
      }
      groups(named).foldLeft(input) { (below, keys) =>
        UnresolvedNamedKeys(keys.map(_._1), keys.map(_._2), below)
      }
    }

    /** Keys in a row of which none reads another's name: each group costs a round of analysis. */
    private def groups(named: Seq[(Alias, Origin)]): Seq[Seq[(Alias, Origin)]] =
      named.foldLeft(Vector.empty[Vector[(Alias, Origin)]]) {
        case (before :+ last, key) if !mayRead(key._1.child, last.map(_._1.name)) =>
          before :+ (last :+ key)
        case (before, key) => before :+ Vector(key)
      }

    private def mayRead(key: Expression, names: Seq[String]): Boolean = key.exists {
      case UnresolvedAttribute(parts) => parts.exists(p => names.exists(_.equalsIgnoreCase(p)))
      case _: Literal => false
      case other => other.children.isEmpty || other.isInstanceOf[ExpressionWithUnresolvedIdentifier]
    }

    /** The items of a part, none if the clause does not have it. */
    private def items[P: ClassTag, T](of: P => java.util.List[T]): Seq[T] =
      parts.collect { case part: P => of(part).asScala.toSeq }.flatten

    private def emptyMatches(all: AllRowsPerMatchContext): AllRowsMode =
      all.rowPatternEmptyMatchHandling match {
        case _: OmitEmptyMatchesContext => AllRowsMode.OmitEmptyMatches
        case _: WithUnmatchedRowsContext => AllRowsMode.WithUnmatchedRows
        case _ => AllRowsMode.ShowEmptyMatches
      }

    /** A key, named if it has a name: analysis makes it a column, see `UnresolvedNamedKeys`. */
    private def partitionKey(key: PartitionKeyContext): Expression = {
      val expression = expressions.plain(key.expression)
      nameOf(key).fold(expression) { token =>
        CurrentOrigin.withOrigin(origin(key))(Alias(expression, name(token))())
      }
    }

    private def sortOrder(item: SortItemContext): SortOrder = {
      // Outside `withOrigin`, from which a syntax error would take its origin.
      val key = expressions.plain(item.expression)
      CurrentOrigin.withOrigin(origin(item)) {
        val direction =
          if (item.direction != null && item.direction.getType == ClauseGrammar.DESC)
            Descending
          else Ascending
        val nulls = Option(item.nullOrder: Token).map(_.getType) match {
          case Some(ClauseGrammar.FIRST) => NullsFirst
          case Some(_) => NullsLast
          case None => direction.defaultNullOrdering
        }
        new SortOrder(key, direction, nulls, Nil)
      }
    }
  }
}
