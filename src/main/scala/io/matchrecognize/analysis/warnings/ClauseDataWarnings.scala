package io.matchrecognize.analysis.warnings

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import io.matchrecognize.plans.MatchRecognize

/** Warnings about the clauses of an analysed statement, beside those of `ClauseWarnings`. */
private[analysis] object ClauseDataWarnings {

  /** What types tell; and of a stream whose data are wanted, how to check them. */
  def ofTypes(node: MatchRecognize, hasData: Boolean): Seq[String] =
    TypeWarnings.of(node.clause, hasData && !node.isStreaming) ++
      Option.when(hasData && node.isStreaming)(StreamAdvice.of(node))

  /** The query that checks the data of a clause: rows of one column. None of a stream. */
  def ofData(node: MatchRecognize): Option[LogicalPlan] = Option.when(!node.isStreaming) {
    val rows = new ClauseRows(node)
    rows.plan(
      PartitionDataChecks.of(rows) ++ OrderDataChecks.of(rows) ++ StepDataChecks.of(rows) ++
        ConditionDataChecks.of(rows)
    )
  }
}
