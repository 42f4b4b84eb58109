package io.matchrecognize.fuzz

import io.matchrecognize.fuzz.FuzzExpression._
import io.matchrecognize.matcher.BruteForceOracle.{Failure, RowMissing}

/**
 * The value of an expression on one row of a path, by the rules of the standard read literally: it
 * walks the path again for every navigation and aggregate, and shares nothing with the engine.
 *
 * Integers are Long, other values Float, Double, String, Boolean, Vector; NULL and UNKNOWN are
 * null.
 *
 * @param start
 *   first row of the path in its partition
 * @param labels
 *   variables of the rows from `start` on: in DEFINE up to the tested row, in MEASURES all
 * @param current
 *   row that RUNNING ends with; the one before `start` in an empty match
 * @param matchNumber
 *   0 for a path that timed out
 * @param members
 *   primary variables of a variable or subset
 * @param open
 *   whether rows may arrive after the last one, so that reading them has no value yet
 */
final class ExpressionOracle(
    partition: IndexedSeq[FuzzRow],
    start: Int,
    labels: IndexedSeq[String],
    current: Int,
    matchNumber: Long,
    members: String => Set[String],
    open: Boolean = false
) {
  private val end = start + labels.size - 1

  /** Raises [[RowMissing]] if any NEXT reads a missing row, even if its value does not matter. */
  def requireRows(e: FuzzExpression): Unit = {
    e match {
      case navigation: Navigation => target(navigation)
      case _ =>
    }
    e.parts.foreach(requireRows)
  }

  def value(e: FuzzExpression): Any = evaluate(e, None)

  def isTrue(e: FuzzExpression): Boolean = value(e) == true

  private def label(row: Int): Any = if (row < start || row > end) null else labels(row - start)

  /** Rows of a variable that RUNNING or FINAL sees. */
  private def rowsOf(variable: Option[String], mode: String): Seq[Int] =
    (start to (if (mode == "FINAL") end else current)).filter { row =>
      variable.forall(members(_).contains(labels(row - start)))
    }

  private def variableOf(arguments: Seq[FuzzExpression]): Option[String] =
    arguments.flatMap(_.variables).headOption.flatten

  /** The row that a navigation reads. */
  private def target(navigation: Navigation): Option[Int] = navigation match {
    case Navigation("FIRST", mode, argument, offset) =>
      rowsOf(variableOf(Seq(argument)), mode).lift(offset.getOrElse(0))
    case Navigation("LAST", mode, argument, offset) =>
      rowsOf(variableOf(Seq(argument)), mode).reverse.lift(offset.getOrElse(0))
    case Navigation(function, _, argument, offset) =>
      val base = argument match {
        case inner: Navigation => target(inner)
        case other => rowsOf(variableOf(Seq(other)), "RUNNING").lastOption
      }
      val distance = offset.getOrElse(1)
      val row = base.map(row => if (function == "PREV") row - distance else row + distance)
      if (open && row.exists(_ >= partition.size)) throw RowMissing
      row.filter(row => row >= 0 && row < partition.size)
  }

  /** `at` is the row to read inside a navigation or an aggregate. */
  private def evaluate(e: FuzzExpression, at: Option[Int]): Any = e match {
    case Constant(value) => value
    case KeyConstant(key, units) => key.distance(units)
    case MatchNumber => if (matchNumber == 0) null else matchNumber
    case Star(_) => 1L
    case Column(variable, name) =>
      at.orElse(rowsOf(variable, "RUNNING").lastOption).map(partition(_)(name)).orNull
    case Classifier(variable) =>
      at.orElse(rowsOf(variable, "RUNNING").lastOption).map(label).orNull
    case RowTime(variable) => rowsOf(variable, "RUNNING").lastOption.map(partition(_).t).orNull
    case navigation: Navigation =>
      val read = navigation.argument match {
        case inner: Navigation => inner.argument
        case other => other
      }
      target(navigation).map(row => evaluate(read, Some(row))).orNull
    case aggregate: Aggregate => overRows(aggregate)
    case Operation(name, arguments) => ScalarOracle.apply(name, arguments, evaluate(_, at))
  }

  private def overRows(aggregate: Aggregate): Any = {
    val seen = rowsOf(variableOf(aggregate.parts), aggregate.mode)
      .filter(row => aggregate.filter.forall(evaluate(_, Some(row)) == true))
      .map(row => aggregate.arguments.map(evaluate(_, Some(row))))
    val taken = if (aggregate.distinct) seen.distinctBy(_.map(ScalarOracle.key)) else seen
    val values = taken.map(_.head).filter(_ != null)
    def ifAny(result: => Any): Any = if (values.isEmpty) null else result
    aggregate.function match {
      case "COUNT" => taken.count(!_.contains(null)).toLong
      case "COUNT_IF" => values.count(_ == true).toLong
      case "SUM" => ifAny(values.reduce(ScalarOracle.arithmetic("+", _, _)))
      case "AVG" => ifAny(values.map(ScalarOracle.toDouble).sum / values.size)
      case "MIN" => ifAny(values.reduce((a, b) => if (ScalarOracle.compare(b, a) < 0) b else a))
      case "MAX" => ifAny(values.reduce((a, b) => if (ScalarOracle.compare(b, a) > 0) b else a))
      case "BOOL_AND" => ifAny(values.forall(_ == true))
      case "BOOL_OR" => ifAny(values.contains(true))
      case "COLLECT_LIST" | "ARRAY_AGG" => values.toVector
      case "COLLECT_SET" => values.distinctBy(ScalarOracle.key).toVector
      case "LISTAGG" => ifAny(values.mkString("+"))
      case "FIRST_VALUE" => taken.headOption.map(_.head).orNull
      case "LAST_VALUE" => taken.lastOption.map(_.head).orNull
      case "MEDIAN" =>
        ifAny {
          val sorted = values.map(ScalarOracle.toDouble).sorted
          val (low, high) = (sorted((sorted.size - 1) / 2), sorted(sorted.size / 2))
          // The difference of an infinite and a finite one is infinite, as is half of it.
          if (ScalarOracle.compare(low, high) == 0) low else low + (high - low) / 2
        }
      case "MAX_BY" | "MIN_BY" =>
        // The second argument is never NULL here; any of the rows with an equal one is right.
        val ordered = taken.sortWith((a, b) => ScalarOracle.compare(a(1), b(1)) < 0)
        val row = if (aggregate.function == "MAX_BY") ordered.lastOption else ordered.headOption
        row.map(_.head).orNull
    }
  }
}

