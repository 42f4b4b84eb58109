package io.matchrecognize.parser.statement

import org.apache.spark.sql.catalyst.analysis.{
  ExpressionWithUnresolvedIdentifier,
  PlanWithUnresolvedIdentifier
}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, TreeNode}

/**
 * Replaces the placeholders in Spark's plan of the masked statement: an alias named like a
 * placeholder becomes the clauses over the alias's input, a string that quotes the masked text
 * becomes the user's text (views, cached queries, SQL functions and cursors keep their text).
 *
 * Placeholders are searched everywhere: in children, in bodies of WITH, in queries inside commands,
 * in subqueries of expressions, in statements of scripts. Under IDENTIFIER(...) the plan is built
 * later, so its builder is wrapped. Each placeholder must be found exactly once, or only in a text
 * (the body of a SQL function is parsed later); otherwise the clause would be lost, which is an
 * error.
 *
 * @param clauses
 *   for each placeholder, builds the clauses over the input
 */
private[parser] final class PlaceholderSwap(
    masked: MaskedText,
    groups: Seq[ClauseGroup],
    clauses: IndexedSeq[LogicalPlan => LogicalPlan]
) {
  private val met = Array.fill(clauses.length)(0)
  private val quoted = Array.fill(clauses.length)(false)
  private var deferred = false

  /** @return the tree, and the placeholders that were not found exactly once */
  def apply[T](tree: T): (T, Seq[Int]) = {
    val exchanged = rewrite(tree).asInstanceOf[T]
    val wrong = met.indices.filter(i => met(i) > 1 || (met(i) == 0 && !quoted(i) && !deferred))
    (exchanged, wrong)
  }

  private def rewrite(value: Any): Any = value match {
    case plan: LogicalPlan =>
      placed(plan) match {
        case Some((wrappers, alias, i)) =>
          met(i) += 1
          val input = wrappers.foldRight(rewrite(alias.child).asInstanceOf[LogicalPlan]) {
            (wrapper, child) => wrapper.withNewChildren(Seq(child))
          }
          clauses(i)(input)
        case None =>
          plan match {
            case later: PlanWithUnresolvedIdentifier => defer(later)
            case _ => node(plan)
          }
      }
    case later: ExpressionWithUnresolvedIdentifier => defer(later)
    case tree: TreeNode[_] => node(tree)
    case string: String =>
      // Elsewhere a name that is the placeholder does not refer to the clause's output.
      met.indices.foreach { i =>
        if (string == masked.placeholders(i)) met(i) += 2
        else if (masked.holds(string, i)) quoted(i) = true
      }
      masked.restore(string)
    case Some(item) =>
      val changed = rewrite(item)
      if (same(item, changed)) value else Some(changed)
    case items: Seq[_] => elements(items)
    case items: Map[_, _] =>
      val changed = items.map { case (k, v) => (rewrite(k), rewrite(v)) }
      if (changed == items && !items.values.exists(_.isInstanceOf[TreeNode[_]])) items else changed
    case pair: (_, _) => kept(pair, (rewrite(pair._1), rewrite(pair._2)))
    case triple: (_, _, _) =>
      kept(triple, (rewrite(triple._1), rewrite(triple._2), rewrite(triple._3)))
    case other => other
  }

  private def elements(items: Seq[_]): Seq[_] = {
    val changed = items.map(rewrite)
    if (items.corresponds(changed)(same)) items else changed
  }

  /** The tuple itself if its fields have not changed. */
  private def kept(before: Product, after: Product): Product =
    if (before.productIterator.zip(after.productIterator).forall { case (x, y) => same(x, y) })
      before
    else after

  private def same(a: Any, b: Any): Boolean = a.asInstanceOf[AnyRef] eq b.asInstanceOf[AnyRef]

  private def node(tree: TreeNode[_]): Any = {
    val arguments = tree.productIterator.toArray
    val changed = arguments.map(rewrite)
    if (arguments.corresponds(changed)(same)) tree
    else tree.makeCopy(changed.map(_.asInstanceOf[AnyRef]))
  }

  /**
   * The alias of a placeholder, and what is above it but belongs below the clause: Spark samples
   * the aliased table of `t TABLESAMPLE (...) MATCH_RECOGNIZE (...)`, and sets a watermark on it.
   */
  private def placed(plan: LogicalPlan): Option[(Seq[LogicalPlan], SubqueryAlias, Int)] =
    PlaceholderSwap.Wrappers.iterator
      .flatMap { names =>
        val chain = names.scanLeft(Option(plan)) { (above, name) =>
          above.filter(_.nodeName == name).flatMap(_.children.headOption)
        }
        chain.last.collect { case alias: SubqueryAlias =>
          (chain.init.flatten, alias, masked.placeholders.indexOf(alias.identifier.name))
        }
      }
      .find { case (wrappers, _, i) => i >= 0 && (wrappers.isEmpty || groups(i).overTable) }

  private def defer(later: PlanWithUnresolvedIdentifier): LogicalPlan = {
    deferred = true
    val builder = later.planBuilder
    CurrentOrigin.withOrigin(later.origin) {
      new PlanWithUnresolvedIdentifier(
        rewrite(later.identifierExpr).asInstanceOf[Expression],
        rewrite(later.children).asInstanceOf[Seq[LogicalPlan]],
        (name: Seq[String], plans: Seq[LogicalPlan]) =>
          rewrite(builder(name, plans)).asInstanceOf[LogicalPlan]
      )
    }
  }

  private def defer(later: ExpressionWithUnresolvedIdentifier): Expression = {
    val builder = later.exprBuilder
    CurrentOrigin.withOrigin(later.origin) {
      new ExpressionWithUnresolvedIdentifier(
        rewrite(later.identifierExpr).asInstanceOf[Expression],
        rewrite(later.otherExprs).asInstanceOf[Seq[Expression]],
        (name: Seq[String], others: Seq[Expression]) =>
          rewrite(builder(name, others)).asInstanceOf[Expression]
      )
    }
  }
}

private object PlaceholderSwap {

  /** The operators that may be above an alias, by their names: a watermark, over a sample. */
  private val Wrappers: Seq[Seq[String]] = for {
    watermark <- Seq(Nil, Seq("UnresolvedEventTimeWatermark"))
    sample <- Seq(Nil, Seq("Sample"), Seq("GlobalLimit", "LocalLimit"))
  } yield watermark ++ sample
}
