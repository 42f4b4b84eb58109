package io.matchrecognize.execution.truth

import scala.util.{Random, Try}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DoubleType, LongType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.tagobjects.Slow

import io.matchrecognize.QuerySuite
import io.matchrecognize.execution.condition.OrderGuard
import io.matchrecognize.execution.pointer.{PointerField, PointerRow, PointerSource}
import io.matchrecognize.execution.rows.MadeRows

/** Sums whose order holds only while no sum can overflow. */
class GuardedOrderSuite extends QuerySuite {
  import GuardedOrderSuite._

  /** Rows of one BIGINT column. */
  private final class Longs(var values: Array[Long]) extends MadeRows {
    var read = 0
    override def length: Long = values.length.toLong
    override def fixed(column: Int, row: Long): Long = {
      read += 1
      values(row.toInt)
    }
  }

  private object NoSource extends PointerSource {
    override def keys: UnsafeRow = null
    override def matchNumber: Long = 0
    override def label(row: Long): UTF8String = null
    override def aggregate(index: Int): Any = null
    override def register(number: Int, isFinal: Boolean): Long = -1L
  }

  private val x = BoundReference(0, LongType, nullable = true)

  private def guarded(store: Longs, value: Expression): GuardedOrder = {
    val fields = Array[PointerField](PointerField.Fixed(0, 0, LongType))
    new GuardedOrder(OrderGuard(value, 1000), new PointerRow(fields, 1, store, NoSource), store)
  }

  test("rows are read once, when the order is needed first, and no further than to the answer") {
    val store = new Longs(Array.fill(900)(-1L))
    val order = guarded(store, Cast(x, DoubleType))
    assert(!order.holds(isNeeded = false) && store.read == 0)
    assert(order.holds(isNeeded = true) && store.read == 900)
    assert(order.holds(isNeeded = true) && order.holds(isNeeded = false) && store.read == 900)
    assert(store.checks == 3)
    store.values = Array.fill(900)(500L)
    store.read = 0
    order.reset()
    assert(!order.holds(isNeeded = false) && !order.holds(isNeeded = true) && store.read == 2)
    assert(!order.holds(isNeeded = true) && store.read == 2)
  }

  test("no order with NaN, infinity, a total that is too large, or a value that fails") {
    def holds(value: Expression, values: Long*): Boolean =
      guarded(new Longs(values.toArray), value).holds(isNeeded = true)
    val d = Cast(x, DoubleType)
    assert(holds(d) && holds(d, 999) && holds(d, -500, 499))
    assert(!holds(d, 1000) && !holds(d, -500, 500) && !holds(d, Long.MinValue))
    assert(holds(If(LessThan(x, Literal(5L)), d, Literal(null, DoubleType)), 1, 5000, 2))
    withConf("spark.sql.ansi.enabled" -> "true") {
      assert(!holds(new Divide(d, Literal(0.0)), 1))
    }
    Seq(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity).foreach { value =>
      assert(!holds(If(LessThan(x, Literal(5L)), d, Literal(value)), 1, 5, 2))
    }
  }

  private val longs = Seq(Long.MaxValue, Long.MinValue, Long.MaxValue - 2, 1L << 62, -(1L << 62))
  private val doubles = Seq(1e308, -1e308, 1.7e308, -1.7e308, 1e308, -1e308, 1e292) ++
    Seq(Double.NaN, Double.PositiveInfinity, Double.PositiveInfinity, Double.NegativeInfinity)

  private def samples(count: Int, isDouble: Boolean, random: Random): Seq[Sample] =
    Seq.fill(count) {
      val rows = 6 + random.nextInt(3)
      // None in a third of the partitions.
      val extremes = random.nextInt(3)
      val least = -random.nextInt(5)
      def extreme: Any =
        if (isDouble) doubles(random.nextInt(doubles.length))
        else longs(random.nextInt(longs.length))
      def value(likely: Int): Any = random.nextInt(rows * 2) match {
        case 0 => null
        case n if n <= likely => extreme
        case n => if (isDouble) (n % 5 + least).toDouble else (n % 5 + least).toLong
      }
      Sample(
        Seq.fill(rows)(value(extremes * (if (isDouble) rows * 2 / 3 else 2))),
        Seq.fill(rows)(value(rows)),
        2 + random.nextInt(rows - 1),
        rows - 1 - random.nextInt(3)
      )
    }

  private def load(samples: Seq[Sample], sqlType: String): Unit = {
    val rows =
      for ((s, p) <- samples.zipWithIndex; i <- s.values.indices)
        yield (
          p,
          i,
          Option(s.values(i)).map(_.toString),
          Option(s.bounds(i)).map(_.toString),
          s.bs,
          s.c
        )
    spark
      .createDataFrame(rows)
      .toDF("p", "i", "v", "w", "bs", "c")
      .selectExpr("p", "i", s"CAST(v AS $sqlType) AS x", s"CAST(w AS $sqlType) AS y", "bs", "c")
      .createOrReplaceTempView("samples")
  }

  /** The labels of the match in each partition. */
  private def found(sum: String, op: String): Map[Int, String] = rows(
    s"""SELECT p, array_join(transform(sort_array(collect_list(struct(i, l))), r -> r.l), '')
       |FROM samples MATCH_RECOGNIZE (PARTITION BY p ORDER BY i MEASURES CLASSIFIER() AS l
       |  ALL ROWS PER MATCH PATTERN (^ (B | A)+ C)
       |  DEFINE B AS i < bs, C AS $sum(A.x) $op y AND i >= c) GROUP BY p""".stripMargin
  ).map(r => r.getInt(0) -> r.getString(1)).toMap

