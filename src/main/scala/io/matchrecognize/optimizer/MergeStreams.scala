package io.matchrecognize.optimizer

import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.optimizer.{
  CombineUnions,
  InlineCTE,
  ReplaceExpressions,
  RewriteWithExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan, Union, View}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.plans.{MatchRecognize, MatchRecognizeUnion, MergedUnion}

/**
 * Matches the plan of a streaming query that starts, and merges the clauses of each UNION ALL in it
 * as [[MergeClauses]] does on tables: its branches have one stateful operator then, and the stream
 * is read once.
 *
 * It runs once for a start, at the end of its analysis, because all micro-batches, and those of a
 * restart, have to have the same operators, whatever the optimizer makes of each; and because Spark
 * makes the sources of the analysed plan. Names of views, queries of WITH and functions such as
 * BETWEEN are replaced first, unless nothing is merged; equal inputs are found by their canonical
 * form.
 *
 * Where `spark.sql.optimizer.excludedRules` names [[MergeClauses]], streams are not merged either.
 */
object MergeStreams extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteToStream if mayMerge(write.inputQuery) =>
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        val merged = CombineUnions(plain(InlineCTE()(write.inputQuery))).transformUp {
          case union: Union => MergedUnion(union, isStream = true)
        }
        if (merged.exists(_.isInstanceOf[MatchRecognizeUnion])) write.withNewChildren(Seq(merged))
        else plan
      }
    case _ => plan
  }

  private def mayMerge(query: LogicalPlan): Boolean =
    !isExcluded(MergeClauses.ruleName) && query.exists(_.isInstanceOf[Union]) &&
      query.exists(_.isInstanceOf[MatchRecognize])

  private[optimizer] def isExcluded(rule: String, conf: SQLConf = SQLConf.get): Boolean =
    conf.optimizerExcludedRules.exists(_.split(",").exists(_.trim == rule))

  private def plain(query: LogicalPlan): LogicalPlan = {
    val unnamed = EliminateSubqueryAliases(query).transform { case view: View => view.child }
    RewriteWithExpression(ReplaceExpressions(unnamed))
  }
}
