package io.matchrecognize.streaming.operator

import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.classic.SparkSession

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.plans.{MatchRecognize, MatchRecognizeUnion}

/**
 * Matches the plan of a streaming query that starts again, and refuses it if its operators have
 * other numbers of clauses than those of the checkpoint: `MergeStreams` has merged them, and now it
 * has not, or the other way round. Spark would say no more than that the number of sources is
 * another one.
 */
object CheckPatterns extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case write: WriteToStream => check(write)
      case _ =>
    }
    plan
  }

  private def check(write: WriteToStream): Unit = {
    // A query of WITH that is named twice has two operators.
    val found = InlineCTE()(write.inputQuery).collect {
      case m: MatchRecognize if m.isStreaming => 1
      case union: MatchRecognizeUnion if union.isStreaming => union.branches.length
    }
    if (found.nonEmpty) {
      val conf = SparkSession.active.sessionState.newHadoopConf()
      val written = CheckpointFile.all(write.resolvedCheckpointLocation, conf)
      // The optimizer may leave out what returns nothing, but takes no operator of several apart.
      def several(patterns: Seq[Int]) = patterns.filter(_ > 1).sorted
      if (written.nonEmpty && several(written.map(_.patterns)) != several(found)) {
        written.foreach(_.checkFormat())
        throw RuntimeErrors.changedPatterns(written.map(_.patterns), found)
      }
    }
  }
}
