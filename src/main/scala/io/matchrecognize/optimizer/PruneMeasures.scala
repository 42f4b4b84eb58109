package io.matchrecognize.optimizer

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule

import io.matchrecognize.plans.MatchRecognize

/**
 * Matches a Project over [[MatchRecognize]] that does not read some measures and produces the same
 * without them. Measures do not affect which rows match, so the other columns do not change;
 * Spark's column pruning can then drop the columns that only those measures read.
 *
 * Over a stream all measures stay: they determine the contents of the state, which must not change
 * when the query is restarted with other columns selected.
 */
object PruneMeasures extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case project @ Project(_, m: MatchRecognize)
        if m.stream.isEmpty && m.measureOutput.exists(a => !project.references.contains(a)) =>
      val (measures, attributes) = m.clause.measures
        .zip(m.measureOutput)
        .filter { case (_, attribute) => project.references.contains(attribute) }
        .unzip
      project.withNewChildren(Seq(m.copy(m.clause.copy(measures = measures), attributes)))
  }
}
