package io.matchrecognize.analysis.names

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAlias, UnresolvedFunction}
import org.apache.spark.sql.catalyst.plans.logical.{OneRowRelation, Project}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.classic.SparkSession

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.expressions.PossiblyMisspelt

/**
 * Calls of functions whose name is nearly one of the clause's. A function of the user that has such
 * a name is called as everywhere; only if Spark knows none, the error names the clause's.
 */
object MisspeltFunctions {

  /** The call, if Spark knows its function. */
  def known(misspelt: PossiblyMisspelt): UnresolvedFunction = {
    val call = misspelt.call
    unknown(call).foreach(e => throw Errors.unknownFunction(e, call, misspelt.meant))
    call
  }

  /** Spark's own rule answers, in the context of the view or SQL function that is analysed. */
  private def unknown(call: UnresolvedFunction): Option[AnalysisException] =
    SparkSession.getActiveSession.flatMap { session =>
      val name = CurrentOrigin.withOrigin(call.origin) {
        UnresolvedFunction(call.nameParts.last, Nil, isDistinct = false)
      }
      try {
        val query = Project(Seq(UnresolvedAlias(name)), OneRowRelation())
        session.sessionState.analyzer.LookupFunctions(query)
        None
      } catch {
        case e: AnalysisException if e.getCondition == "UNRESOLVED_ROUTINE" => Some(e)
      }
    }
}
