package io.matchrecognize.streaming

import scala.util.Random

/**
 * Random clauses from k, ts and v to k, ts and v. All of their matches are decided when the
 * watermark has passed all rows: a loop has WITHIN, and without it a match has as many rows as its
 * pattern. Rows that tie are equal in all columns.
 */
object ClauseGenerator {
  private val conditions = Seq("v > 0", "v < 3", "v <> 1", "v % 2 = 0")

  private val fixed = Seq("A", "A A", "A B", "A (B | A)", "PERMUTE(A, B)")
  private val loops = Seq("A+", "A B+", "A B*? C", "A {- B* -} C", "(A | B C)+?", "A B{0,2}")

  /**
   * @param isTimed
   *   whether ts is MATCH_ROWTIME with WITHIN, and so carries the watermark
   */
  def random(random: Random, isTimed: Boolean): PlanOperator = {
    def pick[T](options: T*): T = options(random.nextInt(options.size))
    def oneIn(n: Int): Boolean = random.nextInt(n) == 0
    val hasWithin = isTimed || !oneIn(3)
    val pattern = if (hasWithin && !oneIn(3)) pick(loops: _*) else pick(fixed: _*)
    val within = if (hasWithin) s" WITHIN INTERVAL ${pick(2, 5, 10)} SECONDS" else ""
    // Without PARTITION BY the last row is of the one partition; WITHIN keeps it out of matches.
    val isKeyed = !hasWithin || !oneIn(7)
    val rows =
      if (pattern.contains("{-")) "ALL ROWS PER MATCH"
      else
        pick("", "", "", "ONE ROW PER MATCH", "ALL ROWS PER MATCH") match {
          case "ONE ROW PER MATCH" if hasWithin => "ONE ROW PER MATCH SHOW TIMEOUT MATCHES"
          case "ALL ROWS PER MATCH" if !isTimed && oneIn(2) =>
            "ALL ROWS PER MATCH WITH UNMATCHED ROWS"
          case other => other
        }
    val isUnmatched = rows.contains("UNMATCHED")
    val key = if (isKeyed || rows.startsWith("ALL")) "" else "FIRST(k) AS k, "
    val time = if (isTimed) "MATCH_ROWTIME()" else pick("LAST(ts)", "MATCH_ROWTIME()")
    val value = pick("COUNT(*)", "SUM(v)", "FIRST(v)", "LAST(v)", "MAX(A.v)")
    val skip = if (oneIn(3)) " AFTER MATCH SKIP TO NEXT ROW" else ""
    val order = if (isKeyed) pick("ts, v", "ts, v DESC") else "ts, k, v"
    val b = pick("v > 0", "v >= PREV(v)", "v <> FIRST(A.v)", "COUNT(*) < 5")
    val condition = pick(conditions: _*)
    // A row in no match has no MATCH_ROWTIME.
    val ts = if (isUnmatched) "ts" else "t AS ts"
    def text(x: Seq[String]): String =
      s"""SELECT k, $ts, CAST(n AS INT) AS v FROM ${x.head} MATCH_RECOGNIZE (
        |  ${if (isKeyed) "PARTITION BY k " else ""}ORDER BY $order
        |  MEASURES $key$time AS t, $value AS n
        |  $rows$skip
        |  PATTERN ($pattern)$within
        |  DEFINE A AS $condition${if (pattern.contains("B")) s", B AS $b" else ""}${if (
          pattern.contains("C")
        ) ", C AS v > 1"
        else ""})""".stripMargin
    PlanOperator(
      Kinds.Clause,
      text,
      isClause = true,
      marks = marks => isTimed && marks.forall(identity)
    )
  }
}
