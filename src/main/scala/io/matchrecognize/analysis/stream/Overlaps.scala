package io.matchrecognize.analysis.stream

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import io.matchrecognize.expressions.{Classifier, Navigation, PatternAggregate}
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{RowPattern, RowPatternAnalysis}
import io.matchrecognize.plans.Subset

/**
 * Greedy loops before the end of a pattern that may take a row of what follows them, and with it
 * hold back a match: a longer one is preferred as long as it is possible. A loop whose conditions
 * contradict those of what follows does not.
 *
 * Contradictions are found where two conditions compare equal operands, as `v < PREV(v)` and `v >=
 * PREV(v)`, or one with constants, as `kind = 'a'` and `kind = 'b'`; others count as overlaps. An
 * operand that depends on what the row is taken for, as `LAST(B.v)` of a row that may be B, is not
 * equal to itself: the same text in the condition of another variable reads another row.
 *
 * @param definitions
 *   conditions by variable; one without is TRUE
 */
final class Overlaps(definitions: Map[String, Expression], subsets: Seq[Subset]) {
  import Overlaps._

  /** Loops, and a variable of each and one of what follows that may be both of one row. */
  def of(pattern: RowPattern): Seq[(Quantified, String, String)] =
    loops(pattern, Set.empty).flatMap { case (loop, after) =>
      val rows = firsts(loop.element).toSeq.sorted
      val pairs = rows.flatMap(a => after.toSeq.sorted.filter(_ != a).map(a -> _))
      pairs.find { case (a, b) => !areDisjoint(a, b) }.map { case (a, b) => (loop, a, b) }
    }

  /** All loops that prefer one more row, with the variables that may come after them. */
  private def loops(pattern: RowPattern, after: Set[String]): Seq[(Quantified, Set[String])] =
    pattern match {
      case Concatenation(elements) =>
        elements.zipWithIndex.flatMap { case (element, i) =>
          loops(element, firstsOf(elements.drop(i + 1), after))
        }
      case loop: Quantified =>
        val own = Option.when(prefersMore(loop))(loop -> after)
        own.toSeq ++ loops(loop.element, after ++ firsts(loop.element))
      case other => other.children.flatMap(loops(_, after))
    }

  private def firstsOf(elements: Seq[RowPattern], after: Set[String]): Set[String] =
    elements.headOption.fold(after) { head =>
      val rest = if (RowPatternAnalysis.isNullable(head)) firstsOf(elements.tail, after) else Nil
      firsts(head) ++ rest
    }

  private def firsts(pattern: RowPattern): Set[String] = pattern match {
    case Variable(name) => Set(name)
    case Concatenation(elements) => firstsOf(elements, Set.empty)
    case other => other.children.flatMap(firsts).toSet
  }

  private def areDisjoint(a: String, b: String): Boolean = {
    val both = for {
      x <- comparisons(a)
      y <- comparisons(b)
    } yield {
      val same = (v: Expression, w: Expression) => v.semanticEquals(w) && !tells(v, a, b)
      x.contradicts(y, same) || x.contradicts(y.flipped, same)
    }
    both.contains(true)
  }

  /** Whether a value may depend on which of two variables the row is taken for. */
  private def tells(value: Expression, a: String, b: String): Boolean = {
    def ofOne(variable: Option[String]): Boolean = variable.exists { name =>
      val members = subsets.find(_.name == name).fold(Seq(name))(_.members)
      members.contains(a) != members.contains(b)
    }
    value.exists {
      case Navigation(read, target) =>
        val isBefore =
          !target.fromFirst && target.physicalOffset <= 0 && target.physicalOffset < target.offset
        ofOne(target.variable) || (!isBefore && readsLabel(read))
      case aggregate: PatternAggregate => ofOne(aggregate.variable) || readsLabel(aggregate)
      case _ => false
    }
  }

  private def readsLabel(e: Expression): Boolean = e.exists(_.isInstanceOf[Classifier])

  private def comparisons(name: String): Seq[Comparison] =
    definitions.get(name).toSeq.flatMap(conjuncts).collect {
      case e: EqualTo => Comparison(e, Set(0))
      case e: LessThan => Comparison(e, Set(-1))
      case e: LessThanOrEqual => Comparison(e, Set(-1, 0))
      case e: GreaterThan => Comparison(e, Set(1))
      case e: GreaterThanOrEqual => Comparison(e, Set(0, 1))
      case Not(e: EqualTo) => Comparison(e, Set(-1, 1))
    }

  private def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }
}

object Overlaps {

  /** Whether a loop prefers one more row. */
  def prefersMore(loop: Quantified): Boolean =
    loop.greedy && !loop.upper.contains(loop.lower)

  /**
   * @param signs
   *   of the left operand less the right one
   */
  private final case class Comparison(left: Expression, right: Expression, signs: Set[Int]) {
    def contradicts(that: Comparison, same: (Expression, Expression) => Boolean): Boolean =
      same(left, that.left) && {
        if (same(right, that.right)) signs.intersect(that.signs).isEmpty
        else if (signs == Set(0)) that.excludes(right)
        else if (that.signs == Set(0)) excludes(that.right)
        else isAcross(that) || that.isAcross(this)
      }

    def flipped: Comparison = Comparison(right, left, signs.map(-_))

    /** Whether it is FALSE of a constant. */
    private def excludes(constant: Expression): Boolean =
      order(constant, right).exists(sign => !signs(sign))

    /** Whether it is below a constant that the other one is above. */
    private def isAcross(that: Comparison): Boolean =
      !signs(1) && !that.signs(-1) && order(right, that.right).exists(_ < 0)
  }

  private object Comparison {
    def apply(e: BinaryComparison, signs: Set[Int]): Comparison =
      if (e.left.foldable && !e.right.foldable) Comparison(e.right, e.left, signs.map(-_))
      else Comparison(e.left, e.right, signs)
  }

  /** The sign of the difference of two constants; None if they are none. */
  private def order(a: Expression, b: Expression): Option[Int] = (a, b) match {
    case (Literal(x, kind), Literal(y, other))
        if x != null && y != null && kind == other && RowOrdering.isOrderable(kind) =>
      val ordering = InterpretedOrdering.forSchema(Seq(kind))
      Some(Integer.signum(ordering.compare(InternalRow(x), InternalRow(y))))
    case _ => None
  }
}