/** Scalar functions and operators with their three-valued logic. */
object ScalarOracle {
  def apply(
      name: String,
      arguments: Seq[FuzzExpression],
      evaluate: FuzzExpression => Any
  ): Any = {
    lazy val values = arguments.map(evaluate)
    def strict(result: => Any): Any = if (values.contains(null)) null else result
    name match {
      // Spark does not evaluate operands that cannot change the result.
      case "AND" =>
        val left = evaluate(arguments.head)
        if (left == false) false else and(left, evaluate(arguments(1)))
      case "OR" =>
        val left = evaluate(arguments.head)
        if (left == true) true else not(and(not(left), not(evaluate(arguments(1)))))
      case "NOT" => not(values.head)
      case "IS NULL" => values.head == null
      case "IS NOT NULL" => values.head != null
      case "COALESCE" => arguments.iterator.map(evaluate).find(_ != null).orNull
      case "NULLIF" => if (test("=", values(0), values(1)) == true) null else values(0)
      case "CASE" => evaluate(arguments(if (evaluate(arguments.head) == true) 1 else 2))
      case "BETWEEN" => and(test(">=", values(0), values(1)), test("<=", values(0), values(2)))
      case "IN" =>
        values.tail.map(test("=", values.head, _)).reduce((a, b) => not(and(not(a), not(b))))
      case "<=>" =>
        if (values.contains(null)) values.forall(_ == null) else test("=", values(0), values(1))
      case "=" | "<>" | "<" | "<=" | ">" | ">=" => test(name, values(0), values(1))
      case "||" => strict(values.mkString)
      case "EXISTS ABOVE" =>
        values.head.asInstanceOf[Vector[Any]].exists(compare(_, values(1)) > 0)
      case "DECIMAL" => values.head
      case "SORT_ARRAY" => values.head.asInstanceOf[Vector[Any]].sortWith(compare(_, _) < 0)
      case "SECONDS LATER" =>
        strict(arithmetic("+", values(0), arithmetic("*", values(1), 1000000L)))
      case "SECONDS EARLIER" =>
        strict(arithmetic("-", values(0), arithmetic("*", values(1), 1000000L)))
      case "SECONDS" => arithmetic("*", values(0), 1000000L)
      case "DATEDIFF" => strict(arithmetic("-", values(0), values(1)))
      case "DOUBLE" => strict(toDouble(values.head))
      case "HALF" => strict(toDouble(values.head) / 2)
      case "FLOAT" =>
        strict(values.head match {
          case number: Long => number.toFloat
          case number => toDouble(number).toFloat
        })
      // Of a time in UTC.
      case "DATE" =>
        strict(Math.floorDiv(values.head.asInstanceOf[Long], 86400L * 1000000))
      case "NEGATE" =>
        strict(values.head match {
          case number: Long => -number
          case number: Float => -number
          case number => -toDouble(number)
        })
      case "SIZE" => values.head.asInstanceOf[Seq[_]].size.toLong
      case "/" =>
        strict {
          if (toDouble(values(1)) == 0) throw Failure("division")
          toDouble(values(0)) / toDouble(values(1))
        }
      case "ABS" =>
        strict(if (compare(values.head, 0L) < 0) arithmetic("-", 0L, values.head) else values.head)
      case "+" | "-" | "*" | "%" => strict(arithmetic(name, values(0), values(1)))
    }
  }

