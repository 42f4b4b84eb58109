package io.matchrecognize.expressions

import scala.collection.mutable
import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tagobjects.Slow

import io.matchrecognize.Sampled

/** What `OrderedFunctions` and `Casts` say of the order of results, for all types they take. */
class OrderFactsSuite extends AnyFunSuite with ExpressionExamples {

  private def isFinite(value: Any): Boolean = value match {
    case d: Double => !d.isNaN && !d.isInfinite
    case f: Float => !f.isNaN && !f.isInfinite
    case _ => true
  }

  private def isSmall(value: Any): Boolean = value match {
    case n: java.lang.Number => math.abs(n.doubleValue) <= 2
    case d: Decimal => math.abs(d.toDouble) <= 2
    case _ => false
  }

  /** The values that columns have. */
  private final class Pools {
    private val found = mutable.Map.empty[DataType, IndexedSeq[Any]]
    def apply(dataType: DataType): IndexedSeq[Any] =
      found.getOrElseUpdate(dataType, values(dataType))
  }

  /** Those that say something: operands are finite, and casts are between types with an order. */
  private def ordered: Seq[Expression] = examples(OrderedFunctions.classes.contains).filter { e =>
    e.dataType != NullType && RowOrdering.isOrderable(e.dataType) && e.children.forall {
      case Literal(value, _) => isFinite(value)
      case _ => true
    }
  }

  /** The columns that an expression rises or falls with. */
  private def courses(e: Expression): Seq[(BoundReference, Course)] =
    e.children.zip(OrderedFunctions.of(e)).collect {
      case (column: BoundReference, course) if course != Course.Unknown => column -> course
    }

  /** The results for rising values of a column, the others fixed; None without a result. */
  private def results(
      e: Expression,
      column: BoundReference,
      pools: Pools
  ): Seq[Option[Any]] = {
    val columns = columnsOf(e)
    val row = new GenericInternalRow(columns.last.ordinal + 1)
    columns.foreach { c =>
      val finite = pools(c.dataType).filter(isFinite)
      // Small divisors make large quotients.
      val small = if (random.nextBoolean()) finite.filter(isSmall) else Nil
      val some = if (small.isEmpty) finite else small.toIndexedSeq
      row.update(c.ordinal, some(random.nextInt(some.length)))
    }
    pools(column.dataType).map { v =>
      row.update(column.ordinal, v)
      Try(e.eval(row)).toOption.filter {
        case null => false
        case d: Double => !d.isNaN
        case f: Float => !f.isNaN
        case _ => true
      }
    }
  }

  private def keeps(e: Expression, course: Course, found: Seq[Option[Any]]): Boolean = {
    val inside = found.dropWhile(_.isEmpty).reverse.dropWhile(_.isEmpty).reverse
    val order = TypeUtils.getInterpretedOrdering(e.dataType).asInstanceOf[Ordering[Any]]
    def isRising(of: Seq[Any]) = of.zip(of.drop(1)).forall { case (a, b) => order.lteq(a, b) }
    inside.forall(_.isDefined) && {
      val values = inside.flatten
      course match {
        case Course.Rises => isRising(values)
        case Course.Falls => isRising(values.reverse)
        case _ => isRising(values) || isRising(values.reverse)
      }
    }
  }

  private val settings = Seq(true -> zones.head, false -> zones.head) ++
    Sampled.oneIn(4, zones.tail).map(true -> _)

  test("what rises or falls does so") {
    val proven = settings.flatMap { case (ansi, zone) =>
      withSettings(ansi, zone) {
        val pools = new Pools
        for {
          all <- ordered.filter(courses(_).nonEmpty).groupBy(_.getClass).values.toSeq
          e <- Sampled.oneIn(3, all) if zone == zones.head || readsZone(e)
          (column, course) <- courses(e)
        } yield {
          (0 until 1 + effort).foreach { _ =>
            val found = results(e, column, pools)
            // A clue of `assert` would be made each time.
            if (!keeps(e, course, found)) fail(s"$course with $column: $e, ANSI mode $ansi, $zone")
          }
          e.getClass
        }
      }
    }
    assert(OrderedFunctions.classes -- proven == Set.empty)
  }

  private def after(outer: Course, inner: Course): Course = (outer, inner) match {
    case (Course.Either, _) | (_, Course.Either) => Course.Either
    case (a, b) => if (a == b) Course.Rises else Course.Falls
  }

  test("so does a function of a function", Slow) {
    var checked = 0
    // A try_ function, or a view of another session, has another mode than what is around it.
    for (ansi <- Seq(true, false); ansiInside <- Seq(true, false))
      withSettings(ansi, "Europe/Berlin") {
        val pools = new Pools
        // Where modes differ, they matter to integers only.
        val byClass = ordered
          .filter(e => ansi == ansiInside || OrderedFunctions.isInteger(e.dataType))
          .flatMap(e => e.children.collect { case column: BoundReference => (e, column) })
          .groupBy(_._1.getClass)
          .values
          .map(_.toIndexedSeq)
          .toIndexedSeq
        val inner = withSettings(ansiInside, "Europe/Berlin") {
          for {
            e <- ordered
            (column, course) <- courses(e)
          } yield (e, column, course)
        }.groupBy(_._1.dataType).map { case (t, of) => t -> of.toIndexedSeq }
        (0 until 300 * effort).foreach { _ =>
          val some = byClass(random.nextInt(byClass.length))
          val (e, column) = some(random.nextInt(some.length))
          inner.get(column.dataType).foreach { choices =>
            val (f, argument, within) = choices(random.nextInt(choices.length))
            val moved = columnsOf(e).last.ordinal + 1
            val of = f.transform { case r: BoundReference =>
              r.copy(ordinal = r.ordinal + moved)
            }
            val both = e.transformUp { case r: BoundReference if r == column => of }
            val read = argument.copy(ordinal = argument.ordinal + moved)
            val course = both.children.zip(OrderedFunctions.of(both)).collectFirst {
              case (child, course) if child == of => course
            }
            val found = results(both, read, pools)
            course.filter(_ != Course.Unknown).foreach { outer =>
              checked += 1
              if (!keeps(both, after(outer, within), found))
                fail(s"$both with $read, ANSI mode $ansi, inside $ansiInside")
            }
          }
        }
      }
    assert(checked > 200)
  }

  test("what is not taken would be wrong, or is unknown") {
    def isTaken(e: Expression) = OrderedFunctions.of(e).exists(_ != Course.Unknown)
    val (x, y) = (ref(0, DateType), ref(1, DateType))
    assert(!isTaken(DateDiff(x, y)) && isTaken(OrderedFunctions.exact(DateDiff(x, y))))
    val wide = (ref(0, DecimalType(18, 0)), ref(1, DecimalType(18, 9)))
    withSettings(ansi = true) {
      assert(!isTaken(new IntegralDivide(wide._1, wide._2)))
      assert(isTaken(new IntegralDivide(ref(0, DecimalType(9, 0)), wide._2)))
      assert(!isTaken(Cast(ref(0, DecimalType(10, 0)), IntegerType)))
    }
    withSettings(ansi = false) {
      assert(!isTaken(new Add(ref(0, LongType), ref(1, LongType))))
      assert(!isTaken(new UnaryMinus(ref(0, LongType))))
    }
    withSettings(ansi = true, "Europe/Berlin") {
      assert(!isTaken(Cast(ref(0, TimestampType), TimestampNTZType, Some("Europe/Berlin"))))
    }
  }
}
