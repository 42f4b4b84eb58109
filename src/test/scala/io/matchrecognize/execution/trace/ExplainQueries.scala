package io.matchrecognize.execution.trace

import io.matchrecognize.QuerySuite

/** Sentences of `match_recognize_explain` over a few rows. */
abstract class ExplainQueries extends QuerySuite {
  protected val ticks =
    "(VALUES ('A', 1, 50), ('A', 2, 40), ('A', 3, 45), ('A', 4, 30), ('B', 1, 9), ('B', 2, NULL) " +
      "AS ticks(symbol, ts, price))"

  protected def explain(body: String, input: String = ticks, more: String = ""): Seq[String] = {
    val text = s"SELECT * FROM $input MATCH_RECOGNIZE ($body)".replace("'", "\\'")
    val found = rows(s"SELECT * FROM match_recognize_explain('$text'$more)")
    assert(found.map(_.getInt(0)) == (1 to found.length))
    found.map(_.getString(1))
  }

  protected val numbers = "(SELECT id, id % 3 AS r FROM range(12))"
}
