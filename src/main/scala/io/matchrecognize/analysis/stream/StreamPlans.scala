package io.matchrecognize.analysis.stream

import java.util.{Collections, IdentityHashMap}

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.streaming.{GroupStateTimeout, OutputMode}

import io.matchrecognize.errors.UserText
import io.matchrecognize.plans.MatchRecognize
import io.matchrecognize.shims.MinorClass

/** How the operators of a streaming plan affect the clauses above and below them. */
object StreamPlans {

  /** Whether a watermark has been set on it. */
  def isEventTime(attribute: Attribute): Boolean =
    attribute.metadata.contains(EventTimeWatermark.delayKey)

  def isClause(plan: LogicalPlan): Boolean = plan match {
    case m: MatchRecognize => m.isStreaming
    case _ => false
  }

  /**
   * The nearest watermark or clause that holds back rows of `plan`: a watermark set above it would
   * wait for these rows, and Spark's global watermark, the smallest of all, for the one above.
   * Functions over groups hide a watermark, since they return rows without one, but no clause: the
   * rows that it holds back do not reach them.
   *
   * @param queries
   *   those of WITH that `plan` may refer to
   */
  def watermarkOf(plan: LogicalPlan, queries: WithQueries): Option[LogicalPlan] = {
    // A recursive query is below itself.
    def newSet = Collections.newSetFromMap(new IdentityHashMap[LogicalPlan, java.lang.Boolean])
    val known = Map(true -> newSet, false -> newSet)
    def visit(node: LogicalPlan, isHidden: Boolean): Option[LogicalPlan] = node match {
      case table if !table.isStreaming || !known(isHidden).add(table) => None
      case w: EventTimeWatermark if !isHidden => Some(w)
      case m if isClause(m) => Some(m)
      case other =>
        val hides = isHidden || startsAnew(other)
        queries.below(other).iterator.flatMap(visit(_, hides)).nextOption()
    }
    visit(plan, isHidden = false)
  }

  /** Whether its rows are a function's own, without the watermark of its input. */
  def startsAnew(plan: LogicalPlan): Boolean = ignoresTime(plan) || isTransformWithState(plan)

  private def ignoresTime(plan: LogicalPlan): Boolean = plan match {
    case f: FlatMapGroupsWithState => f.timeout != GroupStateTimeout.EventTimeTimeout
    case f: FlatMapGroupsInPandasWithState => f.timeout != GroupStateTimeout.EventTimeTimeout
    case _ => false
  }

  private def isTransformWithState(plan: LogicalPlan): Boolean = plan match {
    case _: TransformWithState => true
    case other =>
      MinorClass.TransformWithStateInPySpark.isClassOf(other) ||
      MinorClass.TransformWithStateInPandas.isClassOf(other)
  }

  /** Whether Spark's optimizer makes an aggregate of it; Spark refuses INTERSECT of a stream. */
  private def becomesAggregate(plan: LogicalPlan): Boolean = plan match {
    case _: Distinct | _: Except => true
    case _ => false
  }

  /** Whether in this mode it returns a row again whenever it changes, or all rows again. */
  def returnsRowsAgain(plan: LogicalPlan, mode: OutputMode): Boolean =
    mode != OutputMode.Append && plan.isStreaming && (plan match {
      case _: Aggregate => true
      case other if becomesAggregate(other) => true
      case _: GlobalLimit | _: LocalLimit => true
      case f: FlatMapGroupsWithState => f.isMapGroupsWithState || f.outputMode != OutputMode.Append
      case f: FlatMapGroupsInPandasWithState => f.outputMode != OutputMode.Append
      case other => isTransformWithState(other)
    })

  /** Whether its state depends on the watermark of its input. */
  def isStateful(plan: LogicalPlan): Boolean = plan.isStreaming && (plan match {
    case _: MatchRecognize | _: Aggregate | _: DeduplicateWithinWatermark => true
    case other if becomesAggregate(other) => true
    case _: FlatMapGroupsWithState | _: FlatMapGroupsInPandasWithState => true
    case d: Deduplicate => d.keys.exists(isEventTime)
    case j: Join => j.left.isStreaming && j.right.isStreaming
    case other => isTransformWithState(other)
  })

  /** Whether it drops late rows. */
  def readsTime(plan: LogicalPlan): Boolean = plan match {
    case _: Aggregate | _: Deduplicate => plan.isStreaming && lateBy(plan).nonEmpty
    case other => isStateful(other) && !ignoresTime(other)
  }

  /** The times by which an operator that drops late rows takes them for late. */
  def lateBy(plan: LogicalPlan): Seq[Attribute] = plan match {
    case m: MatchRecognize => m.clause.orderSpec.take(1).flatMap(_.references)
    case a: Aggregate => marked(AttributeSet(a.groupingExpressions).toSeq)
    // Deduplicate too: by any time of its input, whether or not it is a key.
    case other => marked(other.children.flatMap(_.output))
  }

  private def marked(columns: Seq[Attribute]): Seq[Attribute] =
    columns.filter(isEventTime)

  /** An operator as messages call it. */
  def name(plan: LogicalPlan): String = plan match {
    case _: MatchRecognize => "MATCH_RECOGNIZE"
    case w: EventTimeWatermark => s"the watermark on ${UserText.quotedKey(w.eventTime)}"
    case other => other.nodeName
  }
}

/**
 * The queries of WITH in a statement. During analysis a reference to one of them is a leaf of the
 * plan: who looks for what is below a clause has to look in the query too.
 *
 * @param plan
 *   of the whole statement
 */
final class WithQueries(plan: LogicalPlan) {
  private lazy val byId: Map[Long, LogicalPlan] =
    plan
      .collectWithSubqueries { case w: WithCTE => w.cteDefs.map(query => query.id -> query.child) }
      .flatten
      .toMap

  /** A plan and all that is below it, the queries that it refers to included. */
  def nodes(plan: LogicalPlan): Iterator[LogicalPlan] = {
    // A recursive query is below itself.
    val known = Collections.newSetFromMap(new IdentityHashMap[LogicalPlan, java.lang.Boolean])
    def visit(node: LogicalPlan): Iterator[LogicalPlan] =
      if (!known.add(node)) Iterator.empty
      else Iterator.single(node) ++ below(node).iterator.flatMap(visit)
    visit(plan)
  }

  /** What a node reads: its children, or the query that it refers to. */
  def below(node: LogicalPlan): Seq[LogicalPlan] = node match {
    case reference: CTERelationRef => byId.get(reference.cteId).toSeq
    case other => other.children
  }

  /** Whether a plan reads what a query of WITH RECURSIVE has found, inside this query. */
  def isRecursive(plan: LogicalPlan): Boolean = {
    val (loops, references) = nodes(plan).foldLeft((Set.empty[Long], Set.empty[Long])) {
      case ((inside, read), loop: UnionLoop) => (inside + loop.id, read)
      case ((inside, read), reference: UnionLoopRef) => (inside, read + reference.loopId)
      case (found, _) => found
    }
    (references -- loops).nonEmpty
  }
}
