package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.AliasIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  AnalysisContext,
  SQLFunctionContext,
  SQLFunctionNode,
  SQLScalarFunction
}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Literal, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.trees.TreePattern.SQL_SCALAR_FUNCTION
import org.apache.spark.sql.classic.SparkSession

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, UserText}
import io.matchrecognize.plans.MatchRecognize

/**
 * Persistent views and SQL functions: who may read what one returns need not be allowed to read
 * what its text reads. So a table function that gets the text of a query does not look into them,
 * and cannot be called in them, where its query would mean what its names mean to the reader.
 */
object ForeignText extends Rule[LogicalPlan] {

  /** The object whose text a part of a plan is made of, as messages name it. */
  private def opened(plan: LogicalPlan): Option[String] = plan match {
    case view: View if !view.isTempView =>
      Some(s"the view ${UserText.quoted(view.desc.qualifiedName)}")
    case call: SQLFunctionNode =>
      Some(s"the function ${UserText.quoted(call.function.name.unquotedString)}")
    case _ => None
  }

  def isOpened(plan: LogicalPlan): Boolean = opened(plan).isDefined

  /** The first such object with a clause that only a look into its text would find. */
  def withClause(plan: LogicalPlan): Option[String] = opened(plan) match {
    case found if found.isDefined && plan.exists(_.isInstanceOf[MatchRecognize]) => found
    case _ => plan.children.flatMap(withClause).headOption
  }

  /** The plan with the rows of such an object in place of its text. */
  def closed(plan: LogicalPlan): LogicalPlan = plan.transformDownWithSubqueries {
    case part if isOpened(part) => Rows(part.output, part.isStreaming)
    case part =>
      part.transformExpressionsDown { case call: SQLScalarFunction =>
        call.copy(child = Literal.create(null, call.dataType))
      }
  }

  /**
   * Refuses a call in the text of such an object while that is resolved, and lets Spark refuse a
   * view with it. The query of a scalar function is resolved where it is called: `apply` finds it.
   */
  def refuse(function: String, origin: Origin): Unit = {
    val catalog = SparkSession.active.sessionState.catalog
    val global = s"${catalog.globalTempDatabase}."
    val isTemporary = origin.objectName.exists { name =>
      catalog.getRawTempView(name).isDefined || name.startsWith(global) &&
      catalog.getRawGlobalTempView(name.stripPrefix(global)).isDefined
    }
    if (origin.objectType.contains("VIEW") && !isTemporary)
      throw Errors.callInText(function, "view", origin)
    if (SQLFunctionContext.get.nestedSQLFunctionDepth > 0)
      throw Errors.callInText(function, "function", origin)
    // Spark refuses what is to stay and names something that is of this session only.
    AnalysisContext.get.referredTempFunctionNames.add(function)
  }

  /** The rows of a call, by which `apply` knows it. */
  def called(function: String, rows: LogicalPlan): LogicalPlan =
    SubqueryAlias(AliasIdentifier(Hidden, Seq(function)), rows)

  // As the qualifier of a clause's result it is left out of suggestions.
  private final val Hidden = "__auto_generated_subquery_name"

  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsPattern(SQL_SCALAR_FUNCTION)) plan.foreach {
      _.expressions.foreach(_.foreach {
        case function: SQLScalarFunction =>
          function.foreach {
            case subquery: SubqueryExpression => checkCalls(subquery.plan)
            case _ =>
          }
        case _ =>
      })
    }
    plan
  }

  private def checkCalls(plan: LogicalPlan): Unit = plan.collectWithSubqueries {
    case alias @ SubqueryAlias(AliasIdentifier(Hidden, Seq(function)), _) =>
      throw Errors.callInText(function, "function", alias.origin)
  }

  private final case class Rows(output: Seq[Attribute], override val isStreaming: Boolean)
      extends LeafNode {
    override def computeStats(): Statistics = Statistics(conf.defaultSizeInBytes)
  }
}
