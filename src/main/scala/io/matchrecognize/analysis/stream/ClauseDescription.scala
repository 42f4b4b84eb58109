package io.matchrecognize.analysis.stream

import org.apache.spark.sql.catalyst.expressions._

import io.matchrecognize.errors.UserText
import io.matchrecognize.plans.MatchRecognize

/**
 * A clause as text that is the same whenever the same statement is analysed, so that a restarted
 * stream can tell whether its state belongs to the clause: without expression ids and qualifiers,
 * and with the user's own text for subqueries.
 */
object ClauseDescription {
  def of(node: MatchRecognize): Seq[(String, String)] = {
    val clause = node.clause
    val names = node.child.output.map(c => c.exprId -> c.name).toMap
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
