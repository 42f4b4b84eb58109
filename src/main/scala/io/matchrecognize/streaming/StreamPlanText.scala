package io.matchrecognize.streaming

import io.matchrecognize.execution.ClauseSpec

/** The stateful operator in plans. */
final class StreamPlanText(spec: ClauseSpec, watermarkMs: Option[Long]) {
  import spec._

  /** @param prefix what Spark writes before the name */
  def line(prefix: String): String =
    s"${prefix}MatchRecognize ${list(partitionSpec)}, ${list(orderSpec)}, " +
      s"${clause.rowsPerMatch.sql}, ${clause.afterMatchSkip.sql}, (${clause.pattern.sql})" +
      within.map(w => s" $w").mkString + watermarkMs.map(w => s", watermark $w ms").mkString

  def lines(nodeName: String): String = {
    val parts = Seq(
      "Input" -> list(input),
      "Partition" -> list(partitionSpec),
      "Order" -> list(orderSpec),
      "Measures" -> list(measureOutput.zip(measures).map { case (a, m) => s"$m AS ${a.name}" }),
      "Rows" -> clause.rowsPerMatch.sql,
      "Skip" -> s"AFTER MATCH ${clause.afterMatchSkip.sql}",
      "Pattern" -> s"(${clause.pattern.sql})"
    ) ++ within.map(w => "Within" -> w.bound.sql) ++
      Option.when(clause.subsets.nonEmpty)("Subset" -> clause.subsets.map(_.sql).mkString(", ")) ++
      Seq("Define" -> list(definedVariables.zip(conditions).map { case (v, c) => s"$v AS $c" })) ++
      watermarkMs.map(w => "Watermark" -> s"$w ms")
    parts.map { case (name, text) => s"$name: $text" }.mkString(s"\n$nodeName\n", "\n", "\n")
  }

  private def list(items: Seq[Any]): String = items.mkString("[", ", ", "]")
}
