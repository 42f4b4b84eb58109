package io.matchrecognize.optimizer

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.{DataFrame, Row}

import io.matchrecognize.QuerySuite
import io.matchrecognize.plans.{MatchRecognize, MatchRecognizeUnion}

/** What suites of clauses in a UNION ALL share. */
abstract class MergeSuite extends QuerySuite {

  /** Nothing is merged. */
  protected val apart: (String, String) =
    "spark.sql.optimizer.excludedRules" -> "io.matchrecognize.optimizer.MergeClauses"

  protected def query(frame: DataFrame): QueryExecution =
    frame.asInstanceOf[ClassicDataset[Row]].queryExecution

  /** How many clauses each node has. */
  protected def groups(plan: LogicalPlan): Seq[Int] = plan.collect {
    case union: MatchRecognizeUnion => union.branches.length
    case _: MatchRecognize => 1
  }

  protected def union(branches: String*): String = branches.mkString("\nUNION ALL\n")

  protected def sorted(sql: String): Seq[String] = rows(sql).map(_.toString).sorted
}
