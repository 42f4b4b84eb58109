package io.matchrecognize.parser

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.ExprId
import org.apache.spark.sql.catalyst.trees.TreeNode

import io.matchrecognize.plans.{ClausePositions, UnresolvedMatchRecognize}

/**
 * A plan as text, to compare plans of two statements: without the identities of what is parsed, the
 * places and the texts that Spark keeps, and with every clause shown as `table`.
 */
object Rendered {
  val table = "no_such_table"

  def apply(value: Any): String = value match {
    case _: UnresolvedMatchRecognize => Rendered(UnresolvedRelation(Seq(table)))
    case node: TreeNode[_] => node.nodeName + all(node.productIterator)
    case _: ExprId => "id"
    case items: Map[_, _] => items.toSeq.map(Rendered(_)).sorted.mkString("{", ",", "}")
    case items: Iterable[_] => items.map(Rendered(_)).mkString("[", ",", "]")
    case Some(item) => s"Some(${Rendered(item)})"
    case text: String if text.contains(table) || text.contains("MATCH_RECOGNIZE (") => "text"
    case _: ClausePositions => "places"
    case other: Product if other.productArity > 0 =>
      other.getClass.getSimpleName + all(other.productIterator)
    case other => Option(other).fold("null")(_.toString.replaceAll(Identities, ""))
  }

  /** The parts of a clause. */
  def clause(node: UnresolvedMatchRecognize): String =
    all(Iterator(node.clause, node.measureNames, node.child))

  private def all(items: Iterator[Any]): String = items.map(Rendered(_)).mkString("(", ",", ")")

  private val Identities = ".*Lambda.*|@.*|[0-9a-f]{8}(-[0-9a-f]{4,12}){4}"
}
