package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}

import io.matchrecognize.pattern.{AfterMatchSkip, RowPattern}

/** One line about a clause, for plans. */
object ClauseSummary {
  def apply(
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      rowsPerMatch: RowsPerMatch,
      afterMatchSkip: AfterMatchSkip[String],
      pattern: RowPattern
  ): String =
    s"MatchRecognize [${partitionSpec.mkString(", ")}], [${orderSpec.mkString(", ")}], " +
      s"${rowsPerMatch.sql}, ${afterMatchSkip.sql}, (${pattern.sql})"
}
