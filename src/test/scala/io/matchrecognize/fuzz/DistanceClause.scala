package io.matchrecognize.fuzz

/**
 * A random clause over some hundred rows of one partition, whose conditions compare values with
 * those of the first row of the match.
 *
 * @param input
 *   a query of the rows, from a view of numbers
 * @param codes
 *   for each row the numbers that its values are made of
 */
final case class DistanceClause(
    input: String,
    codes: Seq[(Option[Int], Option[Int], Int)],
    clause: String,
    settings: FuzzSettings,
    zone: String
) {
  def sql: String = s"SELECT * FROM t MATCH_RECOGNIZE ($clause)"
}

object DistanceClause {

  /** From this code on values are far ones. */
  private val Far = 1000

  /**
   * @param near
   *   the value of a small code `i`
   * @param far
   *   values at the ends of the type
   * @param distance
   *   so many units
   */
  private final case class Kind(
      name: String,
      near: String => String,
      far: Seq[String],
      distance: Int => String,
      casts: Seq[String]
  ) {
    def isNumber: Boolean = near("i").contains("CAST(i AS")
    def hasSign: Boolean = isNumber || name.startsWith("INTERVAL")

    def value(code: String): String = far.zipWithIndex
      .map { case (text, i) => s"WHEN ${Far + i} THEN CAST($text AS $name)" }
      .mkString(s"CASE $code ", " ", s" ELSE CAST(${near(code)} AS $name) END")
  }

  private def number(name: String, far: Seq[String], casts: String*): Kind =
    Kind(name, i => s"CAST($i AS DOUBLE) / 2", far, n => s"CAST($n AS $name)", casts)

  private def integer(name: String, most: String, casts: String*): Kind = Kind(
    name,
    i => s"CAST($i AS BIGINT)",
    Seq(most, s"-$most", s"$most - 1", s"-$most - 1"),
    n => s"CAST($n AS $name)",
    casts
  )

  private def floating(name: String, most: String, casts: String*): Kind =
    number(name, Seq("'NaN'", "'Infinity'", "'-Infinity'", most, s"-$most", "'-0.0'"), casts: _*)

  private def decimal(precision: Int, scale: Int): Kind = {
    val most = "9" * (precision - scale) + (if (scale > 0) "." + "9" * scale else "")
    number(s"DECIMAL($precision, $scale)", Seq(s"'$most'", s"'-$most'"), "DOUBLE", "INT", "BIGINT")
  }

  private def time(name: String): Kind = Kind(
    name,
    // Across a night in which clocks change.
    i => s"TIMESTAMP_NTZ'2024-10-26 20:00:00' + $i * INTERVAL '7' MINUTE",
    Seq("'0001-01-01 00:00:00'", "'9999-12-31 23:59:59.999999'", "'+290000-01-01'"),
    n => s"INTERVAL '${n * 10}' MINUTE",
    Seq("DATE", "BIGINT").take(if (name == "TIMESTAMP") 2 else 1)
  )

  private val kinds = Seq(
    integer("INT", "2147483647", "BIGINT", "DOUBLE", "DECIMAL(9, 0)"),
    integer("TINYINT", "127", "INT", "FLOAT"),
    integer("BIGINT", "9223372036854775807", "INT", "DOUBLE", "DECIMAL(20, 0)"),
    floating("DOUBLE", "1.7e308D", "FLOAT", "BIGINT", "DECIMAL(10, 1)"),
    floating("FLOAT", "3e38D", "DOUBLE", "INT"),
    decimal(9, 2),
    decimal(18, 0),
    decimal(18, 9),
    decimal(38, 0),
    decimal(38, 10),
    Kind(
      "DATE",
      i => s"DATE_ADD(DATE'2024-01-01', $i)",
      Seq("DATE'0001-01-01'", "DATE'9999-12-31'") ++
        Seq("DATE_FROM_UNIX_DATE(2147483647)", "DATE_FROM_UNIX_DATE(-2147483648)"),
      n => s"INTERVAL '$n' DAY",
      Seq("TIMESTAMP", "TIMESTAMP_NTZ")
    ),
    time("TIMESTAMP"),
    time("TIMESTAMP_NTZ"),
    Kind(
      "INTERVAL DAY TO SECOND",
      i => s"$i * INTERVAL '1' MINUTE",
      Seq("INTERVAL '106751991 04:00:54.775807' DAY TO SECOND") ++
        Seq("INTERVAL '-106751991 04:00:54.775807' DAY TO SECOND"),
      n => s"INTERVAL '$n' MINUTE",
      Nil
    ),
    Kind(
      "INTERVAL YEAR TO MONTH",
      i => s"$i * INTERVAL '1' MONTH",
      Seq("INTERVAL '178956970-7' YEAR TO MONTH", "INTERVAL '-178956970-7' YEAR TO MONTH"),
      n => s"INTERVAL '$n' MONTH",
      Nil
    )
  )

  def of(choices: Choices): DistanceClause = new Drawn(choices).make()

  private final class Drawn(choices: Choices) {
    import choices._

    // Floating-point numbers have most that is special.
    private val kind = pick(kinds ++ kinds.filter(_.far.contains("'NaN'")): _*)

