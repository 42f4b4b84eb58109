package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BooleanType, IntegerType}
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.expressions.ConditionShape._

class ConditionShapeSuite extends AnyFunSuite {
  private val a = AttributeReference("a", BooleanType)()
  private val b = AttributeReference("b", BooleanType)()
  private val c = AttributeReference("c", BooleanType)()
  private val x = AttributeReference("x", IntegerType)()
  private val y = AttributeReference("y", IntegerType)()

  test("the operands of AND and of OR, in their order") {
    assert(ConditionShape.of(And(And(a, Or(b, c)), c)) == AllOf(Seq(a, Or(b, c), c)))
    assert(ConditionShape.of(Or(a, Or(And(a, b), c))) == AnyOf(Seq(a, And(a, b), c)))
    assert(ConditionShape.conjuncts(Or(a, b)) == Seq(Or(a, b)))
    assert(ConditionShape.of(Not(And(a, b))) == Opposite(And(a, b)))
    assert(ConditionShape.of(a) == Other)
  }

  test("each comparison holds for the values that its shape admits") {
    val values = Seq(1, 2)
    val comparisons = Seq[(Expression, Expression) => Expression](
      LessThan(_, _),
      LessThanOrEqual(_, _),
      GreaterThan(_, _),
      GreaterThanOrEqual(_, _),
      EqualTo(_, _),
      EqualNullSafe(_, _)
    )
    for (compare <- comparisons; left <- values; right <- values) {
      val e = compare(Literal(left), Literal(right))
      val how = ConditionShape.of(e).asInstanceOf[Compared].comparison
      def holds(how: Comparison, order: Int) =
        if (order < 0) how.below else if (order == 0) how.equal else how.above
      assert(e.eval() == holds(how, left.compare(right)), e)
      assert(e.eval() == holds(how.mirrored, right.compare(left)), e)
      assert(compare(Literal(null, IntegerType), Literal(1)).eval() != null == how.isNullSafe, e)
      assert(how.isEquality == Ordered.unapply(ConditionShape.of(e)).isEmpty, e)
    }
  }

  test("the lower and the upper side of a comparison") {
    Seq(LessThan(x, y) -> false, GreaterThanOrEqual(y, x) -> true).foreach { case (e, orEqual) =>
      assert(Ordered.unapply(ConditionShape.of(e)).contains((x, y, orEqual)))
    }
  }

  test("lists") {
    assert(ConditionShape.of(InSet(x, Set[Any](1))) == Listed(x, Seq(Literal(1))))
    assert(ConditionShape.of(In(x, Seq(y, Literal(1)))) == Listed(x, Seq(y, Literal(1))))
  }
}
