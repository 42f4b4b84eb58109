package io.matchrecognize.analysis.window

import org.apache.spark.sql.catalyst.analysis.{
  Star,
  UnresolvedAlias,
  UnresolvedAttribute,
  UnresolvedFunction
}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  AttributeMap,
  AttributeReference,
  Expression,
  Generator,
  LateralColumnAliasReference,
  NamedExpression,
  PrettyAttribute,
  WindowExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.NullType

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.plans._

/**
 * Matches a Project with calls over a [[RowPatternWindow]], and moves the clause below it: an
 * [[UnresolvedMatchRecognize]] with one output row per row of the Project's input, whose further
 * measures are the functions called over the window. The calls become references to them, by names
 * that only this rule gives, until `ResolveMatchRecognize` has made the node's columns.
 *
 * It runs before that rule and after Spark's, which resolve the window's keys and the functions'
 * arguments in the Project. A star has to be expanded first: it must not see the new columns.
 * Several windows of one Project are moved one after the other, so those with equal keys read rows
 * that are sorted already.
 */
object ResolveRowPatternWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = WindowPlaces(plan).resolveOperatorsUp {
    case project @ Project(_, clause: UnresolvedMatchRecognize)
        if clause.child.resolved &&
          clause.named.exists(_.columns.map(_.exprId) != clause.child.output.map(_.exprId)) =>
      renamed(project, clause)
    case project @ Project(list, child)
        if child.resolved && list.exists(hasCall) && !list.exists(hasStar) &&
          !list.exists(hasGenerator) =>
      readyCalls(list) match {
        case calls if calls.isEmpty => project
        case calls => move(project, calls)
      }
    case other =>
      other.expressions.foreach(_.foreach {
        case call @ WindowExpression(measure: WindowMeasure, _)
            if RowPatternWindow.Call.unapply(call).isEmpty =>
          throw Errors.measureOfPlainWindow(measure.name, measure.origin)
        case _ =>
      })
      other
  }

  private def hasCall(e: Expression): Boolean = e.exists(RowPatternWindow.Call.unapply(_).isDefined)

  private def hasStar(e: Expression): Boolean = e.exists(_.isInstanceOf[Star])

  /** Whether Spark makes, or may still make, a generator of it, whose rows the windows read. */
  private def hasGenerator(e: Expression): Boolean = e match {
    case RowPatternWindow.Call(_, _, _) => false
    case _: Generator => true
    case function: UnresolvedFunction if !function.exists(waitsForWindow) => true
    case other => other.children.exists(hasGenerator)
  }

  private def waitsForWindow(e: Expression): Boolean = e match {
    case _: UnresolvedAttribute | _: LateralColumnAliasReference => true
    case other => RowPatternWindow.Call.unapply(other).isDefined
  }

  /** The calls over one window, once all of them are resolved, none before. */
  private def readyCalls(list: Seq[NamedExpression]): Seq[WindowExpression] = {
    val all = list
      .flatMap(_.collect { case call @ RowPatternWindow.Call(window, _, _) =>
        window.id.number -> call.asInstanceOf[WindowExpression]
      })
      .sortBy(_._1)
      .map(_._2)
    all.iterator
      .map(first => all.filter(isOverSame(first, _)))
      .find(_.forall(isReady))
      .getOrElse(Nil)
  }

  /** Whether two calls are over one window of a statement, or over two that are equal. */
  private def isOverSame(call: WindowExpression, other: WindowExpression): Boolean = {
    val RowPatternWindow.Call(window, partitionSpec, orderSpec) = call: @unchecked
    val RowPatternWindow.Call(otherWindow, otherPartition, otherOrder) = other: @unchecked
    def sameKeys = {
      val (keys, otherKeys) = (partitionSpec ++ orderSpec, otherPartition ++ otherOrder)
      partitionSpec.length == otherPartition.length && keys.length == otherKeys.length &&
      keys.zip(otherKeys).forall { case (key, otherKey) => key.semanticEquals(otherKey) }
    }
    (window.id eq otherWindow.id) ||
    isReady(call) && isReady(other) && window == otherWindow && sameKeys
  }

  private def isReady(call: WindowExpression): Boolean = {
    val RowPatternWindow.Call(_, partitionSpec, orderSpec) = call: @unchecked
    val isFunctionReady = call.windowFunction match {
      case _: WindowMeasure => true
      case function => function.resolved
    }
    isFunctionReady && (partitionSpec ++ orderSpec).forall(_.resolved)
  }

  private def move(project: Project, calls: Seq[WindowExpression]): LogicalPlan = {
    val RowPatternWindow.Call(window, partitionSpec, orderSpec) = calls.head: @unchecked
    val functions = new WindowFunctions(window, partitionSpec, orderSpec)
    val prefix = columnPrefix(window, project.child)
    val input = new BelowWindows(withMetadata(project))
    def isMoved(e: Expression) = calls.exists(_ eq e)
    val list = project.projectList.map { item =>
      val lowered = input.lowered(item)
      val named = (item, lowered) match {
        case (UnresolvedAlias(child, _), UnresolvedAlias(value, _))
            if child.exists(isMoved) || (value ne child) =>
          CurrentOrigin.withOrigin(item.origin)(Alias(value, prettyName(child))())
        case _ => lowered
      }
      named
        .transformDown {
          case call: WindowExpression if isMoved(call) =>
            CurrentOrigin.withOrigin(call.origin)(replaced(call, functions, prefix))
        }
        .asInstanceOf[NamedExpression]
    }
    val below =
      CurrentOrigin.withOrigin(window.positions.clause)(node(functions, prefix, input.plan))
    Project(list, below)
  }

  /**
   * The input of a SELECT list with the columns that it reads and that `*` does not have, such as
   * `_metadata` and the second key of USING: they are read above the node too.
   */
  private def withMetadata(project: Project): LogicalPlan = {
    val input = project.child
    val read = project.projectList.flatMap(_.collect { case a: AttributeReference => a.exprId })
    val hidden = input.metadataOutput
      .filter(column => read.contains(column.exprId) && !input.outputSet.contains(column))
    if (hidden.isEmpty) input else Project(input.output ++ hidden, input)
  }

  /**
   * The Project with the columns that the input has now. Spark gives new ones to a relation that
   * occurs twice, and passes them on to the operators above as far as their children are resolved,
   * so not beyond a clause that still has to be.
   */
  private def renamed(project: Project, clause: UnresolvedMatchRecognize): LogicalPlan = {
    val now = clause.child.output
    val changes = clause.named.toSeq.flatMap(_.columns).zip(now).filter { case (a, b) =>
      a.exprId != b.exprId
    }
    val changed = project.rewriteAttrs(AttributeMap(changes))
    changed.withNewChildren(Seq(clause.copy(named = Some(new NamedColumns(now)))))
  }

  /** How the names of a window's columns begin; each number is used once in a query. */
  private def columnPrefix(window: RowPatternWindow, input: LogicalPlan): String =
    Iterator
      .from(window.id.number)
      .map(number => s"${WindowPlaces.ColumnPrefix}${number}_")
      .find(prefix => !input.output.exists(_.name.startsWith(prefix)))
      .get

  private def replaced(
      call: WindowExpression,
      functions: WindowFunctions,
      prefix: String
  ): Expression =
    call.windowFunction match {
      case measure: WindowMeasure => column(prefix, measureNumber(measure, functions))
      case _ =>
        functions.add(call) match {
          case Left(overPartition) => overPartition
          case Right(number) => column(prefix, number)
        }
    }

  private def measureNumber(measure: WindowMeasure, functions: WindowFunctions): Int = {
    val names = functions.window.measureNames
    names.indexWhere(SQLConf.get.resolver(_, measure.name)) match {
      case -1 => throw Errors.unknownMeasure(measure.name, names, measure.origin)
      case number => number
    }
  }

  private def node(
      functions: WindowFunctions,
      prefix: String,
      child: LogicalPlan
  ): UnresolvedMatchRecognize = {
    import functions.{orderSpec, partitionSpec, window}
    val resolver = SQLConf.get.resolver
    window.measureNames.zipWithIndex.foreach { case (name, i) =>
      if (window.measureNames.take(i).exists(resolver(_, name)))
        throw Errors.duplicateMeasure(name, window.positions.measureNames(i))
    }
    val measures = window.clause.measures ++ functions.measures
    UnresolvedMatchRecognize(
      window.clause.copy(
        partitionSpec = partitionSpec,
        orderSpec = orderSpec,
        measures = measures
      ),
      measures.indices.map(columnName(prefix, _)),
      window.positions.copy(
        measureNames = window.positions.measureNames ++
          functions.measures.map(_ => window.positions.clause)
      ),
      inputQualifies = true,
      child,
      Some(new NamedColumns(child.output))
    )
  }

  private def columnName(prefix: String, number: Int): String = s"$prefix$number"

  private def column(prefix: String, number: Int): Expression =
    UnresolvedAttribute(Seq(columnName(prefix, number)))

  /** As Spark names an item of SELECT, with a short text for the window. */
  private def prettyName(e: Expression): String = e match {
    case WindowExpression(measure: WindowMeasure, _) => measure.name
    case other =>
      toPrettySQL(other.transformDown { case call @ RowPatternWindow.Call(window, _, _) =>
        val function = toPrettySQL(call.asInstanceOf[WindowExpression].windowFunction)
        PrettyAttribute(s"$function OVER ($window)", NullType)
      })
  }
}
