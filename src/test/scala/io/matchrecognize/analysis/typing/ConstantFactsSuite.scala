package io.matchrecognize.analysis.typing

import scala.util.Try

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions.{CurrentDate, Expression, Literal, Now}
import org.apache.spark.sql.types._

import io.matchrecognize.expressions.ExtremeValues
import io.matchrecognize.{QuerySuite, Sampled}

/** What is folded while a query is analysed has that value when the query runs. */
class ConstantFactsSuite extends QuerySuite with ExtremeValues {
  private val arguments: Seq[Expression] = Seq(
    Literal(3),
    Literal("abc"),
    Literal("2024-05-06 07:08:09"),
    Literal(0.5),
    Literal(true),
    Literal(19000, DateType),
    Literal(Decimal("2.5")),
    Literal(1714979289000000L, TimestampType),
    Literal(1714979289000000L, TimestampNTZType),
    Literal(Array[Byte](1, 2))
  ) ++ special.flatMap { t =>
    // Not NULL, for which most functions have no value.
    values(t).headOption.map(Literal(_, t))
  }

  /** Types that few functions take. */
  private def special: Seq[DataType] = allTypes.filter {
    case VariantType | _: YearMonthIntervalType | _: CharType | _: VarcharType => true
    case s: StringType => s != StringType
    case other => other == interval || places.contains(other) || other.sql.startsWith("TIME(")
  }

  /** Calls of all functions of Spark with constants, as far as Spark builds them. */
  private def calls: Seq[(String, Expression)] = for {
    name <- Sampled.oneIn(3, FunctionRegistry.builtin.listFunction().sortBy(_.funcName))
    build <- FunctionRegistry.builtin.lookupFunctionBuilder(name).toSeq
    values <- Seq(Nil) ++ arguments.map(Seq(_)) ++ arguments.map(a => Seq(a, a)) ++
      arguments.take(2).map(a => Seq(arguments(2), a))
    call <- Try(build(values)).toOption
    if Try(call.resolved && call.checkInputDataTypes().isSuccess).getOrElse(false)
  } yield name.funcName -> call

  private def folded(call: Expression): Option[Any] =
    Try(
      Constants
        .fold(call)
        .map(_.value match {
          case bytes: Array[Byte] => bytes.toSeq
          // NaN is not equal to itself, nor is a map.
          case other => s"$other"
        })
    ).toOption.flatten

  test("no function of Spark has another value a moment later") {
    val all = calls
    val before = all.map { case (_, call) => folded(call) }
    Thread.sleep(5)
    val after = all.map { case (_, call) => folded(call) }
    val different =
      all.zip(before.zip(after)).collect { case ((name, _), (a, b)) if a != b => name }
    assert(different.distinct == Nil)
    assert(before.count(_.isDefined) > Sampled.size(200, 60))
  }

  test("the clock is not constant") {
    Seq(Now(), CurrentDate(Some("UTC"))).foreach(e => assert(Constants.fold(e).isEmpty))
  }
}
