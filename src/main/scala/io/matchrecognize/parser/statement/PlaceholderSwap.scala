package io.matchrecognize.parser.statement

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, WindowSpecDefinition}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin, TreeNode}

import io.matchrecognize.plans.UnresolvedUnion
import io.matchrecognize.shims.MinorClass

/**
 * Replaces the placeholders in Spark's plan of the masked statement: an alias named like a
 * placeholder becomes the clauses over the alias's input, a window specification partitioned by one
 * becomes the row pattern window, a column becomes the call of a measure; a string that quotes the
 * masked text becomes the user's text (views, cached queries, SQL functions and cursors keep it).
 *
 * Placeholders are searched everywhere: in children, in bodies of WITH, in queries inside commands,
 * in subqueries of expressions, in statements of scripts. Under IDENTIFIER(...) the plan is built
 * later, so its builder is wrapped. Each placeholder must be found, that of a group exactly once,
 * or only in a text (the body of a SQL function is parsed later); otherwise the clause would be
 * lost, which is an error.
 *
 * @param clauses
 *   for each group, builds the clauses over the input
 * @param index
 *   the place in the statement of a place in the text that Spark parsed
 */
private[parser] final class PlaceholderSwap(
    masked: MaskedText,
    clauses: IndexedSeq[LogicalPlan => LogicalPlan],
    windows: WindowParts,
    index: Int => Int
) {
  private val masks = masked.all
  private val numberOf = masks.map(_.placeholder).zipWithIndex.toMap
  private val firstMeasure = clauses.length + masked.windowMasks.length
  private val Window = new Placeholder(clauses.length, masked.windowMasks)
  private val Measure = new Placeholder(firstMeasure, masked.measureMasks)
  private val met = Array.fill(masks.length)(0)
  private val quoted = Array.fill(masks.length)(false)
  private var deferred = false
  // FROM before several INSERTs is one plan, which each of them reads.
  private val replaced = new java.util.IdentityHashMap[SubqueryAlias, LogicalPlan].asScala

  /** @return the tree, and the masks whose placeholders were not found as they should be */
  def apply[T](tree: T): (T, Seq[Mask]) = {
    val exchanged = rewrite(tree).asInstanceOf[T]
    val wrong = masks.indices.filter { i =>
      val isLost = met(i) == 0 && !quoted(i) && !deferred && masked.isRead(masks(i))
      isLost || met(i) > (if (i < clauses.length) 1 else PlaceholderSwap.Misplaced - 1)
    }
    (exchanged, wrong.map(masks))
  }

  private def rewrite(value: Any): Any = value match {
    case plan: LogicalPlan =>
      placed(plan) match {
        case Some((wrappers, alias, i)) =>
          replaced.getOrElseUpdate(
            alias, {
              met(i) += 1
              val input = wrappers.foldRight(rewrite(alias.child).asInstanceOf[LogicalPlan]) {
                (wrapper, child) => wrapper.withNewChildren(Seq(child))
              }
              clauses(i)(input)
            }
          )
        case None =>
          plan match {
            case later: PlanWithUnresolvedIdentifier => defer(later)
            case definitions: WithWindowDefinition =>
              windows.substituted(node(definitions).asInstanceOf[WithWindowDefinition])
            case _ if PlaceholderSwap.isUnionAll(plan) => unionAll(plan)
            case _ => node(plan)
          }
      }
    case later: ExpressionWithUnresolvedIdentifier => defer(later)
    case WindowSpecDefinition(Seq(UnresolvedAttribute(Seq(Window(number)))), _, _) =>
      met(clauses.length + number) += 1
      windows.specification(number)
    case UnresolvedAttribute(Seq(Measure(number))) =>
      met(firstMeasure + number) += 1
      windows.measure(number)
    case item: UnresolvedAlias =>
      node(item) match {
        case UnresolvedAlias(child, None) if windows.isOver(child) =>
          windows.named(child, placed(item.child.origin))
        case other => other
      }
    case marker: PosParameter if index(marker.pos) != marker.pos =>
      CurrentOrigin.withOrigin(marker.origin)(PosParameter(index(marker.pos)))
    case tree: TreeNode[_] => node(tree)
    case string: String =>
      // Elsewhere a name that is the placeholder does not refer to the clause's output.
      if (masked.mayHold(string)) met.indices.foreach { i =>
        if (string == masks(i).placeholder) met(i) += PlaceholderSwap.Misplaced
        else if (masked.holds(string, masks(i))) quoted(i) = true
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

  /** Without recursion into the first query, which is a union of all queries but the last. */
  private def unionAll(plan: LogicalPlan): LogicalPlan = {
    val unions = List
      .unfold(plan)(p => Option.when(PlaceholderSwap.isUnionAll(p))(p -> p.children.head))
      .reverse
    val queries = unions.head.children.head +: unions.map(_.children(1))
    val changed = elements(queries)
    if (same(changed, queries)) plan
    else {
      val union = UnresolvedUnion(changed.asInstanceOf[Seq[LogicalPlan]], unions.map(_.origin))
      if (unions.length == 1 || masked.mayBeRecursive) union.tree else union
    }
  }

  private def placed(origin: Origin): Origin =
    origin.copy(
      startIndex = origin.startIndex.map(index),
      stopIndex = origin.stopIndex.map(index)
    )

  private def elements(items: Seq[_]): Seq[_] = {
    val changed = items.map { item =>
      (item, rewrite(item)) match {
        // In a SELECT list; elsewhere a column is a child of another node.
        case (UnresolvedAttribute(Seq(Measure(number))), call: Expression) =>
          Alias(call, windows.name(number))()
        case (_, other) => other
      }
    }
    if (items.corresponds(changed)(same)) items else changed
  }

  /** Matches the placeholders of some masks, and returns the number of one among them. */
  private final class Placeholder(first: Int, ofKind: Seq[Mask]) {
    def unapply(name: String): Option[Int] =
      numberOf.get(name).map(_ - first).filter(ofKind.isDefinedAt)
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
      .flatMap { case (stream, watermark, sample) =>
        val kinds = stream ++ watermark ++ sample
        val chain = kinds.scanLeft(Option(plan)) { (above, isOfKind) =>
          above.filter(isOfKind).flatMap(_.children.headOption)
        }
        chain.last.collect { case alias: SubqueryAlias =>
          val i = numberOf.getOrElse(alias.identifier.name, -1)
          val isBelow = masked.groups.lift(i).exists { group =>
            (watermark.isEmpty || group.watermarked) && (sample.isEmpty || group.sampled)
          }
          (chain.init.flatten, alias, if (isBelow) i else -1)
        }
      }
      .find(_._3 >= 0)

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

  private def isUnionAll(plan: LogicalPlan): Boolean = plan match {
    case Union(Seq(_, _), byName, _) => !byName
    case _ => false
  }

  /** More than the occurrences of any placeholder. */
  private final val Misplaced = 1 << 20

  private type Kind = LogicalPlan => Boolean

  /** The operators that may be above an alias: changes of a stream, a watermark, a sample. */
  private val Wrappers: Seq[(Seq[Kind], Seq[Kind], Seq[Kind])] = for {
    stream <- Seq[Seq[Kind]](Nil, Seq(MinorClass.NamedStreamingRelation.isClassOf(_)))
    watermark <- Seq[Seq[Kind]](Nil, Seq(MinorClass.UnresolvedEventTimeWatermark.isClassOf(_)))
    sample <- Seq[Seq[Kind]](
      Nil,
      Seq(_.isInstanceOf[Sample]),
      Seq(_.isInstanceOf[GlobalLimit], _.isInstanceOf[LocalLimit])
    )
  } yield (stream, watermark, sample)
}
