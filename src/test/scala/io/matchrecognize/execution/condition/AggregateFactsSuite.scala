package io.matchrecognize.execution.condition

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tagobjects.Slow

import io.matchrecognize.execution.aggregate.{AggregateState, BoundedSum, PatternAggregator}
import io.matchrecognize.execution.compile.SummaryProgram
import io.matchrecognize.execution.pointer.AggregateProgram
import io.matchrecognize.expressions.ExtremeValues
import io.matchrecognize.matcher.SymbolSet

/** What is said of aggregates, checked on extreme and random values. */
class AggregateFactsSuite extends AnyFunSuite with ExtremeValues {

  /** For each class on the lists one over a column; a class without a line here fails. */
  private val makers: Map[Class[_], Expression => AggregateFunction] =
    Map[Class[_], Expression => AggregateFunction](
      (classOf[Min], Min(_)),
      (classOf[Max], Max(_)),
      (classOf[Count], Count(_: Expression)),
      (classOf[Sum], new Sum(_)),
      (classOf[Average], new Average(_))
    )

  /** Over columns of all types that Spark allows. */
  private def programs(of: Set[Class[_]]): Seq[AggregateProgram] = for {
    found <- of.toSeq.sortBy(_.getName)
    dataType <- allTypes
    columns = Seq(ref(0, dataType)) ++
      // SUM of BIGINT over smaller integers.
      (if (dataType == IntegerType) Seq(Cast(ref(0, dataType), LongType)) else Nil)
    column <- columns
    function = makers(found)(column)
    if function.checkInputDataTypes().isSuccess
  } yield AggregateProgram(function, isDistinct = false, None, SymbolSet(Set(0)), isFinal = false)

  private def typeOf(program: AggregateProgram): DataType =
    program.function.collectFirst { case r: BoundReference => r.dataType }.get

  private final class Run(program: AggregateProgram) {
    private val row = new GenericInternalRow(1)
    private val aggregator = new PatternAggregator(program, row)
    var state: AggregateState = aggregator.newState()

    def add(value: Any): Unit = {
      row.update(0, value)
      state =
        if (SummaryProgram.mayOverflow(program))
          Option(BoundedSum.add(aggregator, state))
            .getOrElse(throw new ArithmeticException("unbounded"))
        else {
          val next = aggregator.copy(state)
          aggregator.update(next)
          next
        }
    }

    def result: Any = aggregator.evaluate(state)
  }

  private lazy val pools = allTypes.map(t => t -> values(t)).toMap

  private def some(program: AggregateProgram, count: Int): Seq[Any] = {
    val pool = pools(typeOf(program))
    Seq.fill(count)(pick(pool))
  }

  test("what has no order of rows has the same result in each", Slow) {
    val proven = for (ansi <- Seq(true, false)) yield withSettings(ansi) {
      programs(SummaryProgram.orderless.keySet).filter(SummaryProgram.foldsInAnyOrder).map {
        program =>
          (0 until 20 * effort).foreach { _ =>
            val added = some(program, 1 + random.nextInt(6))
            val found = (0 until 8).map { _ =>
              Try {
                val run = new Run(program)
                random.shuffle(added).foreach(run.add)
                run.result match {
                  case bytes: Array[Byte] => bytes.toSeq
                  case other => other
                }
              } match {
                case Success(value) => s"$value"
                case Failure(_) => "fails"
              }
            }
            // A clue of `assert` would be made each time.
            if (found.distinct.size != 1) fail(s"${program.function} of $added: $found")
          }
          program.function.getClass
      }
    }
    assert(SummaryProgram.orderless.keySet -- proven.flatten == Set.empty)
  }
}
