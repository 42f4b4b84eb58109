package io.matchrecognize.analysis.checks

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.Origin

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, UserText}
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

  /**
   * Checks keys as they are written.
   *
   * A string or an integer is refused: most likely it is a name in the quotes of another system, or
   * the position of a column. One with a name is meant as a column of the result. Another constant,
   * such as a parameter or one in parentheses, is allowed, and so is any in a window, where Spark
   * allows them. The text of a view was checked when the view was created; an older one may have a
   * constant that was a parameter.
   */
  def checkWritten(node: UnresolvedMatchRecognize): Unit = {
    def check(clause: String, keys: Seq[(Expression, Origin)]): Unit =
      keys.foreach {
        case (key: Literal, place) if !node.clause.rowsPerMatch.isEachRow && !isOfView(place) =>
          checkConstant(key, clause, place)
        case (key, place) => checkSession(key, node.child, place)
      }
    check("PARTITION BY", node.partitionKeys)
    check("ORDER BY", node.orderKeys)
  }

  /**
   * Refuses `session_window`. Spark replaces it by a column below, the window of one row; a
   * grouping merges such windows, and its result may be a key.
   */
  def checkSession(key: Expression, input: LogicalPlan, place: Origin): Unit =
    (key, input) match {
      case (column: AttributeReference, Filter(_, Project(list, _))) =>
        list.foreach {
          case alias: Alias if alias.exprId == column.exprId =>
            if (alias.metadata.contains(SessionWindow.marker))
              throw Errors.sessionWindow(column, place)
          case _ =>
        }
      case _ =>
    }

  private def isOfView(place: Origin): Boolean = place.objectType.contains("VIEW")

  /** By the text: a parameter too has become a literal. */
  private def checkConstant(key: Literal, clause: String, place: Origin): Unit =
    UserText.of(place).foreach { text =>
      def refuse(instead: String) = throw Errors.constantKey(text, clause, instead, place)
      text match {
        case StringText() =>
          val name = UserText.quoted(UserText.cut(key.value))
          refuse(s"a column without quotes or in backticks, as in $name")
        case IntegerText() => refuse("the name of a column, not its position")
        case _ =>
      }
    }

  /** One string: a name has neither quotes nor escapes. */
  private val StringText = """[rR]?(?:'[^'\\]*+'|"[^"\\]*+")""".r
  private val IntegerText = """\d+[lLsSyY]?""".r

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