  /** A sum, None for NULL. */
  private type Sum = Option[Any]

  /** The labels of the preferred match, or that a condition failed before it. */
  private def expected(
      s: Sample,
      add: (Sum, Any) => Sum,
      holds: (Any, Any) => Boolean
  ): Option[String] = {
    def search(row: Int, labels: String, sum: Sum): Option[String] =
      if (row == s.values.length) None
      else {
        def asB = if (row < s.bs) search(row + 1, labels + "B", sum) else None
        def asA = search(
          row + 1,
          labels + "A",
          if (s.values(row) == null) sum else add(sum, s.values(row))
        )
        def asC = Option.when(labels.nonEmpty && {
          sum.foreach { case e: ArithmeticException => throw e; case _ => }
          sum.isDefined && s.bounds(row) != null && holds(sum.get, s.bounds(row)) && row >= s.c
        })(labels + "C")
        asB.orElse(asA).orElse(asC)
      }
    search(0, "", None)
  }

  private val ops: Seq[(String, Int => Boolean)] =
    Seq("<=" -> (_ <= 0), "<" -> (_ < 0), ">" -> (_ > 0), ">=" -> (_ >= 0))

  private def ofLongs(isHeld: Int => Boolean)(a: Any, b: Any): Boolean =
    isHeld(a.asInstanceOf[Long].compare(b.asInstanceOf[Long]))

  private def addLongs(overflown: Long => Any)(a: Sum, b: Any): Sum = (a, b) match {
    case (None, y) => Some(y)
    case (Some(sum: Long), y: Long) =>
      Some(Try[Any](Math.addExact(sum, y)).getOrElse(overflown(sum + y)))
    case (failed, _) => failed
  }

  /** Compares all partitions for operators of one or two characters. */
  private def compare(
      samples: Seq[Sample],
      sum: String,
      width: Int,
      add: (Sum, Any) => Sum,
      holds: (Int => Boolean) => (Any, Any) => Boolean
  ): Unit = ops.filter(_._1.length == width).foreach { case (op, isHeld) =>
    val matched = found(sum, op)
    samples.zipWithIndex.foreach { case (sample, p) =>
      val wanted = expected(sample, add, holds(isHeld))
      assert(matched.get(p) == wanted, s"$sum $op $sample")
    }
    assert(matched.size > samples.length / 4)
  }

  test("BIGINT without ANSI mode wraps around") {
    val some = samples(1000, isDouble = false, new Random(3))
    load(some, "BIGINT")
    withConf("spark.sql.ansi.enabled" -> "false") {
      compare(some, "SUM", 1, addLongs(wrapped => wrapped), ofLongs)
    }
  }

  test("try_sum of BIGINT is NULL once it has overflowed") {
    object Lost
    val some = samples(1000, isDouble = false, new Random(5))
    load(some, "BIGINT")
    def unlessLost(isHeld: Int => Boolean)(a: Any, b: Any) = a != Lost && ofLongs(isHeld)(a, b)
    compare(some, "try_sum", 2, addLongs(_ => Lost), unlessLost)
  }

  test("DOUBLE, with and against infinite values and NaN") {
    val some = samples(1000, isDouble = true, new Random(6))
    load(some, "DOUBLE")
    def add(a: Sum, b: Any): Sum =
      Some(a.fold(0.0)(_.asInstanceOf[Double]) + b.asInstanceOf[Double])
    def holds(isHeld: Int => Boolean)(a: Any, b: Any) =
      isHeld(java.lang.Double.compare(a.asInstanceOf[Double] + 0.0, b.asInstanceOf[Double] + 0.0))
    Seq("true" -> 1, "false" -> 2).foreach { case (ansi, width) =>
      withConf("spark.sql.ansi.enabled" -> ansi)(compare(some, "SUM", width, add, holds))
    }
  }

  test("BIGINT in ANSI mode: no overflow is lost, and none is made up", Slow) {
    val failing = (sum: Long) => new ArithmeticException(sum.toString)
    val random = new Random(4)
    val some = samples(400, isDouble = false, random)
    ops.filter(_._1.length == 1).foreach { case (op, isHeld) =>
      val outcomes = some.map(s => s -> Try(expected(s, addLongs(failing), ofLongs(isHeld))))
      val (sound, overflown) = outcomes.partition(_._2.isSuccess)
      load(sound.map(_._1), "BIGINT")
      val matched = found("SUM", op)
      sound.zipWithIndex.foreach { case ((sample, wanted), p) =>
        assert(matched.get(p) == wanted.get, s"$op $sample")
      }
      assert(matched.size > 50 && overflown.length > 5)
      random.shuffle(overflown).take(8).foreach { case (sample, _) =>
        load(Seq(sample), "BIGINT")
        val error = intercept[SparkThrowable](found("SUM", op))
        assert(error.getCondition.startsWith("ARITHMETIC_OVERFLOW"), s"$op $sample")
      }
    }
  }
}

private object GuardedOrderSuite {

  /** One partition: values, bounds, before which row B is TRUE, and from which row on C may be. */
  final case class Sample(values: Seq[Any], bounds: Seq[Any], bs: Int, c: Int)
}
