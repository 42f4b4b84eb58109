package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Union}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

/**
 * UNION ALL of more than two queries, for which Spark's parser makes a tree as deep as they are
 * many: each rule recurses into it, and compares each of its unions with what it was before.
 *
 * @param origins
 *   of the unions of the tree, the innermost first
 */
final case class UnresolvedUnion(children: Seq[LogicalPlan], origins: Seq[Origin])
    extends LogicalPlan
    with ManyChildren[LogicalPlan] {
  override lazy val resolved: Boolean = false
  override def output: Seq[Attribute] = Nil
  override def nodeName: String = "Union"
  override protected def stringArgs: Iterator[Any] = Iterator(false, false)

  /**
   * Of resolved queries: one node if their columns have equal types. Otherwise the tree, because in
   * it a column is cast from union to union.
   */
  def united: LogicalPlan =
    if (children.map(_.output.map(_.dataType)).distinct.length > 1) tree
    else CurrentOrigin.withOrigin(origins.last)(Union(children))

  /** As Spark's parser has it. */
  def tree: LogicalPlan =
    children.tail.zip(origins).foldLeft(children.head) { case (left, (right, origin)) =>
      CurrentOrigin.withOrigin(origin)(Union(left, right))
    }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[LogicalPlan]
  ): UnresolvedUnion = copy(children = newChildren)
}
