package io.matchrecognize.execution.compile

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.execution.aggregate.{AggregateState, BoundedSum, PatternAggregator}
import io.matchrecognize.expressions.ExtremeValues
import io.matchrecognize.matcher.SymbolSet

/** What is said of aggregates, checked on extreme and random values. */
class AggregateFactsSuite extends AnyFunSuite with ExtremeValues {

  private def programs: Seq[AggregateProgram] = {
    val types = numbers ++ times ++ Seq(StringType, BooleanType, BinaryType, interval)
    types.flatMap { t =>
      val x = ref(0, t)
      val sums = if (numbers.contains(t)) Seq(new Sum(x), new Average(x)) else Nil
      Seq[AggregateFunction](Min(x), Max(x), Count(x)) ++ sums
    }
  }.map(AggregateProgram(_, isDistinct = false, None, SymbolSet(Set(0)), isFinal = false))

  private def typeOf(program: AggregateProgram): DataType = program.function.children.head.dataType

  private final class Run(program: AggregateProgram) {
    private val row = new GenericInternalRow(1)
    private val aggregator = new PatternAggregator(program, row)
    var state: AggregateState = aggregator.newState()

    def add(value: Any): Unit = {
      row.update(0, value)
      val next = aggregator.copy(state)
      aggregator.update(next)
      state =
        if (SummaryProgram.mayOverflow(program))
          Option(BoundedSum.of(state, next)).getOrElse(throw new ArithmeticException("unbounded"))
        else next
    }

    def result: Any = aggregator.evaluate(state)
  }

  private def some(program: AggregateProgram, count: Int): Seq[Any] = {
    val pool = values(typeOf(program))
    Seq.fill(count)(pick(pool))
  }

  test("what has no order of rows has the same result in each") {
    val proven = for (ansi <- Seq(true, false)) yield withSettings(ansi) {
      programs.filter(SummaryProgram.isOrderless).map { program =>
        (0 until 40).foreach { _ =>
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
          assert(found.distinct.size == 1, s"${program.function} of $added: $found")
        }
        program.function.getClass.getSimpleName
      }
    }
    assert(proven.flatten.toSet == Set("Sum", "Min", "Max", "Count", "Average"))
  }

  /** Whether a result satisfies `<= bound`, or `>= bound`; None if it is NULL. */
  private def satisfies(value: Any, bound: Any, below: Boolean, dataType: DataType) =
    Option(value).map { v =>
      val c = TypeUtils.getInterpretedOrdering(dataType).compare(v, bound)
      if (below) c <= 0 else c >= 0
    }

  private def isFinite(value: Any): Boolean = value match {
    case null => false
    case d: Double => !d.isNaN && !d.isInfinite
    case f: Float => !f.isNaN && !f.isInfinite
    case _ => true
  }

  test("what keeps its order keeps it, and fails alike") {
    val proven = for (ansi <- Seq(true, false)) yield withSettings(ansi) {
      programs.filter(AggregateOrders.keepsOrder).map { program =>
        val dataType = program.function.dataType
        val order = TypeUtils.getInterpretedOrdering(dataType).asInstanceOf[Ordering[Any]]
        val bounds = values(dataType).filter(isFinite)
        (0 until 60).foreach { _ =>
          val runs = Seq.fill(2)(new Run(program))
          runs.foreach(run => some(program, 1 + random.nextInt(3)).foreach(run.add))
          if (runs.forall(run => isFinite(run.result))) {
            val sorted = runs.sortBy(_.result)(order)
            val (small, large) = (sorted.head, sorted.last)
            some(program, 6).foreach { value =>
              val outcomes = Seq(small, large).map(run => Try(run.add(value)).isSuccess)
              assert(outcomes.distinct.size == 1, s"${program.function}, $value")
              bounds.foreach { bound =>
                def check(better: Run, worse: Run, below: Boolean): Unit = {
                  val is = satisfies(better.result, bound, below, dataType)
                  val other = satisfies(worse.result, bound, below, dataType)
                  assert(is == other || is.contains(true), s"${program.function}, $bound")
                }
                check(small, large, below = true)
                check(large, small, below = false)
              }
            }
          }
        }
        program.function.getClass.getSimpleName
      }
    }
    assert(proven.flatten.toSet == Set("Sum", "Min", "Max", "Count"))
  }
}
