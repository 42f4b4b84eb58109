package io.matchrecognize.execution.condition

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tagobjects.Slow

import io.matchrecognize.Sampled
import io.matchrecognize.execution.aggregate.{AggregateState, BoundedSum, PatternAggregator}
import io.matchrecognize.execution.compile.SummaryProgram
import io.matchrecognize.execution.pointer.{AggregateProgram, PointerField}
import io.matchrecognize.expressions.ExtremeValues
import io.matchrecognize.matcher.{FoldOrder, SymbolSet}

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

  test("what keeps its order while a guard holds keeps it against any bound, and never fails") {
    var safe = 0
    for (ansi <- Seq(true, false)) withSettings(ansi) {
      programs(Set[Class[_]](classOf[Sum])).filter(AggregateOrders.guardOf(_).isDefined).foreach {
        program =>
          val guard = AggregateOrders.guardOf(program).get
          val dataType = program.function.dataType
          val order = TypeUtils.getInterpretedOrdering(dataType).asInstanceOf[Ordering[Any]]
          val bounds = values(dataType)
          val row = new GenericInternalRow(1)
          def magnitude(value: Any): Double = {
            row.update(0, value)
            Option(guard.value.eval(row)).fold(0.0)(v => math.abs(v.asInstanceOf[Double]))
          }
          (0 until 200).foreach { _ =>
            val added = some(program, 2 + random.nextInt(8))
            if (added.map(magnitude).sum < guard.below) {
              safe += 1
              val runs = Seq.fill(2)(new Run(program))
              val (own, common) = added.splitAt(added.length / 2)
              own.foreach(value => runs(random.nextInt(2)).add(value))
              val sorted = if (runs.exists(_.result == null)) runs else runs.sortBy(_.result)(order)
              if (!runs.exists(_.result == null)) common.foreach { value =>
                runs.foreach(_.add(value))
                assert(order.lteq(sorted.head.result, sorted.last.result))
                bounds.foreach { bound =>
                  def isBelow(run: Run) = satisfies(run.result, bound, below = true, dataType)
                  assert(isBelow(sorted.head) == isBelow(sorted.last) || isBelow(sorted.head).get)
                }
              }
            }
          }
      }
    }
    assert(safe > 1000)
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

  test("a condition that gives an aggregate an order is TRUE for better results", Slow) {
    val fields = Array[PointerField](PointerField.Aggregate(0, LongType))
    var ordered = 0
    for (ansi <- Seq(true, false)) withSettings(ansi) {
      programs(AggregateOrders.ordered.keySet).foreach { program =>
        val result = ref(0, program.function.dataType)
        fields(0) = PointerField.Aggregate(0, result.dataType)
        val pool = values(result.dataType).filter(_ != null)
        val compare =
          TypeUtils.getInterpretedOrdering(result.dataType).asInstanceOf[Ordering[Any]]
        val casts = result +: allTypes.map(Cast(result, _, Some("Europe/Berlin")))
        // Some types cannot be cast to, or only with a setting.
        def isRead(e: Expression) = Try(e.resolved).getOrElse(false) && e.dataType != NullType &&
          RowOrdering.isOrderable(e.dataType)
        Sampled
          .oneIn(3, casts.filter(isRead))
          .foreach { read =>
            // Of all bounds only an infinite one shows what infinite sums do.
            val isSum = typeOf(program) == DoubleType && read.dataType == DoubleType
            (0 until (if (isSum) 40 else 4) * effort).foreach { _ =>
              val bounds =
                if (read.dataType == DoubleType && random.nextBoolean()) hugeNumbers
                else pools.getOrElse(read.dataType, pool)
              val bound = Literal(pick(bounds), read.dataType)
              val condition = random.nextInt(3) match {
                case 0 => LessThanOrEqual(read, bound)
                case 1 => GreaterThan(read, bound)
                case _ => Not(LessThan(bound, read))
              }
              val found = AggregateOrders
                .of(
                  IndexedSeq(program),
                  Seq(condition),
                  fields,
                  hasAllRows = true
                )
                .head
              if (found.order != FoldOrder.None) {
                ordered += 1
                def isTrue(value: Any) =
                  Try(condition.eval(InternalRow(value))).toOption.contains(true)
                Seq.fill(20)((pick(pool), pick(pool))).foreach { case (a, b) =>
                  if (isFinite(a) && isFinite(b)) {
                    val (small, large) = if (compare.lteq(a, b)) (a, b) else (b, a)
                    val (better, worse) =
                      if (found.order == FoldOrder.SmallerIsBetter) (small, large)
                      else (large, small)
                    if (isTrue(worse) && !isTrue(better))
                      fail(s"$condition of ${program.function}: $worse and $better")
                  }
                }
                val sums = if (typeOf(program) == DoubleType) 100 else 5
                if (found.guard.isEmpty)
                  (0 until sums).foreach(_ => checkSums(program, condition, found.order))
              }
            }
          }
      }
    }
    assert(ordered > Sampled.size(500, 150))
  }

  // Sums of a few of them are infinite or NaN.
  private val hugeNumbers: IndexedSeq[Any] =
    IndexedSeq(1e308, 1.7e308, 1e292, Double.PositiveInfinity).flatMap(v => Seq(v, -v)) ++
      Seq(0.0, Double.NaN)

  /** Adds the same values to two sums: the better one is not the worse one later. */
  private def checkSums(
      program: AggregateProgram,
      condition: Expression,
      order: FoldOrder
  ): Unit = {
    val isFloating = typeOf(program) == DoubleType
    def added(count: Int) =
      if (isFloating) Seq.fill(count)(pick(hugeNumbers)) else some(program, count)
    val runs = Seq.fill(2)(new Run(program))
    val begun = Try(runs.foreach(run => added(1 + random.nextInt(2)).foreach(run.add)))
    if (begun.isSuccess && runs.forall(run => isFinite(run.result))) {
      val compare =
        TypeUtils.getInterpretedOrdering(program.function.dataType).asInstanceOf[Ordering[Any]]
      val sorted = runs.sortBy(_.result)(compare)
      val (better, worse) =
        if (order == FoldOrder.SmallerIsBetter) (sorted.head, sorted.last)
        else (sorted.last, sorted.head)
      added(4).foreach { value =>
        val outcomes = Seq(better, worse).map(run => Try(run.add(value)).isSuccess)
        def isTrue(run: Run) =
          Try(condition.eval(InternalRow(run.result))).toOption.contains(true)
        if (outcomes.distinct.size != 1 || isTrue(worse) && !isTrue(better))
          fail(s"$condition of ${program.function}: ${worse.result} and ${better.result}")
      }
    }
  }

  test("what keeps its order keeps it, and fails alike") {
    val proven = for (ansi <- Seq(true, false)) yield withSettings(ansi) {
      programs(AggregateOrders.ordered.keySet).filter(AggregateOrders.keepsOrder).map { program =>
        val dataType = program.function.dataType
        val order = TypeUtils.getInterpretedOrdering(dataType).asInstanceOf[Ordering[Any]]
        val bounds = pools(dataType).filter(isFinite)
        (0 until 20 * effort).foreach { _ =>
          val runs = Seq.fill(2)(new Run(program))
          runs.foreach(run => some(program, 1 + random.nextInt(3)).foreach(run.add))
          if (runs.forall(run => isFinite(run.result))) {
            val sorted = runs.sortBy(_.result)(order)
            val (small, large) = (sorted.head, sorted.last)
            some(program, 6).foreach { value =>
              val outcomes = Seq(small, large).map(run => Try(run.add(value)).isSuccess)
              if (outcomes.distinct.size != 1) fail(s"${program.function}, $value")
              random.shuffle(bounds).take(12).foreach { bound =>
                def check(better: Run, worse: Run, below: Boolean): Unit = {
                  val is = satisfies(better.result, bound, below, dataType)
                  val other = satisfies(worse.result, bound, below, dataType)
                  if (is != other && !is.contains(true)) fail(s"${program.function}, $bound")
                }
                check(small, large, below = true)
                check(large, small, below = false)
              }
            }
          }
        }
        program.function.getClass
      }
    }
    assert(AggregateOrders.ordered.keySet -- proven.flatten == Set.empty)
  }
}
