package io.matchrecognize.analysis.checks

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  Generator,
  OuterReference,
  RowOrdering,
  WindowExpression
}
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.plans.UnresolvedMatchRecognize

/** Checks PARTITION BY and ORDER BY: any deterministic expression of an orderable type. */
object KeyChecks {
  def check(node: UnresolvedMatchRecognize): Unit = {
    (node.partitionKeys ++ node.orderKeys).foreach { case (key, place) => checkKey(key, place) }
    (node.clause.measures ++ node.clause.conditions).foreach(_.foreach {
      case e: Generator => throw Errors.generatorInClause(e)
      case _ =>
    })
  }

  def checkKey(key: Expression, place: Origin): Unit = {
    key.foreach {
      case outer: OuterReference => throw Errors.outerReference(outer)
      case e @ (_: AggregateExpression | _: WindowExpression) =>
        throw Errors.unsupportedExpressions(Seq(e), e.origin)
      case e: Generator => throw Errors.generatorInClause(e)
      case _ =>
    }
    if (!key.deterministic) throw Errors.unsupportedExpressions(Seq(key), place)
    if (!RowOrdering.isOrderable(key.dataType))
      throw Errors.notOrderable("match_recognize", key, place)
  }
}
