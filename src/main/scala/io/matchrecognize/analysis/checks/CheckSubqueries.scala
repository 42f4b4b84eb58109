package io.matchrecognize.analysis.checks

import org.apache.spark.sql.catalyst.expressions.InSubquery
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.CTE

import io.matchrecognize.analysis.stream.WithQueries
import io.matchrecognize.analysis.window.WindowPlaces
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.plans.{MatchRecognize, UnresolvedMatchRecognize, UnresolvedNamedKeys}

/**
 * Reports an IN subquery in a clause whose sides have incompatible types, and a clause over a
 * recursive reference. It runs after resolution, because types are coerced until then, and before
 * Spark's checks, which would report that IN is not supported in this operator.
 */
object CheckSubqueries extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case clause @ (_: UnresolvedMatchRecognize | _: UnresolvedNamedKeys) =>
        clause.expressions.foreach(_.foreach {
          case in: InSubquery if in.childrenResolved => EarlyChecks.checkInputTypes(in)
          case _ =>
        })
      case other => if (!other.resolved) WindowPlaces.check(other)
    }
    if (plan.containsPattern(CTE)) checkRecursion(plan)
    plan
  }

  /** A subquery may refer to queries of WITH outside it, so the whole statement is looked at. */
  private def checkRecursion(plan: LogicalPlan): Unit = {
    val queries = new WithQueries(plan)
    plan.collectWithSubqueries {
      case clause: MatchRecognize if queries.isRecursive(clause.child) =>
        throw Errors.recursiveReference(clause.origin)
    }
  }
}
