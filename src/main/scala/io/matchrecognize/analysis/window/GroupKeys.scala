package io.matchrecognize.analysis.window

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedOrdinal}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  BaseGroupingSets,
  Expression,
  Literal,
  NamedExpression,
  WindowExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.expressions.ColumnReference
import io.matchrecognize.pattern.RowPatternAnalysis
import io.matchrecognize.plans.{PatternClause, RowPatternWindow}

/**
 * The keys of a query with GROUP BY and row pattern windows.
 *
 * As a rule it matches such a query, and lets MEASURES and DEFINE read a key that is an expression:
 * the expression, written there as in GROUP BY, becomes a reference to a hidden column of the
 * SELECT list, which [[WindowsOverGroups]] takes out again. It runs before Spark's resolution
 * rules, while both are as they were written.
 *
 * Spark reads numbers, names of the SELECT list and ALL in GROUP BY only once that list is
 * resolved, which one with row pattern windows is not; so they are read here.
 */
object GroupKeys extends Rule[LogicalPlan] {

  /** How the names of columns begin that the user does not see. */
  private[window] final val Prefix = "__row_pattern_group_"

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case aggregate: Aggregate if aggregate.aggregateExpressions.exists(WindowCalls.hasCall) =>
      aggregate.groupingExpressions
        .flatMap(single)
        .flatMap(computed(_, aggregate))
        .foldLeft(aggregate)(readable)
  }

  /** The keys of an item of GROUP BY. */
  private[window] def single(item: Expression): Seq[Expression] = item match {
    case sets: BaseGroupingSets => sets.children.flatMap(single)
    case key => Seq(key)
  }

  private[window] def isSet(item: Expression): Boolean = item.isInstanceOf[BaseGroupingSets]

  private[window] def isHidden(item: NamedExpression): Boolean = item match {
    case alias: Alias => alias.name.startsWith(Prefix)
    case _ => false
  }

  /** The expression of a key that is not a column, also if it is that of an item of SELECT. */
  private def computed(key: Expression, aggregate: Aggregate): Option[Expression] = {
    val item = key match {
      case UnresolvedOrdinal(number) => listed(aggregate, number)
      case column: UnresolvedAttribute => named(aggregate, column)
      case other => Some(other)
    }
    item.filter {
      case _: Attribute | _: Literal => false
      case other => !WindowCalls.hasCall(other)
    }
  }

  /** Lets the windows of a query read a key. */
  private def readable(aggregate: Aggregate, key: Expression): Aggregate = {
    val hidden = s"${Prefix}key_${aggregate.aggregateExpressions.length}"
    val written = comparable(key)
    var isRead = false
    val list = aggregate.aggregateExpressions.map(_.transformDown { case window: RowPatternWindow =>
      val reader = new KeyReader(window.clause, written, hidden)
      val clause = window.clause.copy(
        measures = window.clause.measures.map(reader.read),
        conditions = window.clause.conditions.map(reader.read)
      )
      isRead ||= reader.isRead
      if (reader.isRead) window.copy(clause = clause) else window
    }.asInstanceOf[NamedExpression])
    if (isRead) aggregate.copy(aggregateExpressions = list :+ Alias(key, hidden)()) else aggregate
  }

  /** An expression of GROUP BY as MEASURES and DEFINE have it. */
  private def comparable(e: Expression): Expression = {
    def folded(parts: Seq[String]) =
      if (SQLConf.get.caseSensitiveAnalysis) parts else parts.map(_.toLowerCase(Locale.ROOT))
    e.transform {
      case column: UnresolvedAttribute => ColumnReference(folded(column.nameParts))
      case column: ColumnReference => ColumnReference(folded(column.nameParts))
    }
  }

  private final class KeyReader(clause: PatternClause, key: Expression, hidden: String) {
    private val variables =
      RowPatternAnalysis.variables(clause.pattern, identity) ++ clause.subsets.map(_.name)
    var isRead = false

    def read(e: Expression): Expression = e.transformDown {
      case part if part.getClass == key.getClass && qualifier(part).isDefined =>
        isRead = true
        CurrentOrigin.withOrigin(part.origin)(ColumnReference(qualifier(part).get :+ hidden))
    }

    /** The variable whose row the key is read in, None if it is another expression. */
    private def qualifier(part: Expression): Option[Seq[String]] = {
      val names = part.collect { case column: ColumnReference => column.nameParts.head }.distinct
      val unqualified = part.transform {
        case ColumnReference(parts) if parts.length > 1 && isVariable(parts.head) =>
          ColumnReference(parts.tail)
      }
      val isKey = comparable(part) == key
      // A variable comes before a table of its name, with which the key may be written.
      if (unqualified == part) Option.when(isKey)(Nil)
      else Option.when(names.length == 1 && (isKey || comparable(unqualified) == key))(names)
    }

    private def isVariable(name: String): Boolean =
      variables.exists(SQLConf.get.resolver(_, name))
  }

  // What Spark reads once a SELECT list is resolved

  private[window] def areReady(aggregate: Aggregate): Boolean =
    isAll(aggregate) || aggregate.groupingExpressions.flatMap(single).forall {
      case UnresolvedOrdinal(number) => listed(aggregate, number).exists(_.resolved)
      case column: UnresolvedAttribute => named(aggregate, column).exists(_.resolved)
      case other => other.resolved
    }

  /** The items of GROUP BY, resolved. */
  private[window] def of(aggregate: Aggregate): Seq[Expression] =
    if (isAll(aggregate))
      aggregate.aggregateExpressions
        .filterNot(item => isHidden(item) || QualifiedWindows.isCondition(item))
        .map(withoutName)
        .filter { item =>
          item.resolved && !item.exists {
            case _: AggregateExpression | _: WindowExpression => true
            case _ => false
          }
        }
    else
      aggregate.groupingExpressions.map(_.transform {
        case UnresolvedOrdinal(number) => listed(aggregate, number).get
        case column: UnresolvedAttribute => named(aggregate, column).get
      })

  private def isAll(aggregate: Aggregate): Boolean = aggregate.groupingExpressions match {
    case Seq(UnresolvedAttribute(Seq(name))) => name.equalsIgnoreCase("ALL")
    case _ => false
  }

  private def listed(aggregate: Aggregate, number: Int): Option[Expression] =
    aggregate.aggregateExpressions.lift(number - 1).map(withoutName)

  private def named(aggregate: Aggregate, column: UnresolvedAttribute): Option[Expression] =
    column.nameParts match {
      case Seq(name) if SQLConf.get.groupByAliases =>
        aggregate.aggregateExpressions.collectFirst {
          case alias: Alias if SQLConf.get.resolver(alias.name, name) => alias.child
        }
      case _ => None
    }

  private def withoutName(item: NamedExpression): Expression = item match {
    case alias: Alias => alias.child
    case other => other
  }
}