  def toDouble(value: Any): Double = value match {
    case number: Long => number.toDouble
    case number: Float => number.toDouble
    case number: Double => number
    case other => throw new IllegalStateException(s"no number: $other")
  }

  def arithmetic(name: String, a: Any, b: Any): Any = (a, b) match {
    case (x: Long, y: Long) =>
      name match {
        case "+" => x + y
        case "-" => x - y
        case "*" => x * y
        case "%" => x % y
      }
    case (x: Float, y: Float) =>
      name match {
        case "+" => x + y
        case "-" => x - y
        case "*" => x * y
      }
    case _ =>
      val (x, y) = (toDouble(a), toDouble(b))
      name match {
        case "+" => x + y
        case "-" => x - y
        case "*" => x * y
        case "%" => x % y
      }
  }

  /** Equal for values that DISTINCT and GROUP BY treat as equal. */
  def key(value: Any): Any = value match {
    case number: Double if number.isNaN => "NaN"
    case other => other
  }

  def compare(a: Any, b: Any): Int = (a, b) match {
    case (x: String, y: String) => x.compareTo(y)
    case (x: Long, y: Long) => x.compareTo(y)
    case (x: Boolean, y: Boolean) => x.compareTo(y)
    case _ =>
      // NaN equals itself and is greater than all other numbers; -0.0 equals 0.0.
      java.lang.Double.compare(toDouble(a) + 0.0, toDouble(b) + 0.0)
  }

  private def test(name: String, a: Any, b: Any): Any =
    if (a == null || b == null) null
    else {
      val order = compare(a, b)
      name match {
        case "=" => order == 0
        case "<>" => order != 0
        case "<" => order < 0
        case "<=" => order <= 0
        case ">" => order > 0
        case ">=" => order >= 0
      }
    }

  private def and(a: Any, b: Any): Any =
    if (a == false || b == false) false else if (a == null || b == null) null else true

  private def not(a: Any): Any = a match {
    case boolean: Boolean => !boolean
    case _ => null
  }
}
