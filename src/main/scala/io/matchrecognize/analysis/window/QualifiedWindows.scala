package io.matchrecognize.analysis.window

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedHaving}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Expression,
  NamedExpression,
  WindowExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Filter,
  LogicalPlan,
  Project,
  UnaryNode
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, TreeNodeTag}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.plans.{QualifiedRows, QualifyName}
import io.matchrecognize.shims.MinorClass

/**
 * Matches QUALIFY that has a row pattern window in its condition or in the SELECT list below, and
 * makes the condition the last column of that list, under [[QualifiedRows]]. There its names are
 * found as in QUALIFY, first among the columns of the input and then among those of the list, and
 * all windows of the query are computed in one place.
 *
 * It runs before Spark's resolution rules. These compute the ordinary windows of a list as soon as
 * the list is resolved, over no more columns than they read: a pattern that is added to the list
 * afterwards would not find its columns.
 */
object QualifiedWindows extends Rule[LogicalPlan] {

  // What Spark's messages call the condition.
  private final val Condition = "QUALIFY"
  private val IsCondition = new TreeNodeTag[Unit]("matchRecognizeQualify")

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case qualify: UnaryNode if MinorClass.UnresolvedQualify.isClassOf(qualify) =>
      val condition = qualify.expressions.head
      val list = selectList(qualify.child)
      if ((condition +: list).exists(WindowCalls.hasCall)) {
        val item = CurrentOrigin.withOrigin(condition.origin) {
          Alias(readable(condition, list), Condition)()
        }
        item.setTagValue(IsCondition, ())
        CurrentOrigin.withOrigin(qualify.origin)(QualifiedRows(added(item, qualify.child)))
      } else qualify
  }

  private def selectList(query: LogicalPlan): Seq[NamedExpression] = query match {
    case project: Project => project.projectList
    case aggregate: Aggregate => aggregate.aggregateExpressions
    case having: UnresolvedHaving => selectList(having.child)
    case _ => Nil
  }

  private def added(item: NamedExpression, query: LogicalPlan): LogicalPlan = query match {
    case project: Project => project.copy(projectList = project.projectList :+ item)
    case aggregate: Aggregate =>
      aggregate.copy(aggregateExpressions = aggregate.aggregateExpressions :+ item)
    case other => other.withNewChildren(Seq(added(item, other.children.head)))
  }

  /** The condition, whose windows may read columns of the SELECT list. */
  private def readable(condition: Expression, list: Seq[NamedExpression]): Expression = {
    val resolver = SQLConf.get.resolver
    // Spark reports a name of several columns as ambiguous, or finds it in the input.
    val aliases = list.collect { case alias: Alias => alias }
    val named = aliases.filter(a => aliases.count(b => resolver(a.name, b.name)) == 1)
    // What is put in is not searched again: `v + 1 AS v` reads the column.
    condition.transformUp { case window: WindowExpression =>
      window.transformUp {
        case column @ UnresolvedAttribute(Seq(name)) if named.exists(a => resolver(a.name, name)) =>
          CurrentOrigin.withOrigin(column.origin) {
            QualifyName(column.nameParts, named.find(a => resolver(a.name, name)).get.child)
          }
      }
    }
  }

  /** Reads the names in windows of a condition whose query has a resolved input. */
  private[window] def read(query: LogicalPlan): LogicalPlan = query.transformExpressions {
    case name: QualifyName =>
      val isColumn = query.children.head.resolve(name.nameParts, SQLConf.get.resolver).isDefined
      CurrentOrigin.withOrigin(name.origin)(if (isColumn) name.column else name.child)
  }

  /** Whether an item of a SELECT list is the condition of QUALIFY. */
  private[window] def isCondition(item: NamedExpression): Boolean =
    item.getTagValue(IsCondition).isDefined

  private[window] def hasName(query: LogicalPlan): Boolean =
    query.expressions.exists(_.exists(_.isInstanceOf[QualifyName]))

  private[window] def filtered(rows: QualifiedRows): LogicalPlan = {
    val output = rows.child.output
    Project(output.init, Filter(output.last, rows.child))
  }
}
