package io.matchrecognize.analysis.stream

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeSet,
  EqualTo,
  ExprId,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical._

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
 */
private[stream] final class MixedJoins(query: LogicalPlan) extends PredicateHelper {
  import MixedJoins._

  private val origins = new Origins(query)
  private val mixed: Seq[Mixed] = query.collect {
    case j: Join if j.left.isStreaming && j.right.isStreaming =>
      Seq(j.left -> j.right, j.right -> j.left).flatMap { case (side, other) =>
        side.find(isUnbounded).map(Mixed(j, _, side, other))
      }
  }.flatten

  def check(): Unit = if (mixed.nonEmpty) {
    equalities.foreach { case (a, b) =>
      checkEqual(a, b)
      checkEqual(b, a)
    }
    query.foreach(reader => if (StreamPlans.readsTime(reader)) checkReader(reader))
  }

  /** Of conditions anywhere: the optimizer moves those of a filter into the join below it. */
  private def equalities: Seq[(Attribute, Attribute)] = query
    .collect {
      case f: Filter => Seq(f.condition)
      case j: Join => j.condition.toSeq
    }
    .flatten
    .flatMap(splitConjunctivePredicates)
    .collect { case EqualTo(a: Attribute, b: Attribute) => (a, b) }

  private def checkEqual(ofClause: Attribute, ofOther: Attribute): Unit =
    mixed.foreach { m =>
      val isTime = m.times(origins.renamed(ofOther)).nonEmpty
      val compared = m.side.output.filter(c => origins.renamed(ofClause)(c.exprId))
      if (isTime && compared.nonEmpty && !compared.exists(StreamInput.isEventTime))
        throw Errors.mixedJoin(ofOther, StreamPlans.name(m.join), m.clause.origin)
    }

  private def checkReader(reader: LogicalPlan): Unit = for {
    m <- mixed
    if reader.children.exists(_.exists(_ eq m.join))
    time <- timesOf(reader)
    read <- m.times(origins.all(time)).headOption
  } throw Errors.mixedJoin(read, StreamPlans.name(reader), m.clause.origin)
}

private object MixedJoins {

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
      other.output.filter(c => StreamInput.isEventTime(c) && columns(c.exprId))
  }

  private def isUnbounded(plan: LogicalPlan): Boolean = plan match {
    case m: MatchRecognize => m.isStreaming && !m.stream.exists(_.carriesWatermark)
    case _ => false
  }

  /** The times by which an operator drops late rows. */
  private def timesOf(reader: LogicalPlan): Seq[Attribute] = reader match {
    case m: MatchRecognize => m.clause.orderSpec.take(1).flatMap(_.references)
    case a: Aggregate => marked(AttributeSet(a.groupingExpressions).toSeq)
    case d: Deduplicate => marked(d.keys)
    case other => marked(other.children.flatMap(_.output))
  }

  private def marked(columns: Seq[Attribute]): Seq[Attribute] =
    columns.filter(StreamInput.isEventTime)
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

  /** A column and those that it is another name of. */
  def renamed(column: Attribute): Set[ExprId] = reached(column) { id =>
    aliases.get(id).map(_.child).collect { case a: Attribute => a.exprId }.toSet
  }

  /** A column and all that it is computed from. */
  def all(column: Attribute): Set[ExprId] = reached(column) { id =>
    aliases.get(id).toSet.flatMap((a: Alias) => a.references.map(_.exprId).toSet) ++
      others.getOrElse(id, Set.empty)
  }

  private def reached(column: Attribute)(next: ExprId => Set[ExprId]): Set[ExprId] = {
    @scala.annotation.tailrec
    def from(edge: Set[ExprId], known: Set[ExprId]): Set[ExprId] = {
      val found = edge.flatMap(next) -- known
      if (found.isEmpty) known else from(found, known ++ found)
    }
    from(Set(column.exprId), Set(column.exprId))
  }
}
