package io.matchrecognize.parser

import java.lang.reflect.{Field, Method}
import java.util.IdentityHashMap

import org.apache.spark.sql.catalyst.expressions.{Expression, SupportQueryContext}
import org.apache.spark.sql.catalyst.trees.{Origin, TreeNode}

import io.matchrecognize.shims.Origins

/**
 * Gives the nodes of a fresh tree the user's text instead of the text that Spark's parser was
 * given, so that analysis errors and run-time errors quote what the user wrote.
 *
 * A node's origin is fixed when it is constructed and Spark keeps no other place for it, so the
 * field is set by reflection, only in nodes whose text is the given one: constants that plans share
 * never have it. A node that may fail at run time under ANSI has a copy of the text beside it.
 *
 * @param regions
 *   code points [start, stop] that were blanked around a placeholder: what ends inside ends at stop
 */
private[parser] final class UserOrigins(statement: StatementText, regions: Seq[(Int, Int)]) {
  private val replaced = new IdentityHashMap[Origin, Origin]
  private val seen = new IdentityHashMap[AnyRef, AnyRef]

  def replace(tree: Any, text: String): Unit = walk(tree) { node =>
    val origin = node.origin
    if (origin.sqlText.contains(text)) {
      val users = replaced.computeIfAbsent(
        origin,
        (o: Origin) =>
          Origins.relocated(
            o,
            o.startIndex.map(statement.firstIndex),
            o.stopIndex.map(i => statement.lastIndex(stop(i))),
            statement.text
          )
      )
      UserOrigins.set(node, users)
    }
  }

  /** Places the nodes of a small tree that come from `text` at one piece of the user's text. */
  def place(tree: Expression, text: String, origin: Origin): Expression = {
    tree.foreach(node => if (node.origin.sqlText.contains(text)) UserOrigins.set(node, origin))
    tree
  }

  def stop(index: Int): Int =
    regions.collectFirst { case (from, to) if from <= index && index < to => to }.getOrElse(index)

  private def walk(value: Any)(visit: TreeNode[_] => Unit): Unit = value match {
    case node: TreeNode[_] =>
      if (seen.put(node, node) == null) {
        visit(node)
        node.productIterator.foreach(walk(_)(visit))
        node.children.foreach(child => walk(child)(visit))
      }
    case items: Iterable[_] => items.foreach(walk(_)(visit))
    case item: Option[_] => item.foreach(walk(_)(visit))
    case product: Product => product.productIterator.foreach(walk(_)(visit))
    case _ =>
  }
}

private[parser] object UserOrigins {

  /** The fields behind `origin`: statements of scripts override the one of TreeNode. */
  private val fields = new ClassValue[Seq[Field]] {
    override def computeValue(kind: Class[_]): Seq[Field] =
      Iterator
        .iterate[Class[_]](kind)(_.getSuperclass)
        .takeWhile(_ != null)
        .flatMap(_.getDeclaredFields)
        .filter(f => f.getName == "origin" && f.getType == classOf[Origin])
        .map { field =>
          field.setAccessible(true)
          field
        }
        .toVector
  }

  /** What run-time errors quote; not open to other packages. */
  private lazy val queryContext: (Method, Method) = {
    val kind = classOf[SupportQueryContext]
    (kind.getMethod("queryContext"), kind.getMethod("queryContext_$eq", classOf[Option[_]]))
  }

  private def set(node: TreeNode[_], origin: Origin): Unit = {
    fields.get(node.getClass).foreach(_.set(node, origin))
    node match {
      case failing: SupportQueryContext =>
        val (read, write) = queryContext
        if (read.invoke(failing) != None) write.invoke(failing, Some(origin.context))
      case _ =>
    }
  }
}
