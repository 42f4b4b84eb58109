package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.trees.TreeNode

/**
 * A node with a sequence of children. Spark's `mapChildren` for any node first makes a set of them,
 * to know which arguments they are, and so hashes each of them whole.
 */
trait ManyChildren[T <: TreeNode[T]] extends TreeNode[T] { self: T =>
  override def mapChildren(f: T => T): T = withNewChildren(children.map(f))
}
