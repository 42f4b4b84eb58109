package io.matchrecognize.expressions

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeProjection
import org.apache.spark.sql.execution.ScalarSubquery
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled

/**
 * What `Fallible` and `Casts` say of expressions, checked on extreme and random values of all types
 * that they take. A class on the list needs examples, and one of them that the list takes.
 */
class ExpressionFactsSuite extends AnyFunSuite with ExpressionExamples {

  // Their values are those of columns, of registers, and of a query that has run before.
  private val others =
    Set[Class[_]](classOf[AttributeReference], classOf[Navigation], classOf[ScalarSubquery])
  private val listed = Fallible.infallible.keySet -- others

  private val settings = zones.map(true -> _) :+ (false -> zones.head)

  /** Those that are said not to fail. */
  private def infallible(ansi: Boolean, zone: String): Seq[Expression] =
    withSettings(ansi, zone) {
      examples(listed.contains).filter(e => !Fallible(e) && (zone == zones.head || readsZone(e)))
    }

  private def rowsOf(columns: Seq[BoundReference], count: Int): Seq[InternalRow] = {
    val pools = columns.map(c => values(c.dataType))
    val first = pools.headOption.toSeq.flatten.map { v =>
      InternalRow(v +: pools.drop(1).map(pick): _*)
    }
    random.shuffle(first).take(count) ++ Seq.fill(count / 2)(InternalRow(pools.map(pick): _*))
  }

  // Interpreted, Spark's InSet takes NaN for FALSE where the set has NULL.
  private def hasOneTruth(e: Expression): Boolean =
    e.dataType == BooleanType && !e.exists(_.isInstanceOf[InSet])

  /** Evaluates expressions over the same columns, interpreted and in generated code. */
  private def evaluate(expressions: Seq[Expression], rows: Seq[InternalRow]): Unit = {
    expressions.foreach { e =>
      rows.foreach { row =>
        val found = Try(e.eval(row))
        // A clue of `assert` would be made each time.
        if (found.isFailure) fail(s"$e of $row: $found")
      }
    }
    expressions.grouped(40).foreach { some =>
      val code = GenerateUnsafeProjection.generate(some)
      rows.foreach { row =>
        val found = Try(code(row))
        if (found.isFailure) fail(s"one of ${some.mkString("; ")} of $row: $found")
        some.zipWithIndex.filter(s => hasOneTruth(s._1)).foreach { case (e, i) =>
          val truth = if (found.get.isNullAt(i)) null else found.get.getBoolean(i)
          if (truth != e.eval(row)) fail(s"$e of $row: $truth")
        }
      }
    }
  }

  test("every class on the list has examples") {
    assert(
      (Fallible.infallible.keySet ++ OrderedFunctions.classes) -- others -- classesOfExamples
        == Set.empty
    )
  }

  test("what cannot fail does not fail") {
    val proven = settings.flatMap { case (ansi, zone) =>
      val found = infallible(ansi, zone)
      withSettings(ansi, zone) {
        val byTypes = found.groupBy(columnsOf(_).map(_.dataType)).values.toSeq
        Sampled.oneIn(6, byTypes).foreach { some =>
          evaluate(some, rowsOf(columnsOf(some.head), 25 + 15 * effort))
        }
      }
      found.map(_.getClass)
    }
    assert(listed -- proven == Set.empty)
  }

  test("nor does it in other expressions that cannot fail") {
    Seq(true, false).foreach { ansi =>
      val outer = infallible(ansi, zones.head).filter(columnsOf(_).nonEmpty)
      val inner = outer.groupBy(_.dataType).map { case (t, some) => t -> some.toIndexedSeq }
      val byClass = outer.groupBy(_.getClass).values.map(_.toIndexedSeq).toIndexedSeq
      withSettings(ansi) {
        (0 until Sampled.size(6, 3) * effort).foreach { _ =>
          val trees = Seq.fill(20) {
            val some = byClass(random.nextInt(byClass.length))
            composed(composed(some(random.nextInt(some.length)), inner), inner)
          }
          trees.foreach(tree => if (Fallible(tree)) fail(s"$tree"))
          // Each over columns of its own.
          val widths = trees.map(columnsOf(_).lastOption.fold(0)(_.ordinal + 1))
          val starts = widths.scanLeft(0)(_ + _)
          val apart = trees.zip(starts).map { case (tree, start) =>
            tree.transform { case r: BoundReference => r.copy(ordinal = r.ordinal + start) }
          }
          val columns = apart.flatMap(columnsOf)
          val pools = columns.map(_.dataType).distinct.map(t => t -> values(t)).toMap
          val rows = Seq.fill(20) {
            val row = new GenericInternalRow(starts.last)
            columns.foreach(c => row.update(c.ordinal, pick(pools(c.dataType))))
            row
          }
          evaluate(apart, rows)
        }
      }
    }
  }

  test("what is not taken would be wrong, or is unknown") {
    val (x, y) = (ref(0, DateType), ref(1, DateType))
    withSettings(ansi = true) {
      assert(Fallible(Cast(ref(0, DecimalType(10, 0)), IntegerType)))
      assert(Fallible(Cast(x, TimestampType)) && Fallible(Cast(x, TimestampNTZType)))
      assert(Fallible(Cast(ref(0, DoubleType), FloatType)))
      assert(Fallible(SubtractDates(x, y)))
      // A child that fails does not make its parent fail.
      val child = new Add(ref(0, LongType), ref(1, LongType))
      assert(EvalModes.isAnsi(child))
      val cast = Cast(ref(0, IntegerType), LongType)
      Seq(child, cast).foreach { inner =>
        assert(withSettings(ansi = false)(!EvalModes.isAnsi(new Subtract(inner, inner))))
      }
    }
  }
}
