package io.matchrecognize.execution.condition

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.types.DoubleType
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.execution.pointer.{
  PointerBindings,
  PointerLayout,
  SharedExpressions,
  SymbolSets
}
import io.matchrecognize.execution.rows.StoreSchema
import io.matchrecognize.expressions.{ExtremeValues, PatternAggregate}

/** Which aggregates of a clause are one, checked on random sums. */
class FoldFactsSuite extends AnyFunSuite with ExtremeValues {

  test("aggregates that are one fold have equal results") {
    val columns = Seq.fill(3)(AttributeReference("c", DoubleType)())
    val schema = StoreSchema.of(columns.indices, columns.map(_.dataType), _ => true)
    val layout = new PointerLayout(columns, Map.empty, schema, new SharedExpressions)
    val bindings = new PointerBindings(layout, new SymbolSets(IndexedSeq("A"), Nil))
    def sum(depth: Int): Expression =
      if (depth == 0) columns(random.nextInt(columns.length))
      else {
        val parts = Seq.fill(2)(sum(depth - 1 - random.nextInt(depth)))
        if (random.nextInt(3) == 0) new Multiply(parts.head, parts.last)
        else new Add(parts.head, parts.last)
      }
    val folds = mutable.Map.empty[Int, Expression]
    var shared = 0
    (0 until 400 * effort).foreach { _ =>
      val argument = sum(3)
      val number =
        bindings.aggregate(PatternAggregate(new Sum(argument), false, None, None, isFinal = false))
      folds.get(number).foreach { known =>
        shared += 1
        val both = Seq(known, argument).map(BindReferences.bindReference(_, columns))
        (0 until 20).foreach { _ =>
          val row = InternalRow(Seq.fill(3)(random.nextInt(9) / 10.0): _*)
          if (both.map(_.eval(row)).distinct.size > 1) fail(s"$known and $argument of $row")
        }
      }
      folds.getOrElseUpdate(number, argument)
    }
    assert(shared > 20 && folds.size > 20)
  }
}
