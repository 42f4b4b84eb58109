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
          // Without it a key's last rows wait for more: they are in no match yet.
          case "ALL ROWS PER MATCH" if !isTimed && oneIn(2) && hasWithin =>
            "ALL ROWS PER MATCH WITH UNMATCHED ROWS"
          case other => other
        }
    val isUnmatched = rows.contains("UNMATCHED")
    val key = if (isKeyed || rows.startsWith("ALL")) "" else "FIRST(k) AS k, "
    val time = if (isTimed) "MATCH_ROWTIME()" else pick("LAST(ts)", "MATCH_ROWTIME()")
    val value = pick("COUNT(*)", "SUM(v)", "FIRST(v)", "LAST(v)", "MAX(A.v)")
    val skip = if (oneIn(3)) " AFTER MATCH SKIP TO NEXT ROW" else ""
    val order = if (isKeyed) pick("ts, v", "ts, v DESC") else "ts, k, v"
    val b = pick(
      "v > 0",
      "v >= PREV(v)",
      "v <> FIRST(A.v)",
      "COUNT(*) < 5",
      "v IN (SELECT w FROM names WHERE w < 3)",
      "v < (SELECT MAX(w) FROM names)"
    )
    val condition = if (oneIn(6)) "EXISTS (SELECT k FROM names) AND v > 0" else pick(conditions: _*)
    val keys = pick("k", "k", "k", "k, k", "k2, k", "k, k2")
    val isDoubled = isKeyed && keys.contains("2")
    // Names of variables that are those of columns, too.
    val letters = pick(Seq("A", "B", "C"), Seq("A", "B", "C"), Seq("k", "v", "ts"))
    def named(text: String): String = {
      val all = Seq("A", "B", "C").zip(letters)
      "PERMUTE|\\b[ABC]\\b".r.replaceAllIn(text, m => all.toMap.getOrElse(m.matched, m.matched))
    }
    // A row in no match has no MATCH_ROWTIME.
    val ts = if (isUnmatched) "ts" else "t AS ts"
    val alias = pick("m", "k", "v1")
    def input(x: String) = if (isDoubled) s"(SELECT *, k AS k2 FROM $x) AS $alias" else x
    val defined =
      Seq("A" -> condition, "B" -> b, "C" -> "v > 1").filter(d => pattern.contains(d._1))
    def text(x: Seq[String]): String =
      s"""SELECT $alias.k, $alias.$ts, CAST(n AS INT) AS v FROM ${input(x.head)} MATCH_RECOGNIZE (
        |  ${if (isKeyed) s"PARTITION BY $keys " else ""}ORDER BY $order
        |  MEASURES $key$time AS t, ${named(value)} AS n
        |  $rows$skip
        |  PATTERN (${named(pattern)})$within
        |  DEFINE ${defined
          .map { case (name, c) => s"${named(name)} AS ${named(c)}" }
          .mkString(", ")}
        |) AS $alias""".stripMargin
    PlanOperator(
      Kinds.Clause,
      text,
      isClause = true,
      marks = marks => isTimed && marks.forall(identity)
    )
  }
}
