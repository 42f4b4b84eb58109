package io.matchrecognize.analysis.names

import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  BaseGroupingSets,
  Cast,
  ExprId,
  Expression,
  Literal,
  NamedExpression,
  OuterReference,
  PipeOperator
}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.types.NullType

import io.matchrecognize.analysis.stream.WithQueries
import io.matchrecognize.plans.UnresolvedMatchRecognize

/**
 * Replaces columns of the outer query that have one value, such as the parameters of a SQL function
 * called with constants. Spark takes a correlated query apart only through operators that it knows,
 * so a clause cannot read any other column of the outer query.
 *
 * While a function is created, NULL represents the argument of a parameter without a default: it is
 * tagged, because it says nothing about what must not be NULL.
 */
private[analysis] object OuterConstants {
  def inline(clause: UnresolvedMatchRecognize): UnresolvedMatchRecognize =
    AnalysisContext.get.outerPlan.fold(clause) { outer =>
      val values = new Values(outer)
      clause
        .mapExpressions(_.transformUp { case column: OuterReference =>
          values.of(column.exprId).map(tagged).getOrElse(column)
        })
        .asInstanceOf[UnresolvedMatchRecognize]
    }

  private val placeholder = new TreeNodeTag[Unit]("matchRecognizeParameter")

  /** Whether the expression represents a parameter of a function that is being created. */
  def isPlaceholder(e: Expression): Boolean = e.getTagValue(placeholder).isDefined

  /** Arguments of calls are casts. */
  private def tagged(value: Expression): Expression = value match {
    case Literal(null, dataType) if dataType != NullType =>
      val copy = Literal(null, dataType)
      copy.setTagValue(placeholder, ())
      copy
    case other => other
  }

  /**
   * The constant that each row of a plan has in a column. Only operators that keep the values of
   * their input are looked through: a union has the columns of its first input, and an outer join
   * those of an input to whose rows it adds NULLs.
   */
  private final class Values(outer: LogicalPlan) {
    private val queries = new WithQueries(outer)

    def of(column: ExprId, plan: LogicalPlan = outer): Option[Expression] = {
      def below(child: LogicalPlan): Option[Expression] =
        if (child.outputSet.exists(_.exprId == column)) of(column, child) else None
      plan match {
        case _ if isOfGroups(plan) => None
        case Project(list, child) => ofItem(column, list, child)
        // Some of the groups lack some of the keys; Spark expands the rows only later.
        case aggregate: Aggregate
            if aggregate.groupingExpressions.exists(_.isInstanceOf[BaseGroupingSets]) =>
          None
        case aggregate: Aggregate =>
          ofItem(column, aggregate.aggregateExpressions, aggregate.child)
        case join: Join => kept(join.joinType, below(join.left), below(join.right))
        case join: LateralJoin => kept(join.joinType, below(join.left), below(join.right.plan))
        case all: WithCTE => below(all.plan)
        case reference: CTERelationRef => ofQuery(column, reference)
        // EXCEPT and INTERSECT return rows of their first input.
        case _: SetOperation => below(plan.children.head)
        case _ if keepsRows(plan) => below(plan.children.head)
        case _ => None
      }
    }

    /**
     * Whether Spark made it, to resolve the subqueries of HAVING or QUALIFY before it expands the
     * rows for the grouping sets below: over the input of the groups, whose keys some of them lack.
     * A query that is written has its origin, and its column another.
     */
    private def isOfGroups(plan: LogicalPlan): Boolean = plan match {
      case Project(Seq(column: Alias), _) => column.name == "fake" && column.origin == plan.origin
      case _ => false
    }

    /** A query of WITH; each reference to it has columns of its own. */
    private def ofQuery(column: ExprId, reference: CTERelationRef): Option[Expression] =
      for {
        query <- queries.below(reference).headOption
        source <- query.output.lift(reference.output.indexWhere(_.exprId == column))
        value <- of(source.exprId, query)
      } yield value

    private def ofItem(
        column: ExprId,
        list: Seq[NamedExpression],
        child: LogicalPlan
    ): Option[Expression] =
      list.collectFirst { case alias: Alias if alias.exprId == column => alias.child } match {
        case Some(constant) if constant.foldable => Some(constant)
        case Some(source: Attribute) => of(source.exprId, child)
        // A column of a view.
        case Some(cast: Cast) =>
          for {
            source <- Some(cast.child).collect { case source: Attribute => source }
            value <- of(source.exprId, child)
          } yield cast.copy(child = value)
        case Some(_) => None
        // Also of a query with the clause in its SELECT list, which reads the columns below it.
        case None => of(column, child)
      }
  }

  /** Whether the rows of an operator are rows of its input, perhaps with more columns. */
  private def keepsRows(plan: LogicalPlan): Boolean = plan match {
    case _: SubqueryAlias | _: View | _: Filter | _: Sample | _: UnresolvedHint | _: ResolvedHint |
        _: CollectMetrics | _: EventTimeWatermark =>
      true
    case _: Window | _: Generate => true
    case _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark => true
    case _: Sort | _: GlobalLimit | _: LocalLimit | _: Offset | _: Tail => true
    case _: RepartitionOperation | _: RebalancePartitions => true
    case _: PipeOperator => true
    case _ => false
  }

  /** What a join keeps of the values of its sides. */
  private def kept(
      joinType: JoinType,
      left: => Option[Expression],
      right: => Option[Expression]
  ): Option[Expression] = joinType match {
    case _: InnerLike => left.orElse(right)
    case LeftOuter | LeftSemi | LeftAnti => left
    case RightOuter => right
    case _ => None
  }
}
