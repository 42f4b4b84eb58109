package io.matchrecognize.analysis.stream

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

import io.matchrecognize.errors.UserText
import io.matchrecognize.expressions.{ContextFunctions, PatternAggregate}
import io.matchrecognize.plans.{MatchRecognize, SessionValue}

/**
 * A clause as text that is the same whenever the same statement is analysed, so that a restarted
 * stream can tell whether its state belongs to the clause: without expression ids and qualifiers,
 * and with the user's own text for subqueries.
 */
object ClauseDescription {
  def of(node: MatchRecognize): Seq[(String, String)] = {
    val clause = node.clause
    val names = namesIn(node)
    def text(expression: Expression): String = words(expression, names)
    val single = Seq(
      "PARTITION BY" -> clause.partitionSpec.map(text(_)).mkString(", "),
      "ORDER BY" -> clause.orderSpec.map(text(_)).mkString(", "),
      "rows per match" -> clause.rowsPerMatch.sql,
      "AFTER MATCH" -> clause.afterMatchSkip.sql,
      "PATTERN" -> clause.pattern.sql,
      "WITHIN" -> clause.bound.map(w => text(w.bound)).getOrElse(""),
      "SUBSET" -> clause.subsets.map(_.sql).mkString(", ")
    )
    val measures = clause.measures.zip(node.measureOutput).map { case (measure, attribute) =>
      s"measure ${UserText.quoted(attribute.name)}" ->
        s"${text(measure)} ${attribute.dataType.sql}"
    }
    val definitions = clause.definitions.map { case (name, condition) =>
      s"DEFINE ${UserText.quoted(name)}" -> text(condition)
    }
    single ++ measures ++ definitions
  }

  /** The conditions, with aggregates that know their text. */
  def named(node: MatchRecognize): Seq[Expression] = {
    val names = namesIn(node)
    node.clause.conditions.map(_.transform { case aggregate: PatternAggregate =>
      aggregate.copy(written = words(aggregate, names))
    })
  }

  def sessionValues(node: MatchRecognize): Set[SessionValue] =
    node.clause.children
      .flatMap(_.collect {
        case _: CurrentDatabase => SessionValue.Database
        case _: CurrentCatalog => SessionValue.Catalog
        case _: CurrentUser => SessionValue.User
      })
      .toSet

  /** What of a clause, or of the columns below it, is the current time, as text. */
  def clock(node: MatchRecognize, queries: WithQueries): Option[String] =
    node.clause
      .find(ContextFunctions.isCurrentTime)
      .map(UserText.quoted(_))
      .orElse(queries.nodes(node.child).flatMap(columnOfClock).nextOption())

  private def columnOfClock(plan: LogicalPlan): Option[String] = plan match {
    case project: Project if project.isStreaming =>
      project.projectList
        .find(_.exists(ContextFunctions.isCurrentTime))
        .map(column => s"the column ${UserText.quoted(column.name)}")
    case _ => None
  }

  /** The names of the input's columns, in their own spelling. */
  private def namesIn(node: MatchRecognize): Map[ExprId, String] =
    node.child.output.map(c => c.exprId -> c.name).toMap

  /** @param names of the input's columns, in their own spelling */
  private def words(expression: Expression, names: Map[ExprId, String]): String =
    expression.transformUp {
      case a: AttributeReference => PrettyAttribute(names.getOrElse(a.exprId, a.name), a.dataType)
      case v: NamedLambdaVariable => PrettyAttribute(v.name, v.dataType)
      case s: SubqueryExpression =>
        val words = UserText.of(s.origin).getOrElse(s.plan.canonicalized.toString)
        PrettyAttribute(words.trim.replaceAll("\\s+", " "), s.dataType)
    }.sql
}
