package io.matchrecognize.analysis.names

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.internal.SQLConf

/**
 * Resolves the columns of a select list early, as Spark's `ResolveReferences` does, because another
 * pass of Spark's rules over hundreds of queries is slow. Everything but a column of the input,
 * with or without another name, is left to Spark, and so are the errors.
 */
private[analysis] object SelectList {
  def resolve(query: LogicalPlan): LogicalPlan = query match {
    case project: Project if !project.resolved && project.child.resolved =>
      val columns = AttributeSeq.fromNormalOutput(project.child.output)
      project.mapExpressions {
        case name: UnresolvedAttribute => column(name, columns)
        case alias @ Alias(name: UnresolvedAttribute, _) =>
          alias.withNewChildren(Seq(column(name, columns)))
        case other => other
      }
    case other => other
  }

  private def column(name: UnresolvedAttribute, columns: AttributeSeq): Expression = {
    val found =
      try
        CurrentOrigin.withOrigin(name.origin)(columns.resolve(name.nameParts, SQLConf.get.resolver))
      catch { case _: AnalysisException => None }
    found.collect { case column: Attribute => column }.getOrElse(name)
  }
}
