package io.matchrecognize.optimizer

import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.SparkSession

import io.matchrecognize.plans.{MatchRecognize, MergedQuery, MergedUnion}

/**
 * Matches a query, or one that a command writes, that is nothing but a UNION ALL of clauses, and
 * merges them into one node before the optimizer instead of in it ([[MergeClauses]]): over hundreds
 * of clauses the optimizer's rules would take longer than the searches.
 *
 * Left to the optimizer is all that it may simplify before it merges: a query with anything above
 * the UNION ALL, filters in a branch, inputs that are equal only when constants are folded. So is
 * every query while anything is cached, because a clause may be read from the cache; and tables of
 * which Spark gives cached queries later versions.
 *
 * It is a rule of Spark's plan normalization, which is between the analysis and the cache.
 */
final class MergeQuery(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (
      MergeStreams.isExcluded(MergeClauses.ruleName, session.sessionState.conf) ||
      !session.sharedState.cacheManager.isEmpty
    ) plan
    else
      plan match {
        case command: Command =>
          command.mapChildren {
            // Casts to the columns of the table.
            case project @ Project(_, union: Union)
                if union.outputSet.subsetOf(project.references) =>
              project.withNewChildren(Seq(merged(union)))
            case query => merged(query)
          }
        case query => merged(query)
      }

  private def merged(query: LogicalPlan): LogicalPlan = query match {
    case union: Union if !union.exists(_.isInstanceOf[NamedRelation]) =>
      val branches = union.children.flatMap(clause)
      if (branches.length < union.children.length) union
      else
        MergedUnion(union.copy(children = branches), isStream = false) match {
          case _: Union => union
          case node => MergedQuery(node)(union)
        }
    case other => other
  }

  /**
   * A branch without the names of its queries; None if it has other than columns above a clause.
   */
  private def clause(branch: LogicalPlan): Option[LogicalPlan] = branch match {
    case node: MatchRecognize => Some(node)
    case SubqueryAlias(_, child) => clause(child)
    case Project(columns, child) => clause(child).map(Project(columns, _))
    case _ => None
  }
}
