package io.matchrecognize.analysis.stream

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeSet,
  EqualTo,
  ExprId,
  Expression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.plans.MatchRecognize

/**
 * Refuses joins of streams that would lose rows of a clause without a watermark. Such a clause may
 * return a match long after its time, while the other side of the join has a watermark:
 *
 *   - where a time of the clause is compared for equality with one that carries the watermark,
 *     Spark removes the rows of both sides once the watermark has passed that time, so a later
 *     match finds no partner;
 *   - where an operator above reads the time of the other side, the joined row of a later match is
 *     late. The watermark of a clause that has one holds that time back.
 *
 * Both depend on what the optimizer makes of the query: it finds equal times in conditions, orders
 * inner joins anew, and leaves out the times that nothing reads, by which no row is late.
 *
 * @param query
 *   optimized
 */
private[stream] final class MixedJoins private (query: LogicalPlan) extends PredicateHelper {
  import MixedJoins._

  private lazy val origins = new Origins(query)
  private val mixed = mixedOf(query)

  private def check(): Unit = {
    mixed.foreach(checkEqual)
    query.foreach(reader => if (StreamPlans.readsTime(reader)) checkReader(reader))
  }

  // Whatever the clause's side computes is a key of the join, and Spark removes the rows of both
  // sides by the key that is the marked column.
  private def checkEqual(m: Mixed): Unit = {
    val compared = m.join.condition.toSeq
      .flatMap(splitConjunctivePredicates)
      .collect { case EqualTo(a, b) => Seq(a -> b, b -> a) }
      .flatten
    compared.foreach { case (ofClause, ofOther) =>
      m.time(ofOther).foreach { time =>
        if (isComputed(ofClause, m.side) && !isMarked(ofClause, m.side))
          throw Errors.mixedJoin(time, StreamPlans.name(m.join), m.clause.origin)
      }
    }
  }

  private def checkReader(reader: LogicalPlan): Unit = for {
    m <- mixed
    if reader.children.exists(_.exists(_ eq m.join))
    time <- StreamPlans.lateBy(reader)
    read <- m.times(origins.all(time)).headOption
  } throw Errors.mixedJoin(read, StreamPlans.name(reader), m.clause.origin)
}

private[stream] object MixedJoins {

  /** @param query analyzed */
  def check(query: LogicalPlan): Unit =
    // Few queries have such a join.
    if (mixedOf(query).nonEmpty) new MixedJoins(optimized(query)).check()

  /** Optimized as the query that starts will be, without costs whatever the session's conf says. */
  private def optimized(query: LogicalPlan): LogicalPlan = {
    val session = SparkSession.active.sessionState
    val conf = session.conf.clone()
    conf.setConf(SQLConf.CBO_ENABLED, false)
    conf.setConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED, false)
    SQLConf.withExistingConf(conf)(session.optimizer.execute(query.clone()))
  }

  private def mixedOf(query: LogicalPlan): Seq[Mixed] = query.collect {
    case j: Join if j.left.isStreaming && j.right.isStreaming =>
      Seq(j.left -> j.right, j.right -> j.left).flatMap { case (side, other) =>
        unbounded(side).map(Mixed(j, _, side, other))
      }
  }.flatten

  /**
   * @param clause
   *   of `side`, whose matches may be returned at any time
   */
  private final case class Mixed(
      join: Join,
      clause: LogicalPlan,
      side: LogicalPlan,
      other: LogicalPlan
  ) {

    /** Those of the columns that are times of the other side with a watermark. */
    def times(columns: Set[ExprId]): Seq[Attribute] =
      other.output.filter(c => StreamPlans.isEventTime(c) && columns(c.exprId))

    /** The expression, if it is such a time. */
    def time(compared: Expression): Option[Attribute] = compared match {
      case a: Attribute => times(Set(a.exprId)).headOption
      case _ => None
    }
  }

  /**
   * The clause without a watermark whose matches `plan` returns. Functions over groups return rows
   * of their own, and a new watermark drops those that are late before they reach the join.
   */
  private def unbounded(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case m: MatchRecognize if m.isStreaming && !m.stream.exists(_.carriesWatermark) => Some(m)
    case _: EventTimeWatermark => None
    case f if StreamPlans.startsAnew(f) => None
    case other => other.children.iterator.flatMap(unbounded(_)).nextOption()
  }

  private def isComputed(compared: Expression, side: LogicalPlan): Boolean =
    compared.references.nonEmpty && compared.references.subsetOf(side.outputSet)

  private def isMarked(compared: Expression, side: LogicalPlan): Boolean = compared match {
    case a: Attribute => side.output.exists(c => c.exprId == a.exprId && StreamPlans.isEventTime(c))
    case _ => false
  }
}

/** What the columns of a plan are made of. */
private final class Origins(plan: LogicalPlan) {
  private val aliases: Map[ExprId, Alias] =
    plan
      .collect { case p => p.expressions.flatMap(_.collect { case a: Alias => a }) }
      .flatten
      .map(a => a.exprId -> a)
      .toMap

  // Columns of a union, and those of a sliding window, have several expressions.
  private val others: Map[ExprId, Set[ExprId]] = plan
    .collect {
      case u: Union => u.output.zip(u.children.map(_.output.map(AttributeSet(_))).transpose)
      case e: Expand =>
        e.output.zip(e.projections.transpose.map(_.map(_.references)))
    }
    .flatten
    .groupMapReduce(_._1.exprId)(_._2.flatten.map(_.exprId).toSet)(_ ++ _)

  /** A column and all that it is computed from. */
  def all(column: Attribute): Set[ExprId] = {
    def sources(id: ExprId): Set[ExprId] =
      aliases.get(id).toSet.flatMap((a: Alias) => a.references.map(_.exprId).toSet) ++
        others.getOrElse(id, Set.empty)
    @scala.annotation.tailrec
    def from(edge: Set[ExprId], known: Set[ExprId]): Set[ExprId] = {
      val found = edge.flatMap(sources) -- known
      if (found.isEmpty) known else from(found, known ++ found)
    }
    from(Set(column.exprId), Set(column.exprId))
  }
}
