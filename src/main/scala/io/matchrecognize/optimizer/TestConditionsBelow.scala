package io.matchrecognize.optimizer

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.{DoubleType, FloatType}

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.expressions._
import io.matchrecognize.plans.{MatchRecognize, RowsPerMatch, Subset}

/**
 * Matches [[MatchRecognize]], and produces the same with a Project below it that tests the
 * conjuncts of DEFINE that read the tested row only: one bit for each variable, in one INT column.
 * Columns that nothing else reads end there, so that they are not shuffled, sorted and held.
 *
 * A row's bit is set iff the conjuncts are TRUE on it, and a variable's condition is TRUE iff they
 * are and its other conjuncts are. Conditions that may fail stay as they are, because the search
 * tests fewer rows than there are, and fails on none of the others.
 *
 * It pays if a column of variable length ends, or more columns than the one that begins. Over a
 * stream all stays: columns determine the contents of the state. So do row pattern windows, whose
 * conditions are tested in a frame.
 */
object TestConditionsBelow extends Rule[LogicalPlan] with PredicateHelper {
  private final val MaxBits = 31

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(MatchRecognizeConf.TestBelow)) plan
    else
      plan.transformUp {
        case OnTable(m, RowsPerMatch.OneRow(_)) => below(m, AttributeSet.empty).getOrElse(m)
        case project @ Project(_, OnTable(m, RowsPerMatch.AllRows(_))) =>
          below(m, project.references)
            .fold[LogicalPlan](project)(m => project.withNewChildren(Seq(m)))
      }

  private object OnTable {
    def unapply(plan: LogicalPlan): Option[(MatchRecognize, RowsPerMatch)] = plan match {
      case m: MatchRecognize if m.stream.isEmpty => Some((m, m.clause.rowsPerMatch))
      case _ => None
    }
  }

  /**
   * The same with conditions tested below, if that pays.
   *
   * @param shown
   *   what is read of the output, beside measures
   */
  private def below(m: MatchRecognize, shown: AttributeSet): Option[MatchRecognize] =
    tested(m).flatMap { case (column, conditions) =>
      val clause = m.clause.copy(conditions = conditions)
      val (kept, dropped) =
        m.child.output.partition(a => clause.references.contains(a) || shown.contains(a))
      val read = dropped.filter(m.references.contains)
      Option.when(read.size > 1 || read.exists(a => !UnsafeRow.isFixedLength(a.dataType))) {
        m.copy(clause, child = Project(kept :+ column, m.child))
      }
    }

  /** The column of bits, and the conditions that read it. */
  private def tested(m: MatchRecognize): Option[(Alias, Seq[Expression])] = {
    val split = m.clause.definitions.map { case (variable, condition) =>
      if (Fallible(condition)) (None, Seq(condition))
      else {
        val (local, others) =
          splitConjunctivePredicates(condition).partition(readsRow(_, variable, m))
        (local.reduceOption(And(_, _)), others)
      }
    }
    val tests = apart(split.flatMap(_._1).map(onRow).distinctBy(form)).take(MaxBits)
    Option.when(tests.nonEmpty) {
      val bits = tests.zipWithIndex
        .map { case (test, bit) => If(test, Literal(1 << bit), Literal(0)) }
        .reduce[Expression](BitwiseOr(_, _))
      val column = Alias(bits, "conditions")()
      val row = Navigation(column.toAttribute, NavigationTarget.LastRow)
      val conditions = split.map { case (local, others) =>
        val read = local.map { condition =>
          val bit = tests.indexWhere(form(_) == form(onRow(condition)))
          if (bit < 0) condition else ConditionBit(row, bit, condition.toString)
        }
        (read ++ others).reduce(And(_, _))
      }
      (column, conditions)
    }
  }

  /**
   * Equal for conditions that are the same but for the spelling of columns. Spark's canonical form
   * would not do: it adds floating-point numbers in any order.
   */
  private[optimizer] def form(condition: Expression): Expression =
    condition.transform { case a: AttributeReference => a.canonicalized }

  /**
   * Without tests in which Spark would take different sums for common subexpressions, which it
   * finds by their canonical forms and evaluates once.
   */
  private[optimizer] def apart(tests: Seq[Expression]): Seq[Expression] = {
    val forms = mutable.Map.empty[Expression, Expression]
    tests.filter { test =>
      val parts = test.collect {
        case e if e.exists(isFloatingArithmetic) => e.canonicalized -> form(e)
      }
      val isApart = parts.distinct.map(_._1).distinct.size == parts.distinct.size &&
        parts.forall { case (canonical, own) => forms.get(canonical).forall(_ == own) }
      if (isApart) forms ++= parts
      isApart
    }
  }

  private def isFloatingArithmetic(e: Expression): Boolean = e match {
    case a: BinaryArithmetic => a.dataType == DoubleType || a.dataType == FloatType
    case _ => false
  }

  /** A condition over the columns of its row. */
  private def onRow(condition: Expression): Expression =
    condition.transform { case Navigation(value, _) => value }

  /** Whether a part of a variable's condition reads columns of the tested row, and nothing else. */
  private def readsRow(part: Expression, variable: String, m: MatchRecognize): Boolean =
    part.deterministic && part.references.nonEmpty && !part.exists {
      case Navigation(_, target) => !Subset.isTestedRow(target, variable, m.clause.subsets)
      case _: PatternAggregate | _: Classifier | _: MatchNumber | _: ConditionBit => true
      case _: SubqueryExpression | _: InCollectedSet => true
      case _ => false
    }
}
