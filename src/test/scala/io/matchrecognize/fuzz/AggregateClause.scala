package io.matchrecognize.fuzz

import java.sql.{Date, Timestamp}

import org.apache.spark.sql.Row

/**
 * A random clause whose conditions compare aggregates with bounds, over a pattern with several
 * paths to a row.
 *
 * @param conditions
 *   for each variable of the pattern; None if it has none
 */
final case class AggregateClause(
    rows: Seq[Row],
    conditions: Seq[(String, Option[String])],
    beforeDefine: String,
    settings: FuzzSettings
) {

  /** @param conjunct added to the condition of each variable */
  def sql(conjunct: Option[String]): String = {
    val define = conditions.flatMap { case (name, condition) =>
      val all = condition.map(c => s"($c)").toSeq ++ conjunct
      Option.when(all.nonEmpty)(s"$name AS ${all.mkString(" AND ")}")
    }
    s"SELECT * FROM t MATCH_RECOGNIZE ($beforeDefine" +
      (if (define.isEmpty) ")" else define.mkString("\n  DEFINE ", ", ", ")"))
  }
}

object AggregateClause {

  /** Types in the order of the columns: partition, order, numbers, times, a text, bounds. */
  val schema: String = "g INT, id INT, x INT, b BIGINT, d DOUBLE, f FLOAT, c DECIMAL(10, 2), " +
    "e DECIMAL(38, 0), dt DATE, ts TIMESTAMP, n TIMESTAMP_NTZ, s STRING, lim DOUBLE, li BIGINT"

  /** Rows of a partition: there is a path for about each set of them. */
  private val PartitionRows = 8

  def of(choices: Choices): AggregateClause = new Drawn(choices).make()

  private final class Drawn(choices: Choices) {
    import choices._

    def make(): AggregateClause = {
      val pattern = pick(patterns: _*)
      val variables = Seq("A", "B", "C").filter(v => pattern.contains(v))
      def of = pick(None +: variables.map(Option(_)): _*)
      val used = summed match {
        case Some(column) =>
          Seq(s"SUM(${of.fold("")(v => s"$v.")}$column)" -> (Number: Kind))
        case None => Seq.fill(1 + below(2))(aggregate(of))
      }
      val all = variables.map { v =>
        v -> (below(if (v == variables.last) 2 else if (summed.nonEmpty) 9 else 5) match {
          case 0 | 1 if summed.nonEmpty => Some(limit(used.head._1))
          case 0 | 1 => Some(condition(used))
          case 2 => Some(local())
          case _ => None
        })
      }
      val measures = pick(
        "LISTAGG(CLASSIFIER(), '') AS path",
        "COUNT(*) AS m",
        "SUM(x) AS m, LAST(id) AS l",
        "COUNT(A.*) AS m, MAX(b) AS l"
      )
      val mode = pick("ONE ROW PER MATCH", "ONE ROW PER MATCH", "ALL ROWS PER MATCH")
      val skip = pick("PAST LAST ROW", "TO NEXT ROW")
      val settings = FuzzSettings(FuzzSettings.space.map { case (key, values) =>
        key -> pick(values.reverse: _*)
      })
      AggregateClause(
        (0 to below(3)).flatMap(g => rows(g)),
        all,
        s"PARTITION BY g ORDER BY id MEASURES FIRST(id) AS f0, $measures\n  $mode " +
          s"AFTER MATCH SKIP $skip PATTERN ($pattern)",
        settings
      )
    }

    /** Often only sums of one column, which overflow on some paths. */
    private lazy val summed: Option[String] = pick(None, None, Some("b"), Some("b"), Some("d"))

    private def limit(sum: String): String = {
      val bound =
        if (summed.contains("b")) pick("li", s"${below(9)}", "b") else pick("lim", "d", "1e300D")
      pick(
        s"$sum <= $bound",
        s"$sum < $bound",
        s"$sum >= $bound",
        s"$bound < $sum AND x IS NOT NULL"
      )
    }

    private val patterns = Seq(
      "(A | B)+ C",
      "(A | B)* C",
      "A* B* C",
      "(A | B)+? C",
      "(A? B?)+ C",
      "(A | B)+",
      "(A B | A)* (B | C)",
      "(A | B){2,6} C",
      "(A | B)* A C?",
      "((A | B) (A | B)?)* C"
    )

    private def rows(g: Int): Seq[Row] = {
      val isWild = summed.nonEmpty || oneIn(2)
      def value(near: Seq[Any], far: Seq[Any]): Any = below(if (isWild) 8 else 6) match {
        case 5 => null
        case 6 | 7 => pick(far: _*)
        case _ => pick(near: _*)
      }
      val numbers = Seq(1.0, 2.0, 0.1, 0.2, 0.3, 5.0, -0.0, -3.0)
      val endless = Seq(Double.PositiveInfinity, Double.NegativeInfinity)
      val huge = Seq(1e308, -1e308, 1e300, Double.NaN) ++ endless
      val longs = Seq(1L, 2L, 5L, 0L, -3L)
      val most =
        if (summed.contains("b")) Seq(Long.MaxValue - 1, Long.MinValue + 2)
        else Seq(Long.MaxValue, Long.MinValue, Long.MaxValue / 2, Long.MinValue / 2)
      val e37 = java.math.BigDecimal.TEN.pow(37)
      (0 to below(PartitionRows)).map { id =>
        val day = pick(2, 3, 4, 9)
        Row(
          g,
          id,
          value(Seq(1, 2, 5, 0, -3), Seq(Int.MaxValue, Int.MinValue)),
          value(longs, most),
          value(numbers, huge),
          value(
            Seq(1f, 2.5f, 0.1f, -3f),
            Seq(3e38f, -3e38f, Float.NaN, Float.PositiveInfinity, Float.NegativeInfinity)
          ),
          value(Seq(1L, 3L, -2L).map(java.math.BigDecimal.valueOf(_, 2)), Nil :+ null),
          value(
            longs.map(n => java.math.BigDecimal.valueOf(n)),
            Seq(9L, -9L, 4L).map(n => e37.multiply(java.math.BigDecimal.valueOf(n)))
          ),
          value(Seq(Date.valueOf(s"2024-01-0$day")), Seq(Date.valueOf("9999-12-31"))),
          value(Seq(Timestamp.valueOf(s"2024-01-0$day 01:02:03")), Nil :+ null),
          value(
            Seq(java.time.LocalDateTime.of(2024, 1, day, 1, 2)),
            Seq(java.time.LocalDateTime.of(9999, 1, 1, 0, 0))
          ),
          value(Seq("a", "b", "ab"), Seq("", "\u0000")),
          value(numbers, huge),
          value(longs, most)
        )
      }
    }

