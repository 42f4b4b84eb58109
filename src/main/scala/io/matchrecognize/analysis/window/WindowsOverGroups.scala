package io.matchrecognize.analysis.window

import scala.collection.mutable
import scala.util.Try

import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedFunction,
  UnresolvedHaving
}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeReference,
  Expression,
  Grouping,
  GroupingID,
  LateralColumnAliasReference,
  NamedExpression,
  SortOrder,
  SubqueryExpression,
  WindowExpression,
  WindowSpecDefinition
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.expressions.{ColumnReference, PatternFunctionCall}
import io.matchrecognize.pattern.RowPatternAnalysis
import io.matchrecognize.plans.RowPatternWindow

/**
 * Splits a query with GROUP BY that has a row pattern window: an Aggregate computes the groups and
 * the aggregates over them, a Project above it the windows. So PARTITION BY, ORDER BY and functions
 * read groups and aggregates, and DEFINE and MEASURES the keys of GROUP BY; see [[GroupKeys]].
 *
 * With ROLLUP, CUBE or GROUPING SETS a key of the groups is not the column of the input, which it
 * lacks in some of them: every key gets a column of its own.
 */
private[window] object WindowsOverGroups {

  /**
   * @param having
   *   what filters the groups
   */
  def split(aggregate: Aggregate, having: Option[UnresolvedHaving]): LogicalPlan = {
    aggregate.aggregateExpressions.foreach(_.foreach {
      // Before its arguments are taken for those of an aggregate over the groups.
      case call @ RowPatternWindow.Call(_, _, _) =>
        WindowFunctions.check(call.asInstanceOf[WindowExpression])
      case _ =>
    })
    val grouping = GroupKeys.of(aggregate)
    val keys = grouping.flatMap(GroupKeys.single)
    val hasSets = grouping.exists(GroupKeys.isSet)
    val columns = mutable.ArrayBuffer.empty[NamedExpression]
    columns ++= keys.collect { case key: Attribute => key }.distinctBy(_.exprId).map { key =>
      if (hasSets) Alias(key, key.name)(qualifier = key.qualifier) else key
    }
    val (hidden, list) = aggregate.aggregateExpressions.partition(GroupKeys.isHidden)
    hidden.foreach(checkKey(_, keys.isEmpty))
    columns ++= hidden

    def column(e: Expression): Attribute = columnBut(_ => false)(e)

    /** A column for an expression, but none of some names. */
    def columnBut(isTaken: String => Boolean)(e: Expression): Attribute = {
      val known = columns.filterNot(c => isTaken(c.name)).find {
        case Alias(child, _) => child.semanticEquals(e)
        case other => other.semanticEquals(e)
      }
      known.getOrElse {
        val alias = Alias(e, s"${GroupKeys.Prefix}${columns.length}")()
        columns += alias
        alias
      }.toAttribute
    }

    def overGroups(place: Origin)(e: Expression): Expression = e match {
      case call @ WindowExpression(function, spec) =>
        val inside = overGroups(function.origin) _
        val own = function match {
          // The function of the window itself; those inside it are of the groups.
          case of: AggregateExpression =>
            val function = of.aggregateFunction.mapChildren(inside).asInstanceOf[AggregateFunction]
            of.copy(aggregateFunction = function, filter = of.filter.map(inside))
          case other => other.mapChildren(inside)
        }
        val keys = spec.mapChildren {
          case key: SortOrder => overGroups(key.origin)(key)
          case key => overGroups(call.origin)(key)
        }
        WindowExpression(own, keys.asInstanceOf[WindowSpecDefinition])
      case window: RowPatternWindow =>
        val isVariable = variablesOf(window)
        val resolver = SQLConf.get.resolver
        // Keys of two tables may have one name, and so may a key and a variable.
        def isTaken(name: String) =
          isVariable(name) || columns.count(c => resolver(c.name, name)) > 1
        val renamed = withoutAliases(window, aggregate, keys, columnBut(isTaken))
        checkNames(renamed, aggregate, columns.toSeq)
        renamed
      case of @ (_: AggregateExpression | _: Grouping | _: GroupingID) => column(of)
      case key if keys.exists(_.semanticEquals(key)) => column(key)
      case other: AttributeReference if aggregate.child.outputSet.contains(other) =>
        throw Errors.notGrouped(other.name, place, keys.isEmpty)
      // The list becomes that of a Project, in which Spark finds it anew.
      case reference: LateralColumnAliasReference =>
        CurrentOrigin.withOrigin(reference.origin)(UnresolvedAttribute(reference.nameParts))
      case subquery: SubqueryExpression if subquery.children.nonEmpty =>
        OuterKeys.renamed(subquery)(overGroups(place))
      case other => other.mapChildren(overGroups(place))
    }

    val windows = list.map(item => overGroups(item.origin)(item).asInstanceOf[NamedExpression])
    def isKey(column: Expression) = keys.exists(_.semanticEquals(column))
    val condition = having.map { filter =>
      withoutNames(filter.havingCondition, aggregate, isKey) { item =>
        overGroups(item.origin)(item.child)
      }
    }
    val groups =
      aggregate.copy(groupingExpressions = grouping, aggregateExpressions = columns.toSeq)
    val filtered = having.fold[LogicalPlan](groups) { filter =>
      filter.copy(havingCondition = condition.get, child = groups)
    }
    Project(windows, filtered)
  }

  /**
   * The condition of HAVING without the names that the SELECT list gives: the Aggregate no longer
   * has them. As in Spark, a key comes before such a name, and it before other columns of the
   * input, which only aggregates read.
   */
  private def withoutNames(
      condition: Expression,
      aggregate: Aggregate,
      isKey: Expression => Boolean
  )(value: Alias => Expression): Expression = {
    val resolver = SQLConf.get.resolver
    val items = aggregate.aggregateExpressions.collect {
      case item: Alias if item.resolved && !WindowCalls.hasCall(item) => item
    }
    def item(name: String): Option[Alias] =
      Option(items.filter(item => resolver(item.name, name))).collect { case Seq(one) => one }
    def ofInput(name: String): Option[Expression] = aggregate.child.resolve(Seq(name), resolver)
    def visit(e: Expression, inCall: Boolean): Expression = e match {
      case UnresolvedAttribute(Seq(name)) if !ofInput(name).exists(inCall || isKey(_)) =>
        item(name).map(value).getOrElse(e)
      case call: UnresolvedFunction => call.mapChildren(visit(_, inCall = true))
      case other => other.mapChildren(visit(_, inCall))
    }
    visit(condition, inCall = false)
  }

  /**
   * Refuses an aggregate that MEASURES or DEFINE has and [[GroupKeys]] took for a key: an item of
   * SELECT had the name of a column in GROUP BY.
   */
  private def checkKey(hidden: NamedExpression, isGlobal: Boolean): Unit = hidden.foreach {
    case of: AggregateExpression =>
      val name = of.references.headOption.map(_.name).getOrElse(of.sql)
      throw Errors.notGrouped(name, of.origin, isGlobal)
    case _ =>
  }

  /**
   * Lets MEASURES and DEFINE read a key by its name in the SELECT list. As in GROUP BY itself, a
   * column of the input comes first.
   *
   * @param column
   *   the column of the groups that is a key, with a name of its own
   */
  private def withoutAliases(
      window: RowPatternWindow,
      aggregate: Aggregate,
      keys: Seq[Expression],
      column: Expression => Attribute
  ): RowPatternWindow = {
    val resolver = SQLConf.get.resolver
    val isVariable = variablesOf(window)
    def named(name: String): Option[Attribute] =
      if (aggregate.child.resolve(Seq(name), resolver).isDefined) None
      else
        aggregate.aggregateExpressions.collectFirst {
          case Alias(key, alias) if resolver(alias, name) && keys.exists(_.semanticEquals(key)) =>
            column(key)
        }

    /** The key that is a field of a column, and how many parts of the name it takes. */
    def field(name: Seq[String]): Option[(Attribute, Int)] =
      (name.length to 2 by -1).iterator
        .flatMap { length =>
          // A name without such a field is reported with its place later.
          Try(aggregate.child.resolve(name.take(length), resolver)).toOption.flatten.collect {
            case Alias(key, _) if keys.exists(_.semanticEquals(key)) => column(key) -> length
          }
        }
        .nextOption()
    def read(e: Expression): Expression = e match {
      // The argument is a variable.
      case PatternFunctionCall("CLASSIFIER", _) => e
      case PatternFunctionCall("MATCH_ROWTIME", Seq(ColumnReference(Seq(name))))
          if isVariable(name) =>
        e
      case reference @ ColumnReference(parts) =>
        val isQualified = parts.length > 1 && isVariable(parts.head)
        val (variable, name) = parts.splitAt(if (isQualified) 1 else 0)
        // More parts are fields of the key.
        field(name).orElse(named(name.head).map(_ -> 1)).fold[Expression](reference) {
          case (key, length) =>
            CurrentOrigin.withOrigin(reference.origin) {
              ColumnReference((variable :+ key.name) ++ name.drop(length))
            }
        }
      case other => other.mapChildren(read)
    }
    val clause = window.clause
    window.copy(clause =
      clause.copy(
        measures = clause.measures.map(read),
        conditions = clause.conditions.map(read)
      )
    )
  }

  private def variablesOf(window: RowPatternWindow): String => Boolean = {
    val clause = window.clause
    val variables = RowPatternAnalysis.variables(clause.pattern, identity) ++
      clause.subsets.map(_.name)
    name => variables.exists(SQLConf.get.resolver(_, name))
  }

  /** Refuses a column of MEASURES or DEFINE that the groups do not have. */
  private def checkNames(
      window: RowPatternWindow,
      aggregate: Aggregate,
      columns: Seq[NamedExpression]
  ): Unit = {
    val resolver = SQLConf.get.resolver
    val clause = window.clause
    val isVariable = variablesOf(window)
    (clause.measures ++ clause.conditions).foreach(_.foreach {
      case reference @ ColumnReference(parts) =>
        val name = if (parts.length > 1 && isVariable(parts.head)) parts.tail else parts
        val isGrouped =
          columns.exists(c => resolver(c.name, name.head) || resolver(c.name, name.last))
        if (!isGrouped && aggregate.child.resolve(name, resolver).isDefined)
          throw Errors.notGrouped(
            name.mkString("."),
            reference.origin,
            aggregate.groupingExpressions.isEmpty
          )
      case _ =>
    })
  }

  /** Whether everything but the windows is resolved. */
  def isReady(aggregate: Aggregate): Boolean =
    aggregate.child.resolved && GroupKeys.areReady(aggregate) &&
      aggregate.aggregateExpressions.forall(isReady(_, aggregate))

  private[window] def isReady(e: Expression, aggregate: Aggregate): Boolean = e match {
    case call @ RowPatternWindow.Call(_, partitionSpec, orderSpec) =>
      WindowCalls.isFunctionReady(call.asInstanceOf[WindowExpression]) &&
      (partitionSpec ++ orderSpec).forall(_.resolved)
    // A column of the list that has a window; it is found when that is a Project.
    case UnresolvedAttribute(nameParts) => isOfCall(nameParts, aggregate)
    case reference: LateralColumnAliasReference =>
      reference.resolved || isOfCall(reference.nameParts, aggregate)
    // Only what is computed from a window stays unresolved: the types of another part may still
    // have to be coerced.
    case other =>
      other.resolved || other.exists(isWindow(_, aggregate)) &&
      other.children.forall(isReady(_, aggregate))
  }

  private def isWindow(e: Expression, aggregate: Aggregate): Boolean = e match {
    case RowPatternWindow.Call(_, _, _) => true
    case UnresolvedAttribute(nameParts) => isOfCall(nameParts, aggregate)
    case reference: LateralColumnAliasReference => isOfCall(reference.nameParts, aggregate)
    case _ => false
  }

  private def isOfCall(nameParts: Seq[String], aggregate: Aggregate): Boolean =
    aggregate.aggregateExpressions.exists {
      case alias: Alias =>
        nameParts.length == 1 && SQLConf.get.resolver(alias.name, nameParts.head) &&
        WindowCalls.hasCall(alias)
      case _ => false
    }
}
