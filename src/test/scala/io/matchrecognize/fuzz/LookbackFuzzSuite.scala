package io.matchrecognize.fuzz

import scala.util.{Random, Try}

import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Random clauses with bounds, searched night after night by what `match_recognize_lookback`
 * returns: after ten nights the matches kept are those of one search of all rows. A long run:
 * `-Dfuzz.lookback.cases=200 -Dfuzz.seed=7` as Java options of the test's process.
 */
class LookbackFuzzSuite extends QuerySuite {
  import LookbackFuzzSuite._

  private val cases = sys.props.get("fuzz.lookback.cases").fold(Sampled.size(60, 12))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  test(s"$cases random clauses from seed $seed over $Nights nights agree with one search") {
    val random = new Random(seed)
    var (done, drawn, matches, changed) = (0, 0, 0, 0)
    val cuts = scala.collection.mutable.Map.empty[(String, String), Int].withDefaultValue(0)
    withConf("spark.sql.session.timeZone" -> "Europe/Berlin") {
      while (done < cases) {
        drawn += 1
        val clause = LookbackClause.random(random)
        val rows = data(random, clause.key)
        lookback(clause).filter(_.getAs[String]("cut") != "nowhere").foreach { found =>
          withClue(s"case $done of seed $seed: ${clause.sql}\n$found\n${rows.mkString(" ")}\n") {
            val isAnywhere = found.getAs[String]("cut") == "anywhere"
            val distance = found.getAs[java.math.BigDecimal](if (isAnywhere) "span" else "gap")
            val cut = new Cut(
              isAnywhere,
              (BigDecimal(distance) * clause.key.unitsOfOne)
                .setScale(0, BigDecimal.RoundingMode.CEILING)
                .toLong,
              found.getAs[Int]("rows_before")
            )
            searched(clause, rows, cut).foreach { case (whole, kept, naive) =>
              assert(kept.sorted == whole.sorted)
              done += 1
              matches += whole.length
              if (naive.sorted != whole.sorted) changed += 1
              cuts(
                (found.getAs[String]("cut"), clause.skip.split(" ").slice(3, 5).mkString(" "))
              ) += 1
            }
          }
        }
      }
    }
    info(s"$drawn drawn, $matches matches; without a lookback $changed clauses differ; $cuts")
    assert(matches > cases && changed * 4 > cases, "the clauses have no matches over the cuts")
    // Clauses whose skips fail are left out above, but never all of a kind.
    assert(cuts.keySet == Reached, "kinds of cuts and skips without a case")
  }

  private def lookback(clause: LookbackClause): Option[Row] =
    try
      Some(
        rows(
          "SELECT * FROM match_recognize_lookback('" +
            clause
              .over("(SELECT 0 AS night, 0 AS p, 0L AS x, 0 AS id, 0 AS v)")
              .replace("'", "\\'") +
            "')"
        ).head
      )
    catch { case _: AnalysisException => None }

