package io.matchrecognize.analysis.stream

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, RuntimeErrors, UserText}
import io.matchrecognize.expressions.StreamColumn
import io.matchrecognize.pattern.AfterMatchSkip
import io.matchrecognize.pattern.RowPattern.Quantified
import io.matchrecognize.plans.{MatchRecognize, PatternClause, UnresolvedMatchRecognize}

/**
 * The input of a clause in the order of arrival. The user promises that the rows of one PARTITION
 * BY key arrive in order, so below the clause only operators are accepted that keep that order:
 *
 *   - projections, filters and the watermark, and what only names or observes their rows;
 *   - a union, with a warning: its inputs may have different keys;
 *   - a join with a table, with a warning: it keeps the order if Spark broadcasts the table;
 *   - a clause that partitions by the same keys or fewer, and whose matches end one after the
 *     other.
 */
object ArrivalInput {

  /** Options of Kafka's source that divide a partition of a topic among tasks. */
  private val dividing = Seq("minPartitions", "maxRecordsPerPartition")

  /**
   * The warnings about a clause and its input.
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
    def visit(plan: LogicalPlan, keys: Seq[Expression]): Seq[String] = plan match {
      case table if !table.isStreaming => Nil
      case source: StreamingRelationV2 =>
        dividing.find(option => source.extraOptions.containsKey(option)).foreach { option =>
          refuse(s"the option ${UserText.quoted(option)} of the source")
        }
        Nil
      case project: Project => visit(project.child, below(keys, project))
      case clause: MatchRecognize =>
        if (!keepsOrder(clause, keys)) refuse("a MATCH_RECOGNIZE of another form")
        Nil
      case union: Union =>
        val inputs = union.children
        Option.when(inputs.count(_.isStreaming) > 1)(mixed).toSeq ++
          inputs.flatMap(input => visit(input, moved(keys, union, input)))
      case join: Join if !join.children.forall(_.isStreaming) =>
        joined +: join.children.flatMap(visit(_, keys))
      case filter: Filter =>
        val isJoin = SubqueryExpression.hasInOrCorrelatedExistsSubquery(filter.condition)
        Option.when(isJoin)(joined).toSeq ++ visit(filter.child, keys)
      // Its references reach the queries of WITH.
      case query: WithCTE => visit(query.plan, keys)
      case _: LeafNode | _: SubqueryAlias | _: View | _: ResolvedHint | _: UnresolvedHint |
          _: PipeOperator | _: CollectMetrics | _: TypedFilter | _: Generate |
          _: EventTimeWatermark =>
        queries.below(plan).flatMap(input => visit(input, moved(keys, plan, input)))
      case other => refuse(StreamPlans.name(other))
    }
    val whole = Option.when(node.clause.partitionSpec.isEmpty)(unpartitioned)
    val greedy = Option.when(isGreedy(node.clause))(waiting)
    (whole.toSeq ++ visit(node.child, node.clause.partitionSpec) ++ greedy).distinct
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

  private val waiting =
    "PATTERN has a greedy quantifier: a match waits as long as a later row could make it longer, " +
      "others are returned with their last row. A reluctant quantifier returns it earlier; see " +
      "\"What still waits\" in docs/streaming/arrival.md."

  private def isGreedy(clause: PatternClause): Boolean = clause.pattern.exists {
    case Quantified(_, lower, upper, greedy) => greedy && !upper.contains(lower)
    case _ => false
  }

  private def keepsOrder(clause: MatchRecognize, keys: Seq[Expression]): Boolean =
    clause.clause.afterMatchSkip == AfterMatchSkip.PastLastRow &&
      !clause.clause.rowsPerMatch.showsTimeouts &&
      clause.clause.partitionSpec.forall(key => keys.exists(_.semanticEquals(key)))

  /** The keys in terms of the input of a Project. */
  private def below(keys: Seq[Expression], project: Project): Seq[Expression] = {
    val named = AttributeMap(project.projectList.collect { case alias: Alias =>
      alias.toAttribute -> withoutCast(alias.child)
    })
    keys.map(_.transform { case a: Attribute => named.getOrElse(a, a) })
  }

  /** A view in SQL casts each column to the type that it has. */
  private def withoutCast(expression: Expression): Expression = expression match {
    case StreamColumn(column, _) => withoutCast(column)
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
