package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedException}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  UnaryExpression,
  Unevaluable
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.types.DataType

/**
 * QUALIFY of a query with row pattern windows: the rows of `child` whose last column, the condition
 * of QUALIFY, is TRUE, without that column. `ResolveRowPatternWindows` replaces it once its child
 * is resolved.
 */
final case class QualifiedRows(child: LogicalPlan) extends UnaryNode {
  override lazy val resolved: Boolean = false
  override def output: Seq[Attribute] = if (child.resolved) child.output.init else Nil
  override def metadataOutput: Seq[Attribute] = Nil

  // Spark's messages name an operator by it.
  override def nodeName: String = "QUALIFY"

  override protected def withNewChildInternal(newChild: LogicalPlan): QualifiedRows =
    copy(child = newChild)
}

/**
 * A name in a window of QUALIFY: a column of the input if it has one of this name, else the column
 * of the SELECT list. Spark would refuse the latter in a window of a SELECT list.
 *
 * @param child
 *   what the SELECT list computes under this name
 */
final case class QualifyName(nameParts: Seq[String], child: Expression)
    extends UnaryExpression
    with Unevaluable {
  override lazy val resolved: Boolean = false
  override def dataType: DataType = throw new UnresolvedException("dataType")
  override def nullable: Boolean = throw new UnresolvedException("nullable")
  override def toString: String = sql
  override def sql: String = column.sql

  def column: UnresolvedAttribute = UnresolvedAttribute(nameParts)

  override protected def withNewChildInternal(newChild: Expression): QualifyName =
    copy(child = newChild)
}