  /**
   * The results of one search, of the nights, and of nights that read new rows alone; none if a
   * skip fails. One query searches all, each night as partitions of its own.
   */
  private def searched(
      clause: LookbackClause,
      rows: Seq[InputRow],
      cut: Cut
  ): Option[(Seq[String], Seq[String], Seq[String])] = {
    val times = rows.map(_.x)
    val (first, last) = (times.min, times.max + 1)
    def time(night: Int) = first + (last - first) * night / Nights
    val inputs = (1 to Nights).flatMap { night =>
      rows.filter(_.x < time(night)).groupBy(_.p).flatMap { case (p, known) =>
        val from = if (night == 1) Long.MinValue else cut.from(known, time(night - 1))
        val (before, read) = known.partition(_.x < from)
        val fresh = known.filter(row => night == 1 || row.x >= time(night - 1))
        Seq(
          (night, from, before.takeRight(cut.rowsBefore) ++ read),
          (-night, if (night == 1) Long.MinValue else time(night - 1), fresh)
        ).map { case (n, from, rows) => (n, p, from, rows) }
      }
    } ++ rows.groupBy(_.p).map { case (p, all) => (0, p, Long.MinValue, all) }
    val session = spark
    import session.implicits._
    inputs
      .flatMap { case (night, p, _, rows) => rows.map(row => (night, p, row.x, row.id, row.v)) }
      .toDF("night", "p", "x", "id", "v")
      .createOrReplaceTempView("lookback_rows")
    Try(
      spark
        .sql(clause.over("lookback_rows"))
        .select(col("night"), col("p"), col("at"), col("result"))
        .collect()
    ).toOption.map { found =>
      val ofInput = found
        .map(row => (row.getInt(0), row.getInt(1)) -> (row.getLong(2), row.getString(3)))
        .toSeq
        .groupMap(_._1)(_._2)
      val froms = inputs.map { case (night, p, from, _) => (night, p) -> from }.toMap
      def nights(sign: Int) = rows.map(_.p).distinct.flatMap { p =>
        (1 to Nights)
          .foldLeft(Seq.empty[(Long, String)]) { (kept, night) =>
            froms.get((sign * night, p)).fold(kept) { from =>
              kept.filter(_._1 < from) ++
                ofInput.getOrElse((sign * night, p), Nil).filter(_._1 >= from)
            }
          }
          .map { case (at, result) => s"$p $at $result" }
      }
      val whole = rows.map(_.p).distinct.flatMap { p =>
        ofInput.getOrElse((0, p), Nil).map { case (at, result) => s"$p $at $result" }
      }
      (whole, nights(1), nights(-1))
    }
  }

  private def data(random: Random, key: LookbackKey): Seq[InputRow] = (0 to 2).flatMap { p =>
    var x = key.first + random.nextInt(5) * key.step
    (0 until 20 + random.nextInt(40)).map { id =>
      x += key.step * (random.nextInt(12) match {
        case 0 => random.nextInt(30)
        case n => n / 3
      })
      InputRow(p, x, id, random.nextInt(4))
    }
  }
}

object LookbackFuzzSuite {
  private final val Nights = 10

  private val Reached = Set("PAST LAST", "TO NEXT", "TO FIRST", "TO LAST").map("gap" -> _) +
    ("anywhere" -> "TO NEXT")

  final case class InputRow(p: Int, x: Long, id: Int, v: Int)

  /** How a job reads and replaces rows. */
  private final class Cut(isAnywhere: Boolean, distance: Long, val rowsBefore: Int) {

    /** @param newFrom the time from which on rows are new */
    def from(rows: Seq[InputRow], newFrom: Long): Long =
      if (isAnywhere) newFrom - distance
      else
        rows
          .sliding(2)
          .collect { case Seq(a, b) if b.x - a.x > distance && b.x < newFrom - distance => b.x }
          .maxOption
          .getOrElse(Long.MinValue)
  }
}

/** A type of keys, which are made of integers `x`. */
final case class LookbackKey(
    sql: String,
    first: Long,
    step: Long,
    unitsOfOne: Long,
    apart: Int => String
)

/** A random clause whose matches mostly have a bound. */
final case class LookbackClause(
    key: LookbackKey,
    earlier: String,
    rowsPerMatch: String,
    skip: String,
    pattern: String,
    within: String,
    subset: String,
    define: Seq[String]
) {
  def sql: String = s"PARTITION BY night, p ORDER BY k, id MEASURES FINAL FIRST(x) AS first_x, " +
    "FINAL LAST(x) AS last_x, COUNT(*) AS n, SUM(v) AS total, CLASSIFIER() AS variable, " +
    s"$earlier AS earlier $rowsPerMatch $skip PATTERN ($pattern) $within $subset " +
    s"DEFINE ${define.mkString(", ")}"

  def over(table: String): String = {
    val own = if (rowsPerMatch.startsWith("ALL")) "x" else "first_x"
    s"SELECT night, p, COALESCE(first_x, $own) AS at, concat_ws(' ', $own, last_x, n, total, variable, " +
      s"earlier) AS result FROM (SELECT *, ${key.sql} AS k FROM $table) MATCH_RECOGNIZE ($sql)"
  }
}

