package io.matchrecognize.optimizer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types.LongType

import io.matchrecognize.expressions._
import io.matchrecognize.plans.{MatchRecognize, MatchRecognizeUnion, PatternClause, Subset}

/**
 * Matches clauses over a stream, and evaluates conditions below their operator that read one row:
 * its state then keeps a bit for each instead of the columns that nothing else in it reads. It runs
 * once for a start, as [[MergeStreams]], so that the state does not depend on the optimizer.
 *
 * These are conjuncts in DEFINE that read the row under test and no other, as `kind = 'login'`, and
 * cannot fail: no row is tested before a search would. They stay where they are if bits would take
 * more columns than they replace. One that compares with NULL stays too: the query warns of it.
 */
private[matchrecognize] object PushConditions {

  /** In `spark.sql.optimizer.excludedRules`. */
  final val name = "io.matchrecognize.optimizer.PushConditions"

  def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case m: MatchRecognize if m.stream.nonEmpty =>
      pushed(Seq(m.clause), AttributeSet(m.output), m.child) { (clauses, child) =>
        m.copy(clause = clauses.head, child = child)
      }.getOrElse(m)
    case union: MatchRecognizeUnion if union.isStreaming =>
      val read = union.branches.flatMap(b => b.filter ++ b.columns).flatMap(_.references)
      pushed(union.branches.map(_.clause), AttributeSet(read), union.child) { (clauses, child) =>
        val branches = union.branches.zip(clauses).map { case (b, c) => b.copy(clause = c) }
        union.copy(branches = branches, child = child)
      }.getOrElse(union)
  }

  /** @param read columns that are read beside the clauses */
  private def pushed[P](clauses: Seq[PatternClause], read: AttributeSet, child: LogicalPlan)(
      make: (Seq[PatternClause], LogicalPlan) => P
  ): Option[P] = {
    val parts = clauses.map(partsOf)
    val (local, others) = parts.flatten.flatten.partitionMap { part =>
      part.onRow.toLeft(part.condition)
    }
    val kept = read ++ AttributeSet.fromAttributeSets(
      (clauses.flatMap(c => c.children.diff(c.conditions)) ++ others).map(_.references)
    )
    // Those of several clauses that are equal have one bit.
    def key(e: Expression) = {
      val bound = BindReferences.bindReference(e, child.output)
      (bound, LiteralTexts(bound))
    }
    val conditions = local.filterNot(_.references.subsetOf(kept)).distinctBy(key(_))
    val words = conditions.grouped(java.lang.Long.SIZE).toSeq.map { group =>
      Alias(StreamColumn(ConditionBits(group), LongType), "conditions")()
    }
    val replaced = AttributeSet(conditions.flatMap(_.references)) -- kept
    Option.when(words.nonEmpty && words.length <= replaced.size) {
      val numbers = conditions.map(key(_)).zipWithIndex.toMap
      def bitOf(e: Expression): Option[Expression] = numbers.get(key(e)).map { number =>
        val word = words(number / java.lang.Long.SIZE).toAttribute
        val text = textOf(conditions(number))
        ConditionBit(Navigation(word, NavigationTarget.LastRow), number, text)
      }
      val rewritten = clauses.zip(parts).map { case (clause, ofClause) =>
        clause.copy(conditions = ofClause.map { ofCondition =>
          ofCondition.map(part => part.onRow.flatMap(bitOf).getOrElse(part.condition)).reduce(And)
        })
      }
      make(rewritten, Project(child.output ++ words, child))
    }
  }

  /**
   * A part of a condition.
   *
   * @param onRow
   *   what can be evaluated on a row alone
   */
  private final case class Part(condition: Expression, onRow: Option[Expression])

  /**
   * The conjuncts of each condition in their order, with those that follow one another on a row
   * alone as one: what may fail is still tested after the same others.
   */
  private def partsOf(clause: PatternClause): Seq[Seq[Part]] =
    clause.definitions.map { case (variable, condition) =>
      ConditionShape.conjuncts(condition).foldLeft(Vector.empty[Part]) { (before, conjunct) =>
        (before.lastOption, onRow(clause, variable, conjunct)) match {
          case (Some(Part(last, Some(row))), Some(next)) =>
            before.init :+ Part(And(last, conjunct), Some(And(row, next)))
          case (_, row) => before :+ Part(conjunct, row)
        }
      }
    }

  private def onRow(
      clause: PatternClause,
      variable: String,
      conjunct: Expression
  ): Option[Expression] =
    Option.when(!Fallible(conjunct) && !conjunct.exists {
      case Navigation(_, target) => !Subset.isTestedRow(target, variable, clause.subsets)
      case e => e.foldable && e.eval() == null
    })(conjunct.transform { case Navigation(column, _) => column })

  private def textOf(condition: Expression): String =
    condition.transform { case a: Attribute => PrettyAttribute(a.name, a.dataType) }.sql
}
