package io.matchrecognize.analysis.window

import scala.collection.mutable

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression, WindowExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}

import io.matchrecognize.plans.RowPatternWindow

/**
 * QUALIFY with row pattern windows, in the condition or in the SELECT list below: Spark looks there
 * for windows of its own. The calls in the condition become columns of the SELECT list, which a
 * Project above drops again, and without a window of Spark QUALIFY is a filter.
 */
private[window] object QualifiedWindows {

  /** @param qualify Spark's node, which is known by name since not all minors have it */
  def filtered(qualify: LogicalPlan): LogicalPlan = {
    val condition = qualify.expressions.head
    qualify.children.head match {
      case project: Project if ResolveRowPatternWindows.hasCall(condition) && project.resolved =>
        val added = mutable.ArrayBuffer.empty[NamedExpression]
        val rest = condition.transformDown { case call @ RowPatternWindow.Call(window, _, _) =>
          val name = s"__row_pattern_qualify_${window.id}_${added.length}"
          // Those of the SELECT list have been moved below it already.
          val own = call.transformDown { case w: RowPatternWindow => w.copy(id = -1 - w.id) }
          added += Alias(own, name)()
          UnresolvedAttribute(Seq(name))
        }
        val below = Project(project.projectList ++ added, project.child)
        val hasOthers = rest.exists(_.isInstanceOf[WindowExpression])
        val kept =
          if (hasOthers) qualify.withNewChildren(Seq(below)).mapExpressions(_ => rest)
          else Filter(rest, below)
        Project(project.output, kept)
      case project: Project
          if project.projectList.exists(ResolveRowPatternWindows.hasCall) &&
            !condition.exists(_.isInstanceOf[WindowExpression]) =>
        Filter(condition, project)
      case _ => qualify
    }
  }
}