object LookbackClause {
  private val Minute = 60000000L
  private val keys = Seq(
    LookbackKey("x", 0, 1, 1, n => n.toString),
    LookbackKey("CAST(x / 4 AS DECIMAL(20, 2))", 0, 1, 4, n => s"${n / 4.0}BD"),
    // Over a change of the clocks.
    LookbackKey(
      "timestamp_micros(x)",
      1774720000000000L,
      20 * Minute,
      1000000,
      n => s"INTERVAL '${n * 20}' MINUTE"
    ),
    LookbackKey(
      "timestamp_micros(x)",
      1774500000000000L,
      700 * Minute,
      1000000,
      n => s"INTERVAL '${n / 2 + 1}' DAY"
    ),
    LookbackKey(
      "date_add(DATE'2026-01-01', CAST(x DIV 86400000000 AS INT))",
      0,
      86400000000L,
      1000000,
      n => s"INTERVAL '$n' DAY"
    )
  )

  def random(random: Random): LookbackClause = {
    def pick[T](options: T*): T = options(random.nextInt(options.length))
    val names = Seq("A", "B", "C", "D").take(2 + random.nextInt(3))
    def quantifier = pick("", "", "", "+", "*", "?", "{1,2}", "{2}", "+?", "*?", "??")
    def part(depth: Int): String = random.nextInt(if (depth > 0) 9 else 6) match {
      case 6 => s"(${part(depth - 1)} | ${part(depth - 1)})"
      case 7 => s"(${part(depth - 1)} ${part(depth - 1)})$quantifier"
      case 8 if random.nextBoolean() => s"PERMUTE(${pick(names: _*)}, ${pick(names: _*)})"
      case 8 => s"{- ${part(depth - 1)} -}"
      case _ => pick(names: _*) + quantifier
    }
    val pattern =
      Seq.fill(1 + random.nextInt(3))(part(2)).mkString(names.head + pick("", "+") + " ", " ", "")
    val used = names.filter(name => pattern.exists(_.toString == name))
    val key = pick(keys: _*)
    def bound(name: String): String = {
      val apart = key.apart(random.nextInt(7))
      val earlier = pick(
        "PREV(k)",
        "PREV(k)",
        "FIRST(k)",
        "FIRST(k)",
        "PREV(k, 2)",
        "LAST(k, 1)",
        s"LAST($name.k, 1)",
        s"FIRST($name.k)",
        s"FIRST(${pick(used: _*)}.k)",
        s"${pick(used: _*)}.k",
        "PREV(FIRST(k))",
        "FIRST(k, 1)",
        "U.k",
        "FIRST(U.k)"
      )
      pick(
        s"k <= $earlier + $apart",
        s"k - $earlier < $apart",
        s"$earlier >= k - $apart",
        s"$apart >= k - $earlier",
        s"k BETWEEN $earlier AND $earlier + $apart",
        s"(k <= $earlier + $apart OR k - PREV(k) <= $apart)",
        s"(k <= $earlier + $apart AND v > 0 OR k = FIRST(k))"
      )
    }
    val isBounded = random.nextInt(5) > 0
    val define = used.map { name =>
      val value =
        pick(
          "v < 3",
          "v > 0",
          "v >= PREV(v)",
          "v <> PREV(v, 2)",
          "COUNT(*) < 6",
          "SUM(v) < 9",
          "TRUE"
        )
      val bounds = if (isBounded || random.nextBoolean()) Seq(bound(name)) else Nil
      s"$name AS ${(value +: bounds).mkString(" AND ")}"
    }
    val (one, other) = (pick(used: _*), pick(used: _*))
    LookbackClause(
      key,
      // The first reads as many rows before a match as any condition does; the second leaves those
      // that are read to the conditions.
      pick("PREV(FIRST(v), 2)", "FIRST(v)"),
      pick(
        "ONE ROW PER MATCH",
        "ALL ROWS PER MATCH OMIT EMPTY MATCHES",
        "ALL ROWS PER MATCH WITH UNMATCHED ROWS"
      ),
      "AFTER MATCH SKIP " + pick(
        "PAST LAST ROW",
        "TO NEXT ROW",
        "TO NEXT ROW",
        s"TO FIRST $one",
        s"TO LAST $one",
        s"TO LAST $other"
      ),
      pattern,
      if (random.nextInt(3) == 0) s"WITHIN ${key.apart(random.nextInt(12))}" else "",
      s"SUBSET U = (${used.distinct.take(1 + random.nextInt(used.length)).mkString(", ")})",
      define
    )
  }
}
