package io.matchrecognize.optimizer

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule

import io.matchrecognize.plans.MatchRecognize

/**
 * Matches a Project over [[MatchRecognize]] that does not read some measures and produces the same
 * without them. Measures do not change which rows match, so the other columns stay as they are;
 * what remains lets Spark's column pruning drop the columns that only those measures read.
 *
 * Over a stream all measures stay: they decide what the state holds, which must be the same when
 * the query is started again with other columns selected.
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
