package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, TaggingExpression}
import org.apache.spark.sql.types.DataType

/**
 * A column of a stream below a clause, or the current time in its conditions: the value of `child`,
 * of which nobody knows more than the analysis of the query does.
 *
 * Spark optimizes each micro-batch anew, and what it knows of a column changes from one to the
 * next: a UNION without new rows in one of its inputs has the columns of the others, which may not
 * be NULL, or constant. It would fold the conditions that read them, drop columns that these no
 * longer read, and keep a clause no longer below a filter that is never TRUE. But the state that
 * one micro-batch saves is read by the next, so the expressions of a clause must not depend on it.
 */
final case class StreamColumn(child: Expression, override val dataType: DataType)
    extends TaggingExpression {
  override def nullable: Boolean = true
  override def foldable: Boolean = false
  override def toString: String = child.toString
  override def sql: String = child.sql
  override protected def withNewChildInternal(newChild: Expression): StreamColumn =
    copy(child = newChild)
}
