package io.matchrecognize.analysis.names

import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.pattern.RowPatternAnalysis
import io.matchrecognize.plans.UnresolvedMatchRecognize

/**
 * Leaves out the definitions of variables that PATTERN does not use, if the session allows them: in
 * a notebook one tries patterns with the same DEFINE. The standard has an error for them.
 */
object UnusedDefinitions {
  def dropped(node: UnresolvedMatchRecognize): UnresolvedMatchRecognize =
    if (SQLConf.get.getConf(MatchRecognizeConf.AllowUnusedDefinitions)) without(node) else node

  private def without(node: UnresolvedMatchRecognize): UnresolvedMatchRecognize = {
    val (clause, positions) = (node.clause, node.positions)
    val canonical = PatternVariables.canonical
    // The definition of a union variable is a mistake in any case.
    val names =
      RowPatternAnalysis.variables(clause.pattern, canonical) ++ clause.subsets.map(_.name)
    val known = names.map(canonical).toSet
    val (used, unused) = clause.definedVariables.indices.partition { i =>
      known(canonical(clause.definedVariables(i)))
    }
    if (unused.isEmpty) node
    else
      node.copy(
        clause.copy(
          definedVariables = used.map(clause.definedVariables),
          conditions = used.map(clause.conditions),
          unusedDefinitions = clause.unusedDefinitions ++ unused.map(clause.definedVariables)
        ),
        positions = positions.copy(definedVariables = used.map(positions.definedVariables))
      )
  }
}
