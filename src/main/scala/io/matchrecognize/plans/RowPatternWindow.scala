package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.analysis.Parameter
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

import io.matchrecognize.expressions.UntypedExpression

/**
 * A row pattern in a window specification (ISO/IEC 9075-2, feature R020), as the parser leaves it:
 * the first key of the specification's PARTITION BY. `ResolveRowPatternWindows` moves the clause to
 * a node below the query's SELECT list.
 *
 * Only the subqueries and parameter markers of the clause are its children, because subqueries may
 * name queries of WITH and Spark 4.0 binds markers in the whole statement. Spark would take an
 * aggregate among the children of a SELECT list for one of the query.
 *
 * @param clause
 *   without keys, which follow in the window specification
 * @param id
 *   the same wherever one window of a statement is used
 */
final case class RowPatternWindow(
    clause: PatternClause,
    measureNames: Seq[String],
    positions: ClausePositions,
    id: RowPatternWindow.Id
) extends UntypedExpression {
  override def children: Seq[Expression] = RowPatternWindow.ofStatement(clause)
  override def toString: String = s"PATTERN (${clause.pattern.sql})"
  override def sql: String = toString

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): RowPatternWindow = {
    val rest = newChildren.iterator
    copy(clause =
      RowPatternWindow.mapOfStatement(clause)(_ => rest.next()).asInstanceOf[PatternClause]
    )
  }
}

object RowPatternWindow {

  /**
   * Which window it is: the same object wherever one window of a statement is used. A query may
   * have windows of several statements, each numbered from 0: a DataFrame's expressions are parsed
   * one by one.
   *
   * @param number
   *   among the windows of the statement
   */
  final case class Id(number: Int)

  /** A call over a row pattern window: the window and its keys. */
  object Call {
    def unapply(
        expression: Expression
    ): Option[(RowPatternWindow, Seq[Expression], Seq[SortOrder])] = expression match {
      case WindowExpression(
            _,
            WindowSpecDefinition((window: RowPatternWindow) +: partitionSpec, orderSpec, _)
          ) =>
        Some((window, partitionSpec, orderSpec))
      case _ => None
    }
  }

  private def isOfStatement(e: Expression): Boolean =
    e.isInstanceOf[SubqueryExpression] || e.isInstanceOf[Parameter]

  private def ofStatement(e: Expression): Seq[Expression] =
    if (isOfStatement(e)) Seq(e) else e.children.flatMap(ofStatement)

  private def mapOfStatement(e: Expression)(f: Expression => Expression): Expression =
    if (isOfStatement(e)) f(e) else e.mapChildren(mapOfStatement(_)(f))
}

/** A measure of a row pattern window, called over it: `name OVER w`. */
final case class WindowMeasure(name: String) extends LeafExpression with UntypedExpression {
  override def toString: String = name
  override def sql: String = name
}

/**
 * A measure for a function that is called over a row pattern window. Where the reduced frame is
 * empty it has its value over no rows, as `count(*)` has 0; other measures are NULL there.
 */
final case class FrameFunction(child: Expression) extends UnaryExpression with Unevaluable {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = true
  override def toString: String = child.toString
  override def sql: String = child.sql
  override protected def withNewChildInternal(newChild: Expression): FrameFunction =
    copy(child = newChild)
}
