package io.matchrecognize.fuzz

import scala.util.Random

import io.matchrecognize.fuzz.FuzzExpression._

/**
 * Random conditions on the distance of the column `o` from the one of an earlier row, in all ways
 * to write them: most are a deadline in one of the two directions of ORDER BY.
 */
final class DistanceConditions(random: Random, variables: IndexedSeq[String], key: FuzzKey) {
  private def pick[T](options: T*): T = options(random.nextInt(options.size))

  private def column(variable: Option[String]) = Column(variable, "o")

  private def variable(): Option[String] =
    if (variables.isEmpty) None else Some(variables(random.nextInt(variables.size)))

  private def anchor(): FuzzExpression = random.nextInt(6) match {
    case 0 => Navigation("FIRST", "", column(variable()), None)
    case 1 => column(variable())
    case 2 => Navigation("FIRST", "", column(None), Some(1))
    case _ => Navigation("FIRST", "", column(None), None)
  }

  /**
   * A condition that is not TRUE on later rows once it is not TRUE on a row.
   *
   * @param isFalling
   *   whether the order descends
   */
  def deadline(isFalling: Boolean): FuzzExpression = {
    val (o, n) = (column(None), random.nextInt(9).toLong)
    val first = Navigation("FIRST", "", column(None), None)
    val (apart, back) = (KeyConstant(key, n), KeyConstant(key, -n))
    val all =
      if (isFalling)
        Seq(
          op(">=", o, op("-", first, apart)),
          op(">", op("-", o, first), back),
          op("<=", op("-", first, o), apart)
        )
      else
        Seq(
          op("<=", o, op("+", first, apart)),
          op("<", op("-", o, first), apart),
          op(">=", op("-", first, o), back),
          op("<=", op("-", o, apart), first)
        )
    all(random.nextInt(all.size))
  }

  def condition(): FuzzExpression = random.nextInt(6) match {
    case 0 => op("AND", op("IS NOT NULL", Column(None, "v")), compared())
    case 1 => op("AND", compared(), compared())
    case 2 => op("OR", compared(), op("=", Column(None, "v"), Constant(1L)))
    case _ => compared()
  }

  private def compared(): FuzzExpression = {
    val (o, first, n) = (column(None), anchor(), random.nextInt(9).toLong)
    val (upTo, downTo) = (pick("<=", "<"), pick(">=", ">"))
    val (apart, back) = (KeyConstant(key, n), KeyConstant(key, -n))
    def after = op("-", o, first)
    def before = op("-", first, o)
    val ofAll = Seq(
      op(upTo, o, op("+", first, apart)),
      op(downTo, op("+", first, apart), o),
      op(upTo, after, apart),
      op(downTo, before, back),
      op(upTo, back, before),
      op(upTo, op("-", o, apart), first),
      op(downTo, o, op("-", first, apart)),
      op(downTo, after, back),
      op(upTo, before, apart),
      op("BETWEEN", o, op("-", first, apart), op("+", first, apart)),
      op(pick(upTo, downTo, "="), o, first)
    )
    def double(e: FuzzExpression) = op("DOUBLE", e)
    def ofSigned = Seq(
      op(downTo, op("NEGATE", o), op("-", op("NEGATE", first), apart)),
      op(upTo, op("NEGATE", after), apart),
      op(pick(upTo, downTo), op("ABS", after), apart)
    )
    def same(to: String) = op(pick(upTo, downTo, "="), op(to, o), op(to, first))
    def ofNumbers = {
      val twice = op("*", o, KeyConstant(key, 2))
      Seq(
        same("FLOAT"),
        op(upTo, op("HALF", o), first),
        op(downTo, op("HALF", op("-", o, first)), back),
        op(upTo, op("-", double(o), double(first)), Constant(n.toDouble)),
        op(downTo, op("-", double(first), double(o)), Constant(-n.toDouble)),
        op(upTo, twice, op("+", op("*", first, KeyConstant(key, 2)), apart)),
        op(downTo, op("-", first, twice), back),
        op(downTo, op("*", o, KeyConstant(key, -2)), op("-", first, apart))
      )
    }
    def ofDates = Seq(
      op(upTo, op("DATEDIFF", o, first), Constant(n)),
      op(downTo, op("DATEDIFF", first, o), Constant(-n))
    )
    pick(
      ofAll ++ (if (key.hasSign) ofSigned else Nil) ++ (if (key.isNumber) ofNumbers else Nil) ++
        (if (key.sql == "DATE") ofDates else Nil) ++
        (if (key.sql.startsWith("TIMESTAMP")) Seq(same("DATE"), same("DATE")) else Nil): _*
    )
  }
}