    /** An aggregate with the kind of its value. */
    private def aggregate(variable: Option[String]): (String, Kind) = {
      val of = variable.fold("")(v => s"$v.")
      val number = pick("x", "b", "d", "f", "c", "e")
      val (any, kind) = pick(
        (number, Number): (String, Kind),
        (number, Number),
        ("dt", Day),
        ("ts", Time),
        ("n", LocalTime),
        ("s", Text)
      )
      val filter = if (oneIn(5)) s" FILTER (WHERE ${of}x > 0)" else ""
      val distinct = if (oneIn(8)) "DISTINCT " else ""
      below(11) match {
        case 0 => s"COUNT($of*)$filter" -> Number
        case 1 => s"COUNT($distinct$of$any)$filter" -> Number
        case 2 | 3 | 4 => s"SUM($distinct$of$number)$filter" -> Number
        case 5 => s"SUM(CAST(${of}x AS BIGINT))$filter" -> Number
        case 6 => s"SUM(${of}x + ${of}b)$filter" -> Number
        case 7 => s"TRY_SUM(${of}b)$filter" -> Number
        case 8 => s"MIN($of$any)$filter" -> kind
        case 9 => s"MAX($of$any)$filter" -> kind
        case _ => s"AVG($of$number)$filter" -> Number
      }
    }

    private def local(): String = pick("x > 0", "x IS NOT NULL", "b <> 2", "d >= 0.1D")

    private def bound(kind: Kind): String = kind match {
      case Number =>
        below(14) match {
          case 0 | 1 | 2 | 3 => s"${below(9)}"
          case 4 => pick("2.5", "-1.5", "0.3D", "0.6D")
          case 5 => pick("CAST('NaN' AS DOUBLE)", "CAST('Infinity' AS DOUBLE)")
          case 6 => "CAST('-Infinity' AS DOUBLE)"
          case 7 => pick("x", "b", "d", "f", "c")
          case 8 => pick("lim", "li")
          case 9 => pick("FIRST(lim)", "FIRST(li)", "FIRST(x)")
          case 10 => pick("FIRST(li) * 1000000000", "FIRST(x) + li", "100 / FIRST(x)")
          case 11 => pick("LAST(A.x)", "LAST(A.d)", "PREV(b)")
          case 12 => "1e300D"
          case _ => s"CAST(${below(9)} AS FLOAT)"
        }
      case Day => pick("DATE'2024-01-03'", "dt", "FIRST(dt)")
      case Time => pick("TIMESTAMP'2024-01-03 05:00:00'", "ts", "FIRST(ts)")
      case LocalTime => pick("TIMESTAMP_NTZ'2024-01-03 05:00:00'", "n", "FIRST(n)")
      case Text => pick("'ab'", "s", "FIRST(s)")
    }

    private def comparison(used: Seq[(String, Kind)]): String = {
      val (aggregate, kind) = pick(used: _*)
      val (upTo, from) = (pick("<=", "<"), pick(">=", ">"))
      val of =
        if (kind == Number && oneIn(6)) s"CAST($aggregate AS ${pick("DOUBLE", "DECIMAL(30, 2)")})"
        else aggregate
      below(10) match {
        case 0 | 1 | 2 => s"$of $upTo ${bound(kind)}"
        case 3 | 4 => s"$of $from ${bound(kind)}"
        case 5 => s"${bound(kind)} $from $of"
        case 6 => s"NOT ($of $from ${bound(kind)})"
        case 7 => s"$of BETWEEN ${bound(kind)} AND ${bound(kind)}"
        case 8 => s"COALESCE($of $upTo ${bound(kind)}, TRUE)"
        case _ => s"$of ${pick("=", "<>", "<=>")} ${bound(kind)}"
      }
    }

    private def condition(used: Seq[(String, Kind)]): String = below(7) match {
      case 0 | 1 | 2 => comparison(used)
      case 3 => s"${local()} AND ${comparison(used)}"
      case 4 => s"${comparison(used)} AND ${comparison(used)}"
      case 5 => s"(${comparison(used)} OR ${local()})"
      case _ => s"(${comparison(used)} OR ${comparison(used)})"
    }
  }

  /** What an aggregate may be compared with. */
  private sealed trait Kind
  private case object Number extends Kind
  private case object Day extends Kind
  private case object Time extends Kind
  private case object LocalTime extends Kind
  private case object Text extends Kind
}
