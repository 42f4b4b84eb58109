package io.matchrecognize.analysis.warnings

import java.math.{BigDecimal => Decimal, MathContext}

import io.matchrecognize.errors.Wording.count

/** Numbers in sentences. */
private[warnings] object Words {
  private val units = Seq("day" -> 86400000000L, "hour" -> 3600000000L, "minute" -> 60000000L)

  def rows(value: Long): String = count(value, "row")

  /** `a DOUBLE`, `an INT`. */
  def article(typeName: String): String =
    (if ("AEIOU".contains(typeName.head)) "an " else "a ") + typeName

  /** At most four digits of a number that are not zeros at its end. */
  def number(value: Double): String =
    if (value == math.rint(value) && math.abs(value) < 1e15) value.toLong.toString
    else new Decimal(value).round(new MathContext(4)).stripTrailingZeros.toPlainString

  /** A span of time in its largest unit and the next one: `2 days 4 hours`, `1.5 seconds`. */
  def span(micros: Double): String =
    units.indexWhere(_._2 <= micros) match {
      case -1 =>
        val seconds = micros / 1e6
        s"${number(seconds)} second${if (seconds == 1) "" else "s"}"
      case i =>
        val (unit, size) = units(i)
        val whole = micros.toLong / size
        val rest = micros - whole.toDouble * size
        val next = units.lift(i + 1) match {
          case Some((noun, part)) => Some(rest.toLong / part).filter(_ > 0).map(count(_, noun))
          case None => Some(math.rint(rest / 1e6).toLong).filter(_ > 0).map(count(_, "second"))
        }
        (count(whole, unit) +: next.toSeq).mkString(" ")
    }
}
