package io.matchrecognize.optimizer

import org.apache.spark.sql.catalyst.expressions.AttributeSet
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule

import io.matchrecognize.plans.MatchRecognize

/**
 * Matches a Project over [[MatchRecognize]], maybe with Filters between them, that does not read
 * some measures and produces the same without them. Measures do not affect which rows match, so the
 * other columns do not change; Spark's column pruning can then drop the columns that only those
 * measures read.
 *
 * A row pattern window of which nothing is read is not computed at all: it has each row of its
 * child once, and no others. So it raises none of its run-time errors, as Spark's windows then
 * raise none of theirs.
 *
 * It settles the clauses that [[MergeClauses]] has left, of whose inputs Spark then prunes columns.
 *
 * Over a stream all measures stay: they determine the contents of the state, which must not change
 * when the query is restarted with other columns selected.
 */
object PruneMeasures extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case m: MatchRecognize if !m.isSettled => m.copy(isSettled = true)
    case project @ Project(_, Filtered(filters, m)) if m.stream.isEmpty =>
      val read = AttributeSet.fromAttributeSets((project +: filters).map(_.references))
      if (m.measureOutput.forall(read.contains)) project
      else {
        val below = filters.foldRight(pruned(m, read)) { (filter, child) =>
          filter.withNewChildren(Seq(child))
        }
        project.withNewChildren(Seq(below))
      }
  }

  private def pruned(m: MatchRecognize, read: AttributeSet): LogicalPlan = {
    val needed = m.pruned(read.contains)
    if (needed.measureOutput.isEmpty && m.clause.rowsPerMatch.isEachRow) m.child else needed
  }

  /** Spark's column pruning puts no Project below a Filter. */
  private object Filtered {
    def unapply(plan: LogicalPlan): Option[(Seq[Filter], MatchRecognize)] = plan match {
      case m: MatchRecognize => Some((Nil, m))
      case filter: Filter => unapply(filter.child).map { case (more, m) => (filter +: more, m) }
      case _ => None
    }
  }
}
