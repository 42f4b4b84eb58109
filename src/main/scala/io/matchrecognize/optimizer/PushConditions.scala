package io.matchrecognize.optimizer

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.{
  BooleanSimplification,
  ConstantFolding,
  NullPropagation,
  UnwrapCastInBinaryComparison
}
import org.apache.spark.sql.catalyst.plans.logical.{
  AnalysisHelper,
  LocalRelation,
  LogicalPlan,
  Project
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.types.LongType

import io.matchrecognize.expressions._
import io.matchrecognize.plans.advice.ClauseWarnings
import io.matchrecognize.plans.{MatchRecognize, MatchRecognizeUnion, PatternClause, Subset}

/**
 * Matches the plan of a streaming query that starts, and evaluates conditions of its clauses that
 * read one row below their operators: the state then keeps a bit for each instead of the columns
 * that nothing else of a clause reads. It runs once for a start, after [[MergeStreams]], so that
 * the layout of the state does not depend on what the optimizer makes of a micro-batch.
 *
 * These are conjuncts in DEFINE that read the row under test and no other, as `kind = 'login'`, and
 * cannot fail: no row is tested before a search would. They stay where they are if bits would take
 * more columns than they replace. So do conditions that show to be constant, which the query warns
 * of.
 */
object PushConditions extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteToStream if !MergeStreams.isExcluded(ruleName) =>
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        val query = pushed(write.inputQuery)
        if (query.fastEquals(write.inputQuery)) plan else write.withNewChildren(Seq(query))
      }
    case _ => plan
  }

  private def pushed(query: LogicalPlan): LogicalPlan = query.transformUp {
    case m: MatchRecognize if m.stream.nonEmpty =>
      below(Seq(m.clause), AttributeSet(m.output), m.child).fold(m) { case (clauses, child) =>
        m.copy(clause = clauses.head, child = child)
      }
    case union: MatchRecognizeUnion if union.isStreaming =>
      val read = union.branches.flatMap(b => b.filter ++ b.columns).flatMap(_.references)
      below(union.branches.map(_.clause), AttributeSet(read), union.child).fold(union) {
        case (clauses, child) =>
          val branches = union.branches.zip(clauses).map { case (b, c) => b.copy(clause = c) }
          union.copy(branches = branches, child = child)
      }
  }

  /**
   * The clauses over bits and what evaluates these, unless none is pushed.
   *
   * @param read
   *   columns that are read beside the clauses
   */
  private def below(
      clauses: Seq[PatternClause],
      read: AttributeSet,
      child: LogicalPlan
  ): Option[(Seq[PatternClause], LogicalPlan)] = {
    val parts = clauses.map(partsOf(_, child.output))
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
      (rewritten, Project(child.output.filterNot(replaced.contains) ++ words, child))
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
  private def partsOf(clause: PatternClause, input: Seq[Attribute]): Seq[Seq[Part]] =
    clause.definitions.zip(optimized(clause.conditions, input)).map {
      case ((variable, condition), optimized) =>
        val isConstant = optimized.references.isEmpty ||
          ClauseWarnings.neverTrue(variable, optimized).nonEmpty
        ConditionShape.conjuncts(condition).foldLeft(Vector.empty[Part]) { (before, conjunct) =>
          val row = if (isConstant) None else onRow(clause, variable, conjunct)
          (before.lastOption, row) match {
            case (Some(Part(last, Some(former))), Some(next)) =>
              before.init :+ Part(And(last, conjunct), Some(And(former, next)))
            case _ => before :+ Part(conjunct, row)
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
      case other => other.isInstanceOf[ConditionBit]
    })(conjunct.transform { case Navigation(column, _) => column })

  /** What the optimizer makes of conditions that are constant, unless a constant part fails. */
  private def optimized(conditions: Seq[Expression], input: Seq[Attribute]): Seq[Expression] = {
    val plan: LogicalPlan = Project(conditions.map(Alias(_, "condition")()), LocalRelation(input))
    val rules =
      Seq(UnwrapCastInBinaryComparison, NullPropagation, ConstantFolding, BooleanSimplification)
    try
      (rules ++ rules).foldLeft(plan)((p, rule) => rule(p)).expressions.map {
        case Alias(condition, _) => condition
        case other => other
      }
    catch { case NonFatal(_) => conditions }
  }

  private def textOf(condition: Expression): String =
    condition.transform { case a: Attribute => PrettyAttribute(a.name, a.dataType) }.sql
}
