package io.matchrecognize.analysis.stream

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  Cast,
  Expression,
  SubqueryExpression
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, RuntimeErrors, UserText}
import io.matchrecognize.pattern.AfterMatchSkip
import io.matchrecognize.plans.{MatchRecognize, UnresolvedMatchRecognize}

/**
 * What below a clause in the order of arrival can break the promise by itself: that the rows of one
 * PARTITION BY key reach the clause in the order in which they arrived.
 *
 *   - Refused: options of a source that divide a partition of a topic among tasks, a repartitioning
 *     by anything but PARTITION BY keys, operators that return rows in an order of their own.
 *   - A warning: a union, whose inputs may have different keys; a join with a table, which keeps
 *     the order only as a broadcast of the table; no PARTITION BY over a source of several
 *     partitions.
 *   - A clause below keeps the order if it partitions by the same keys or fewer, and its matches do
 *     not overlap, so that each ends after the one before.
 */
object ArrivalInput {

  /** Of Kafka's source. */
  private val dividing = Seq("minPartitions", "maxRecordsPerPartition")

  /**
   * The warnings about the input of a clause.
   *
   * @param queries
   *   those of WITH that the input may refer to
   */
  def warnings(node: UnresolvedMatchRecognize, queries: WithQueries): Seq[String] = {
    def refuse(operator: String): Nothing = throw Errors.arrivalOrder(
      RuntimeErrors.orderOfArrival,
      operator,
      node.positions.clause
    )

    /** @param inside queries of WITH that the plan is a part of: one may refer to itself */
    def visit(plan: LogicalPlan, keys: Seq[Expression], inside: Set[Long]): Seq[String] =
      plan match {
        case table if !table.isStreaming => Nil
        case source: StreamingRelationV2 =>
          dividing.find(option => source.extraOptions.containsKey(option)).foreach { option =>
            refuse(s"the option ${UserText.quoted(option)} of the source")
          }
          Nil
        case project: Project => visit(project.child, below(keys, project), inside)
        case clause: MatchRecognize =>
          if (!keepsOrder(clause, keys)) refuse("a MATCH_RECOGNIZE of this form")
          Nil
        case union: Union if union.children.count(_.isStreaming) > 1 =>
          mixed +: union.children.flatMap(input => visit(input, moved(keys, union, input), inside))
        case divided: RepartitionOperation if !keepsOrder(divided, keys) =>
          refuse(divided.nodeName)
        case divided: RebalancePartitions => refuse(divided.nodeName)
        case ordered if StreamPlans.isStateful(ordered) || ordered.isInstanceOf[Deduplicate] =>
          refuse(StreamPlans.name(ordered))
        case grouped @ (_: MapGroups | _: CoGroup | _: FlatMapGroupsInPandas |
            _: FlatMapGroupsInArrow | _: FlatMapCoGroupsInPandas | _: FlatMapCoGroupsInArrow) =>
          refuse(StreamPlans.name(grouped))
        case reference: CTERelationRef if inside(reference.cteId) => Nil
        case other =>
          val below = queries.below(other)
          val within = other match {
            case reference: CTERelationRef => inside + reference.cteId
            case _ => inside
          }
          Option.when(readsTable(other, below))(joined).toSeq ++
            below.flatMap(input => visit(input, moved(keys, other, input), within))
      }

    val whole = Option.when(node.clause.partitionSpec.isEmpty)(unpartitioned)
    (whole.toSeq ++ visit(node.child, node.clause.partitionSpec, Set.empty)).distinct
  }

  /** Whether the rows of a stream meet those of a table, for which Spark may move them. */
  private def readsTable(plan: LogicalPlan, below: Seq[LogicalPlan]): Boolean = plan match {
    case _: Join => below.exists(!_.isStreaming)
    case filter: Filter => SubqueryExpression.hasInOrCorrelatedExistsSubquery(filter.condition)
    case _ => false
  }

  private val joined =
    "A join with a table is below the clause: it keeps the order of arrival if Spark broadcasts the " +
      "table, as with a hint BROADCAST, and not if it moves the rows of the stream."

  private val unpartitioned =
    "The clause has no PARTITION BY, so in the order of arrival all rows are of one key: those of " +
      "different tasks of the source, as partitions of a topic, arrive in no order."

  private val mixed =
    "A union is below the clause, and in the order of arrival rows of a key have to come from one " +
      "of its inputs: those of different inputs arrive in no order."

  private def keepsOrder(clause: MatchRecognize, keys: Seq[Expression]): Boolean =
    clause.clause.afterMatchSkip == AfterMatchSkip.PastLastRow &&
      !clause.clause.rowsPerMatch.showsTimeouts &&
      contains(keys, clause.clause.partitionSpec)

  /** Rows of one key stay together, if they are divided by what is equal for all of them. */
  private def keepsOrder(divided: RepartitionOperation, keys: Seq[Expression]): Boolean =
    divided match {
      case repartition: Repartition => !repartition.shuffle
      case by: RepartitionByExpression =>
        by.partitionExpressions.nonEmpty && contains(keys, by.partitionExpressions)
      case _ => false
    }

  private def contains(keys: Seq[Expression], some: Seq[Expression]): Boolean =
    some.forall(expression => keys.exists(_.semanticEquals(expression)))

  /** The keys in terms of the input of a Project. */
  private def below(keys: Seq[Expression], project: Project): Seq[Expression] = {
    val named = AttributeMap(project.projectList.collect { case alias: Alias =>
      alias.toAttribute -> withoutCast(alias.child)
    })
    keys.map(_.transform { case a: Attribute => named.getOrElse(a, a) })
  }

  /** A view in SQL casts each column to the type that it has. */
  private def withoutCast(expression: Expression): Expression = expression match {
    case cast: Cast if cast.child.dataType == cast.dataType => withoutCast(cast.child)
    case other => other
  }

  /** The keys in terms of an input that an operator may give other ids. */
  private def moved(keys: Seq[Expression], plan: LogicalPlan, input: LogicalPlan): Seq[Expression] =
    if (plan.output.length != input.output.length) keys
    else {
      val inputs = AttributeMap(plan.output.zip(input.output))
      keys.map(_.transform { case a: Attribute => inputs.getOrElse(a, a) })
    }
}
