package io.matchrecognize.analysis.stream

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.expressions.{CallMode, ContextFunctions, RowtimeCall, StreamColumn}
import io.matchrecognize.plans.{MatchRecognize, StreamClause, UnresolvedMatchRecognize}

/**
 * Marks the measure that carries the watermark: the first one that is exactly MATCH_ROWTIME. The
 * watermark is delayed by the bound of WITHIN, since a match is emitted at the latest when the
 * watermark is that far past its first row. So there is none without WITHIN, and none if the clause
 * uses NEXT, which may wait for a row forever.
 */
object RowtimeWatermark {

  /**
   * The clause over a stream, made from the clause over a table.
   *
   * @param queries
   *   those of WITH that the input may refer to
   */
  def streamed(
      written: UnresolvedMatchRecognize,
      table: MatchRecognize,
      queries: WithQueries
  ): MatchRecognize = {
    val index = written.clause.measures.indexWhere(isRowtime)
    val carries = index >= 0 && table.clause.within.isDefined && !table.clause.readsAhead
    val measureOutput = table.measureOutput.zipWithIndex.map {
      case (a: AttributeReference, `index`) if carries =>
        AttributeReference(a.name, a.dataType, a.nullable, delayOf(written))(a.exprId, a.qualifier)
      case (a, _) => a
    }
    val inOrder =
      written.inputOrder.getOrElse(SQLConf.get.getConf(MatchRecognizeConf.InputOrder)) ==
        MatchRecognizeConf.Arrival
    table.copy(
      clause = table.clause.copy(conditions =
        ClauseDescription
          .named(table)
          .map(_.transformUp {
            case e if ContextFunctions.isCurrentTime(e) => StreamColumn(e, e.dataType)
          })
      ),
      measureOutput = measureOutput,
      stream = Some(
        StreamClause(
          ClauseDescription.of(table) ++
            Option.when(inOrder)(StreamClause.InputOrder -> MatchRecognizeConf.Arrival),
          ClauseDescription.sessionValues(table),
          ClauseDescription.clock(table, queries),
          carries,
          inOrder,
          if (inOrder) ArrivalInput.warnings(written, queries) else Nil
        )
      )
    )
  }

  private def isRowtime(measure: Expression): Boolean = measure match {
    case _: RowtimeCall => true
    case CallMode(_, child) => isRowtime(child)
    case _ => false
  }

  private def delayOf(written: UnresolvedMatchRecognize): Metadata = {
    val delays = written.child.children.flatMap(_.output).filter(StreamPlans.isEventTime)
    val delay = delays.map(_.metadata.getLong(EventTimeWatermark.delayKey)).maxOption
    new MetadataBuilder().putLong(EventTimeWatermark.delayKey, delay.getOrElse(0L)).build()
  }
}
