package io.matchrecognize.analysis.stream

import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.{FullOuter, LeftOuter, RightOuter}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.OutputMode

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.plans.MatchRecognize

/**
 * Refuses streaming plans with a clause whose result would differ from that of a table, or would
 * never be emitted. Spark has such checks, for a closed list of its own operators.
 *
 *   - In every analysis: a watermark above another one, see [[StreamPlans.watermarkOf]].
 *   - When a query starts and its output mode is known: below a clause, operators that return rows
 *     again in that mode; in complete mode, a clause that no aggregation reads; if the conf gives
 *     all operators one watermark, a clause above or below another stateful operator; in a join of
 *     streams a clause without a watermark; in a union one whose rows would be late by the
 *     watermark of another input.
 *
 * It runs after resolution and before Spark's own checks: an error of an injected check loses its
 * class, with which our SQLSTATE and the piece of the statement would be lost too.
 */
object CheckStreams extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    // A reference to a query of WITH does not show what is below it.
    if (plan.resolved && plan.exists(StreamPlans.isClause))
      check(InlineCTE(alwaysInline = true)(plan))
    plan
  }

  private def check(plan: LogicalPlan): Unit = {
    val queries = new WithQueries(plan)
    plan.foreach {
      case w: EventTimeWatermark if w.isStreaming =>
        StreamPlans.watermarkOf(w.child, queries).foreach { below =>
          throw Errors.secondWatermark(w.eventTime, StreamPlans.name(below), w.origin)
        }
      case _ =>
    }
    plan match {
      case write: WriteToStream => checkStart(write.inputQuery, write.outputMode)
      case _ =>
    }
  }

  private def checkStart(query: LogicalPlan, mode: OutputMode): Unit = {
    query.foreach { plan =>
      if (StreamPlans.isClause(plan))
        plan.find(StreamPlans.returnsRowsAgain(_, mode)).foreach { below =>
          throw Errors.outputMode(modeName(mode), StreamPlans.name(below), plan.origin)
        }
      if (StreamPlans.readsTime(plan))
        plan.children.foreach(_.foreach(checkUnion(_, StreamPlans.name(plan))))
      plan match {
        case join: Join if join.children.forall(_.isStreaming) =>
          join.children.flatMap(unbounded(_)).foreach(m => throw Errors.mixedJoin(m.origin))
          checkOuterJoin(join)
        case _ =>
      }
    }
    if (mode == OutputMode.Complete) checkAggregated(query)
    val multiple = SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE
    if (!SQLConf.get.getConf(multiple)) checkAlone(query, s""""${multiple.key}" = false""")
  }

  /**
   * Checks that every clause below a union has the watermarks of the union's first input: Spark
   * assumes that an input without a watermark has progressed as far as the others.
   */
  private def checkUnion(plan: LogicalPlan, reader: String): Unit = plan match {
    case union: Union if union.isStreaming =>
      val times = union.children.head.output.zipWithIndex.filter(c => StreamPlans.isEventTime(c._1))
      for ((time, column) <- times; input <- union.children.tail)
        if (!StreamPlans.isEventTime(input.output(column)))
          input.find(StreamPlans.isClause).foreach { clause =>
            throw Errors.mixedWatermarks(time, reader, clause.origin)
          }
    case _ =>
  }

  /**
   * The clause without a watermark whose matches `plan` returns. It may return one long after its
   * time, when the join has removed the rows that it would join, or an operator above takes the
   * joined row for late. Functions over groups return rows of their own, and a new watermark drops
   * those that are late before they reach the join.
   */
  private def unbounded(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case m: MatchRecognize if m.isStreaming && !m.stream.exists(_.carriesWatermark) => Some(m)
    case _: EventTimeWatermark => None
    case f if StreamPlans.startsAnew(f) => None
    case other => other.children.iterator.flatMap(unbounded(_)).nextOption()
  }

  /**
   * Checks the side of an outer join whose unjoined rows are returned too. If its time carries no
   * watermark, Spark derives its bound from the other side's, and returns no row beyond it.
   */
  private def checkOuterJoin(join: Join): Unit = {
    val preserved = join.joinType match {
      case LeftOuter => Seq(join.left)
      case RightOuter => Seq(join.right)
      case FullOuter => Seq(join.left, join.right)
      case _ => Nil
    }
    val read = join.condition.map(_.references).getOrElse(AttributeSet.empty)
    preserved
      .filterNot(_.output.exists(c => StreamPlans.isEventTime(c) && read.contains(c)))
      .flatMap(_.find(StreamPlans.isClause))
      .foreach(clause => throw Errors.outerJoin(clause.origin))
  }

  private def modeName(mode: OutputMode): String =
    mode.toString.toLowerCase(java.util.Locale.ROOT)

  /** Checks that every clause is below an aggregation. */
  private def checkAggregated(plan: LogicalPlan): Unit = plan match {
    case a: Aggregate if a.isStreaming =>
    case clause if StreamPlans.isClause(clause) => throw Errors.completeMode(clause.origin)
    case other => other.children.foreach(checkAggregated)
  }

  /** Checks that no clause reads the result of another stateful operator, or the reverse. */
  private def checkAlone(query: LogicalPlan, config: String): Unit =
    query.foreach {
      case upper if StreamPlans.isStateful(upper) =>
        upper.children.foreach(_.foreach { lower =>
          if (StreamPlans.isStateful(lower))
            Seq(upper, lower).find(StreamPlans.isClause).foreach { clause =>
              throw Errors.oneStatefulOperator(
                StreamPlans.name(upper),
                StreamPlans.name(lower),
                config,
                clause.origin
              )
            }
        })
      case _ =>
    }
}
