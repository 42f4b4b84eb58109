package io.matchrecognize.fuzz

import scala.util.Random

import io.matchrecognize.fuzz.FuzzExpression._

/**
 * Random expressions of one clause. They are total: only [[division]] can fail.
 *
 * @param variables
 *   primary and union variables
 * @param inDefine
 *   whether to omit FINAL
 * @param nested
 *   whether there is a struct column
 */
final class ExpressionGenerator(
    random: Random,
    variables: IndexedSeq[String],
    inDefine: Boolean,
    nested: Boolean
) {
  private val numbers = Seq("v", "v", "v", "k", "g") ++ (if (nested) Seq("p.x", "p.x") else Nil)
  private val texts = Seq("s", "s") ++ (if (nested) Seq("p.y") else Nil)

  private def pick[T](options: T*): T = options(random.nextInt(options.size))
  private def oneIn(n: Int): Boolean = random.nextInt(n) == 0
  private def number(limit: Int): FuzzExpression = Constant(random.nextInt(limit).toLong)

  /** A variable to read, or None for the universal one. */
  private def qualifier(): Option[String] =
    if (variables.isEmpty || oneIn(3)) None else Some(variables(random.nextInt(variables.size)))

  private def mode(): String =
    if (oneIn(4)) "RUNNING" else if (!inDefine && oneIn(2)) "FINAL" else ""

  private def offset(limit: Int): Option[Int] =
    if (oneIn(2)) None else Some(if (oneIn(20)) 4000 else random.nextInt(limit))

  /** A navigation around an argument on one row of one variable. */
  private def navigation(argument: FuzzExpression): FuzzExpression = {
    def logical = {
      val function = pick("FIRST", "LAST")
      val rows = offset(4)
      // In DEFINE as many rows would be kept.
      val isHuge = !inDefine && function == "LAST" && rows.contains(4000) && oneIn(2)
      Navigation(function, mode(), argument, if (isHuge) Some(Int.MaxValue) else rows)
    }
    def physical(inner: FuzzExpression) =
      Navigation(pick("PREV", "NEXT"), "", inner, offset(4))
    random.nextInt(5) match {
      case 0 | 1 => logical
      case 2 | 3 => physical(argument)
      case _ => physical(logical)
    }
  }

  // Expressions on one row of the variable `on`: each reads a column or CLASSIFIER.

  private def numberOn(on: Option[String]): FuzzExpression = {
    val column = Column(on, pick(numbers: _*))
    random.nextInt(10) match {
      case 6 => decimalOn(on)
      case 0 => op("+", column, number(5))
      case 1 => op("-", Column(on, "v"), Column(on, "k"))
      case 2 => op("COALESCE", Column(on, "v"), Constant(-1L))
      case 3 => op("CASE", booleanOn(on), number(5), column)
      case 4 => op("+", column, MatchNumber)
      case 5 => op("NULLIF", column, number(5))
      case _ => column
    }
  }

  private def decimalOn(on: Option[String]): FuzzExpression =
    op("DECIMAL", Column(on, pick("v", "v", "k")))

  private def textOn(on: Option[String]): FuzzExpression = random.nextInt(6) match {
    case 0 => op("||", Column(on, "s"), Classifier(on))
    case 1 => op("COALESCE", Column(on, "s"), Constant("none"))
    case 2 => op("COALESCE", Classifier(on), Constant("out"))
    case 3 => Classifier(on)
    case _ => Column(on, pick(texts: _*))
  }

  private def booleanOn(on: Option[String]): FuzzExpression = random.nextInt(8) match {
    case 0 => op("IS NULL", Column(on, pick("v", "d", "s", "k", "g")))
    case 1 => op("IS NOT NULL", Column(on, pick("v", "k")))
    case 2 => op("=", Classifier(on), Constant(if (variables.isEmpty) "A" else variables.head))
    case 3 => op("=", Column(on, "s"), Constant(pick("x", "y")))
    case 4 => op("OR", op("IS NULL", Column(on, "v")), op("<", Column(on, "v"), Column(on, "k")))
    case 5 => op(">=", op("%", Column(on, "k"), Constant(2L)), Constant(1L))
    case _ => op(pick("<", ">", "="), Column(on, "v"), number(5))
  }

  private def aggregate(function: String, distinct: Boolean, arguments: FuzzExpression*)(
      on: Option[String]
  ): FuzzExpression = {
    val filter = if (oneIn(4)) Some(booleanOn(on)) else None
    Aggregate(function, distinct, arguments, filter, mode())
  }

  private def count(): FuzzExpression = {
    val on = qualifier()
    random.nextInt(6) match {
      case 0 | 1 => aggregate("COUNT", distinct = false, Star(on))(on)
      case 2 => aggregate("COUNT", distinct = true, pick(numberOn(on), textOn(on)))(on)
      case 3 => aggregate("COUNT", distinct = oneIn(2), numberOn(on), textOn(on))(on)
      case 4 => aggregate("COUNT_IF", distinct = false, booleanOn(on))(on)
      case _ =>
        aggregate("COUNT", distinct = false, pick(numberOn(on), textOn(on), Column(on, "d")))(on)
    }
  }

  private def fold(value: Option[String] => FuzzExpression, functions: String*): FuzzExpression = {
    val on = qualifier()
    val function = pick(functions: _*)
    val distinct = oneIn(5) && Set("SUM", "AVG", "MIN").contains(function)
    if (function.endsWith("_BY")) aggregate(function, false, value(on), Column(on, "k"))(on)
    else if (function == "LISTAGG") aggregate(function, false, value(on), Constant("+"))(on)
    else aggregate(function, distinct, value(on))(on)
  }

  def integer(depth: Int): FuzzExpression =
    if (depth > 0 && oneIn(3)) {
      random.nextInt(6) match {
        case 0 => op(pick("+", "-"), integer(depth - 1), integer(depth - 1))
        case 1 => op("COALESCE", integer(depth - 1), integer(depth - 1))
        case 2 => op("CASE", boolean(depth - 1), integer(depth - 1), number(9))
        case 3 => op("ABS", integer(depth - 1))
        case 4 => op("%", integer(depth - 1), Constant(3L))
        case _ => op("NULLIF", integer(depth - 1), number(4))
      }
    } else
      random.nextInt(14) match {
        case 0 => number(9)
        case 1 => MatchNumber
        case 2 | 3 | 4 => Column(qualifier(), pick(numbers: _*))
        case 5 | 6 | 7 => navigation(numberOn(qualifier()))
        case 8 | 9 => count()
        case 10 => op("SIZE", list())
        case _ =>
          fold(
            numberOn,
            pick("SUM", "SUM", "MIN", "MAX"),
            pick("MIN_BY", "MAX_BY"),
            pick("FIRST_VALUE", "LAST_VALUE")
          )
      }

  def double(): FuzzExpression = random.nextInt(6) match {
    case 0 => fold(Column(_, "v"), "AVG", "MEDIAN")
    case 1 => fold(Column(_, "d"), "MEDIAN")
    case 2 => navigation(Column(qualifier(), "d"))
    case 3 => Column(qualifier(), "d")
    case _ => fold(Column(_, "d"), "SUM", "AVG", "MIN", "MAX", "MIN_BY", "FIRST_VALUE")
  }

  def text(depth: Int): FuzzExpression = random.nextInt(11) match {
    case 0 | 1 => Column(qualifier(), pick(texts: _*))
    case 2 | 3 => Classifier(qualifier())
    case 4 | 5 | 6 => navigation(textOn(qualifier()))
    case 7 => op("COALESCE", text(depth - 1), Constant("-"))
    case 8 if depth > 0 => op("||", text(depth - 1), text(depth - 1))
    case 9 if depth > 0 => op("CASE", boolean(depth - 1), text(depth - 1), Constant("else"))
    case _ => fold(textOn, "MIN", "MAX", "MAX_BY", "LAST_VALUE", "LISTAGG")
  }

  def list(): FuzzExpression =
    if (oneIn(3)) op("SORT_ARRAY", fold(textOn, "COLLECT_SET"))
    else fold(pick(textOn(_), numberOn(_)), "COLLECT_LIST", "ARRAY_AGG")

  def boolean(depth: Int): FuzzExpression =
    if (depth > 0 && oneIn(2)) {
      def part = boolean(depth - 1)
      random.nextInt(7) match {
        case 0 | 1 => op("AND", part, part)
        case 2 | 3 => op("OR", part, part)
        case 4 => op("NOT", part)
        case 5 => op("COALESCE", part, Constant(random.nextBoolean()))
        case _ => op("CASE", part, part, part)
      }
    } else {
      def compare = pick("<", "<=", ">", ">=", "=", "<>", "<=>")
      random.nextInt(13) match {
        case 0 | 1 | 2 => op(compare, integer(depth - 1), number(6))
        case 3 => op(compare, integer(depth - 1), integer(depth - 1))
        case 4 => op(compare, double(), pick(number(5), double()))
        case 5 => op(compare, text(depth - 1), pick(text(depth - 1), Constant("x")))
        case 6 =>
          op(pick("IS NULL", "IS NOT NULL"), pick(integer(depth - 1), double(), text(depth - 1)))
        case 7 => navigation(booleanOn(qualifier()))
        case 8 => fold(booleanOn, "BOOL_AND", "BOOL_OR")
        case 11 => op("BETWEEN", integer(depth - 1), number(3), op("+", number(3), number(5)))
        case 9 =>
          op("EXISTS ABOVE", fold(numberOn, "COLLECT_LIST"), number(6))
        case 10 => op("IN", integer(depth - 1), number(4), integer(0))
        case _ => op(compare, Column(qualifier(), "v"), navigation(Column(qualifier(), "v")))
      }
    }

  /**
   * A condition that compares the tested row with the first one, often as a deadline on one of the
   * ORDER BY columns.
   */
  def firstRow(depth: Int): FuzzExpression = {
    val column = pick("k", "k", "v", "d")
    def tested = Column(None, column)
    def first = Navigation("FIRST", "", Column(qualifier(), column), None)
    def upTo = pick("<=", "<")
    def compare = pick("<", ">", "=", "<=", ">=")
    def compared = random.nextInt(11) match {
      case 0 | 1 => op(upTo, tested, op("+", first, number(4)))
      case 2 => op(upTo, op("-", tested, first), number(4))
      case 3 => op(pick(">", ">="), op("+", first, number(4)), tested)
      case 4 => op(pick(">", ">="), tested, op("-", first, number(3)))
      case 5 => op(pick("<", ">", "=", "<="), tested, first)
      case 6 => op(pick("<", ">"), tested, Column(qualifier(), column))
      case 7 => op(compare, op("ABS", op("-", tested, first)), number(5))
      case 8 => op(compare, op("-", op("-", first, number(3)), tested), op("-", number(4), first))
      case 9 => op(compare, number(9), op("-", op("ABS", op("+", tested, number(2))), first))
      case _ => op("BETWEEN", tested, first, op("+", first, number(4)))
    }
    if (depth > 0 && oneIn(3)) op(pick("AND", "AND", "OR"), firstRow(depth - 1), firstRow(0))
    else if (oneIn(3)) op("AND", easy(), compared)
    else compared
  }

  /** A condition that most rows satisfy and that reads only the tested row. */
  def easy(): FuzzExpression = random.nextInt(4) match {
    case 0 => op("<>", Column(None, "v"), number(5))
    case 1 => op("IS NOT NULL", Column(None, "v"))
    case 2 => op(pick("<", ">="), Column(None, "k"), number(8))
    case _ => op("<", Column(None, "v"), number(6))
  }

  /** A condition that fails on some rows or paths. */
  def division(): FuzzExpression = {
    // Not a constant: Spark's optimizer would fail although no row is tested.
    val operand = Some(integer(1)).filterNot(_.isConstant || oneIn(2))
    val divisor = op("-", operand.getOrElse(Column(None, "v")), number(5))
    val quotient = op("/", Constant(10L), divisor)
    // Used once or twice.
    val compared =
      if (oneIn(2)) op("<", quotient, number(6)) else op("BETWEEN", quotient, number(3), number(9))
    random.nextInt(4) match {
      case 0 => op("AND", easy(), compared)
      case 1 => op("OR", boolean(1), compared)
      case 2 => op("CASE", boolean(0), compared, Constant(true))
      case _ => compared
    }
  }

  def measure(): FuzzExpression = random.nextInt(8) match {
    case 0 | 1 | 2 => integer(2)
    case 3 => double()
    case 4 | 5 => text(2)
    case 6 => list()
    case _ => boolean(2)
  }
}