    def make(): DistanceClause = {
      val isRare = pick(true, false)
      val count = pick(5, 20, 100, 300, 300)
      // Mostly rising, so that values are near those of the rows before.
      val codes = (0 until count).map { i =>
        def far = Some(Far + below(kind.far.size))
        def one(near: => Int) = below(if (isRare) 200 else 20) match {
          case 1 => None
          case 2 => far
          case _ => Some(near)
        }
        val o = one(math.min(i / pick(1, 1, 3), 120))
        val p = one(below(30))
        (o, p, below(5))
      }
      val isDeadline = oneIn(2)
      val isFalling = oneIn(3)
      val order =
        if (isDeadline) s"o${if (isFalling) " DESC" else ""}${pick("", " NULLS LAST")}"
        else pick("o", "o DESC", "o NULLS LAST", "o DESC NULLS FIRST", "id")
      val pattern =
        if (isDeadline) pick("A Z* B", "A B+", "A Z*? B")
        else pick("A B+", "A Z* B", "A B*", "A B+ C", "A Z*? B", "A B* C", "A (B | C)+")
      val start = pick("v = 1", "id % 7 = 0", "o IS NOT NULL", "TRUE")
      val defined = Seq("B", "C").filter(v => pattern.contains(v) && (v == "B" || !oneIn(5)))
      val others = defined.map { v =>
        s"$v AS ${if (isDeadline) deadline(isFalling) else condition(v)}"
      }
      val conditions = (s"A AS $start" +: others).mkString(", ")
      val skip = pick("PAST LAST ROW", "TO NEXT ROW")
      val settings = FuzzSettings(FuzzSettings.space.map { case (key, all) =>
        key -> pick(all.reverse: _*)
      })
      DistanceClause(
        s"SELECT id, v, ${kind.value("i")} AS o, ${kind.value("j")} AS p FROM codes",
        codes,
        s"ORDER BY $order, id MEASURES FIRST(id) AS f, LAST(id) AS l, CLASSIFIER() AS c\n" +
          s"  AFTER MATCH SKIP $skip PATTERN ($pattern)\n  DEFINE $conditions",
        settings,
        pick("UTC", "Europe/Berlin", "America/St_Johns")
      )
    }

    private def deadline(isFalling: Boolean): String = {
      val n = below(9)
      val (d, back) = (kind.distance(n), kind.distance(-n))
      if (isFalling) pick(s"o >= A.o - $d", s"o - A.o >= $back", s"A.o - o <= $d")
      else
        pick(s"o <= A.o + $d", s"o - A.o < $d", s"A.o - o >= $back", s"o - $d <= FIRST(o)")
    }

    private def condition(variable: String): String = below(10) match {
      case 0 => s"${compared(variable)} AND v < 4"
      case 1 => s"v < 4 AND ${compared(variable)}"
      case 2 => s"${compared(variable)} AND ${compared(variable)}"
      case 3 => s"(${compared(variable)} OR v = 2)"
      case 4 => s"NOT (${compared(variable)})"
      case _ => compared(variable)
    }

    private def compared(variable: String): String = {
      val name = pick("o", "o", "o", "p")
      val x = pick(name, s"$variable.$name")
      val a = pick(s"A.$name", s"FIRST($name)", s"FIRST(A.$name)", s"FIRST($name, 1)")
      val n = below(9)
      val (d, back) = (kind.distance(n), kind.distance(-n))
      val (upTo, from) = (pick("<=", "<"), pick(">=", ">"))
      def cast: String = if (kind.casts.isEmpty) "" else pick(kind.casts: _*)
      def factor = pick("2", "-2", "0.5", "3")
      val kindOf = if (kind.isNumber) 18 else if (kind.casts.nonEmpty || kind.hasSign) 12 else 9
      below(kindOf) match {
        case 0 => s"$x $upTo $a + $d"
        case 1 => s"$a + $d $from $x"
        case 2 => s"$x - $a $upTo $d"
        case 3 => s"$a - $x $from $back"
        case 4 => s"$x - $d $upTo $a"
        case 5 => s"$x $from $a - $d"
        case 6 => s"$x BETWEEN $a - $d AND $a + $d"
        case 7 => s"$x ${pick("=", upTo, from)} $a"
        case 8 => s"$a - $x $upTo $d"
        case 9 if kind.name == "DATE" => s"DATEDIFF($x, $a) $upTo $n"
        case 10 if kind.name == "DATE" => s"DATEDIFF($a, $x) $from -$n"
        case 9 if kind.name == "TIMESTAMP" =>
          s"UNIX_MICROS($x) - UNIX_MICROS($a) $upTo ${n}00000000"
        case 9 | 10 if kind.casts.nonEmpty =>
          val to = cast
          pick(s"CAST($x AS $to) $upTo CAST($a AS $to)", s"CAST($x AS $to) $from CAST($a AS $to)")
        case _ if kind.hasSign && oneIn(2) => s"ABS($x - $a) ${pick(upTo, from)} $d"
        case _ if kind.hasSign && !kind.isNumber => s"- $x $from - $a - $d"
        case 11 if !kind.hasSign => s"$x $from $a"
        case 11 => s"- $x $from - $a - $d"
        case 12 => s"$x * $factor $upTo $a * 2 + $d"
        case 13 => s"$x / $factor ${pick(upTo, from)} $a"
        case 14 => s"$x / $a ${pick(upTo, from)} 1.5"
        case 15 if kind.name == "DOUBLE" || kind.name == "FLOAT" => s"$x / $n >= $a"
        case 15 => s"$x DIV ${pick("2", "-1", "NULLIF(v, 0)")} ${pick(upTo, from)} $n"
        case 16 => s"$a - $x * $factor $from $back"
        case _ => s"$x + $a $upTo $a + $d"
      }
    }
  }
}
