package io.matchrecognize.analysis.warnings

import scala.util.Random

import io.matchrecognize.Sampled

/** Random rows and clauses: a warning is told if and only if plain SQL finds what it says. */
class RandomDataWarningsSuite extends WarningsSuite {
  private val seeds = 1 to 25

  /** Rows with a key of partitions `g`, times `t` and texts `s`. */
  private def fill(random: Random): Int = {
    val hasNulls = random.nextInt(3) == 0
    val hasTies = random.nextInt(3) == 0
    val digits = random.nextInt(3)
    val count = 12 + random.nextInt(40)
    val (pauseAt, pause) =
      (random.nextInt(count), Seq(0, 0, 1, 8, 30, 150, 1000)(random.nextInt(7)))
    def orNull(value: String) = if (hasNulls && random.nextInt(8) == 0) "NULL" else value
    val rows = (0 until count).map { i =>
      val t = (if (hasTies) random.nextInt(count) else i) + (if (i > pauseAt) pause else 0)
      val text = digits match {
        case 0 => s"'$i'"
        case 1 => f"'${i}%04d'"
        case _ => s"'k$i'"
      }
      val group = orNull("'g" + random.nextInt(3) + "'")
      s"$group, ${orNull(t.toString)}, $text, ${random.nextInt(50)}, ${random.nextInt(50)}"
    }
    view("random_rows", "g, t, s, a, b", rows: _*)
    count
  }

  private def condition(random: Random): String = {
    def atom = random.nextInt(5) match {
      case 0 => s"a > ${random.nextInt(60)}"
      case 1 => s"b = ${random.nextInt(60)}"
      case 2 => "a + b < " + random.nextInt(40)
      case 3 => s"s = '${random.nextInt(60)}'"
      case _ => s"a BETWEEN ${random.nextInt(30)} AND ${random.nextInt(60)}"
    }
    Seq.fill(1 + random.nextInt(2))(atom).mkString(" AND ")
  }

  private def isFound(sql: String): Boolean = rows(sql).head.getLong(0) > 0

  for (seed <- Sampled.oneIn(8, seeds)) test(s"seed $seed") {
    val random = new Random(seed)
    val count = fill(random)
    val partition = Seq("", "PARTITION BY g ")(random.nextInt(2))
    val key = Seq("t", "s")(random.nextInt(2))
    val wanted = condition(random)
    val neighbour = Seq(None, Some("PREV"), Some("NEXT"))(random.nextInt(3))
    val told = warnings(
      s"SELECT * FROM random_rows MATCH_RECOGNIZE (${partition}ORDER BY $key MEASURES COUNT(*) AS n" +
        neighbour.fold("")(name => s", $name(A.a) AS m") + s" PATTERN (A B?) DEFINE A AS $wanted)",
      hasData = true
    )
    val groups = if (partition.isEmpty) key else s"g, $key"
    def tells(part: String) = assertResult(1, told)(told.count(_.contains(part)))
    def tellsNot(part: String) = assertResult(0, told)(told.count(_.contains(part)))
    def check(part: String, sql: String) = if (isFound(sql)) tells(part) else tellsNot(part)

    check(
      "have the same ORDER BY key",
      s"SELECT COUNT(*) FROM (SELECT 1 FROM random_rows GROUP BY $groups HAVING COUNT(*) > 1)"
    )
    check(
      s"ORDER BY $key is NULL",
      s"SELECT COUNT(*) FROM random_rows WHERE $key IS NULL"
    )
    if (partition.nonEmpty)
      check("PARTITION BY g is NULL", "SELECT COUNT(*) FROM random_rows WHERE g IS NULL")
    val inGroup = if (partition.isEmpty) "" else "x.g <=> y.g AND "
    check(
      "sorts texts",
      s"SELECT IF('$key' = 's' AND (SELECT bool_and(s RLIKE '^[0-9]+$$') FROM random_rows), COUNT(*), 0) " +
        s"FROM random_rows AS x JOIN random_rows AS y ON ${inGroup}x.s < y.s AND " +
        "try_cast(x.s AS INT) > try_cast(y.s AS INT)"
    )
    val satisfied = rows(s"SELECT COUNT_IF($wanted) FROM random_rows").head.getLong(0)
    if (satisfied == 0) assert(told.exists(_.startsWith("No row satisfies")), told)
    else tellsNot("No row satisfies")
    // Of the steps that are not ties: their number, the longest one, the median and the 95th percentile.
    val steps = "SELECT k, t - LAG(t) OVER (PARTITION BY k ORDER BY t) AS step FROM " +
      s"(SELECT ${if (partition.isEmpty) "0" else "g"} AS k, t FROM random_rows)"
    val ofPartitions = "SELECT COUNT(*) AS steps, MAX(step) AS longest, " +
      s"PERCENTILE_APPROX(step, ARRAY(0.5, 0.95), 1000) AS q FROM ($steps) WHERE step > 0 GROUP BY k"
    def acrossIf(part: String, sql: String) = neighbour.filter(_ => key == "t") match {
      case Some(name) if isFound(sql) => tells(part.replace("NEIGHBOUR", name))
      case _ => tellsNot(part.stripPrefix("NEIGHBOUR"))
    }
    acrossIf(
      "NEIGHBOUR reads across pauses of t",
      s"SELECT COUNT(*) FROM ($ofPartitions) WHERE steps >= 10 AND " +
        "longest / q[0] >= IF(q[1] <= 2 * q[0], 10, 100)"
    )
    acrossIf(
      "NEIGHBOUR reads across them",
      "SELECT IF(ones >= 10 AND holes > 0 AND ones >= 9 * holes, 1L, 0L) FROM " +
        s"(SELECT COUNT_IF(step = 1) AS ones, COUNT_IF(step > 1) AS holes FROM ($steps))"
    )
    assert(!told.exists(_.contains("has no rows")) && count > 0)
  }
}
