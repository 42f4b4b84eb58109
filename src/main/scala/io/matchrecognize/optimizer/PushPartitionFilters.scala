package io.matchrecognize.optimizer

import org.apache.spark.sql.catalyst.expressions.{
  And,
  Attribute,
  AttributeSet,
  Expression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import io.matchrecognize.expressions.GroupingKey
import io.matchrecognize.plans.MatchRecognize

/**
 * Matches a Filter over [[MatchRecognize]] and pushes below it the conjuncts that read only
 * PARTITION BY columns. Such a conjunct keeps or drops whole partitions, and a partition's matches,
 * numbers included, do not depend on other partitions. Columns whose equal values may differ in
 * their bytes (floating point, collated strings) stay above: the output shows one of those values.
 * So do conjuncts that may fail: they would for a partition without a match, which has no row
 * above.
 *
 * Over a stream all stay above. Spark would push them on below the watermark, and the rows of the
 * other partitions would no longer advance the time that ends the attempts of these.
 */
object PushPartitionFilters extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case filter @ Filter(condition, m: MatchRecognize) if m.stream.isEmpty =>
      val keys = AttributeSet(m.clause.partitionSpec.collect {
        case a: Attribute if GroupingKey.isBinaryStable(a.dataType) => a
      })
      val (pushed, kept) = splitConjunctivePredicates(condition).partition { e =>
        e.deterministic && e.references.nonEmpty && e.references.subsetOf(keys) &&
        KeyFilters.cannotFail(e)
      }
      if (pushed.isEmpty) filter
      else {
        val below = m.copy(child = Filter(pushed.reduce(And(_, _)), m.child))
        kept.reduceOption[Expression](And(_, _)).map(Filter(_, below)).getOrElse(below)
      }
  }
}
