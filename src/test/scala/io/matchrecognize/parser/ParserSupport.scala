package io.matchrecognize.parser

import java.lang.management.ManagementFactory

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlParser
import org.scalatest.Assertions

import io.matchrecognize.plans.{PatternClause, UnresolvedMatchRecognize}
import io.matchrecognize.{ErrorPlace, SharedSession}

/** Helpers of the parser suites. */
trait ParserSupport extends SharedSession { this: org.scalatest.Suite with Assertions =>

  protected def plan(sql: String): LogicalPlan = {
    val result = parser.parsePlan(sql)
    assert(!result.treeString.contains("__mr"), result.treeString)
    result
  }

  /** Whether this Spark minor has the statement's syntax; tests of others are not generated. */
  protected def isRead(sql: String): Boolean =
    scala.util.Try(new SparkSqlParser().parsePlan(sql)).isSuccess

  /** The only clause of a statement. */
  protected def clause(sql: String): UnresolvedMatchRecognize =
    UnresolvedClauses.of(plan(sql)) match {
      case Seq(one) => one
      case other => fail(s"${other.length} clauses in $sql")
    }

  /** The clause `t MATCH_RECOGNIZE (body)`. */
  protected def of(body: String): PatternClause = over(body).clause

  /** The names of its measures. */
  protected def names(body: String): Seq[String] = over(body).measureNames

  private def over(body: String): UnresolvedMatchRecognize =
    clause(s"SELECT * FROM t MATCH_RECOGNIZE ($body)")

  /** The seconds that a thread computes, however busy the machine is. */
  protected def seconds(body: => Any): Double = {
    val thread = ManagementFactory.getThreadMXBean
    val start = thread.getCurrentThreadCpuTime
    body
    (thread.getCurrentThreadCpuTime - start) / 1e9
  }

  protected def failure(sql: String): AnalysisException = {
    val e = intercept[AnalysisException](parser.parsePlan(sql))
    assert(!e.getMessage.contains("__mr"), e.getMessage)
    e
  }

  /** Checks an error: its condition, and the text at its caret or in its fragment. */
  protected def checkFailure(
      sql: String,
      condition: String,
      at: String,
      message: String = ""
  ): Unit = {
    val e = failure(sql)
    assert(e.getCondition == condition, e.getMessage)
    val where =
      e.getQueryContext.headOption.map(_.fragment).orElse(ErrorPlace.after(e, sql)).get
    assert(where.startsWith(at), s"$where in ${e.getMessage}")
    assert(e.getMessage.contains(message), e.getMessage)
  }
}

object UnresolvedClauses {

  /** The clauses of a plan, including those in subqueries. */
  def of(plan: LogicalPlan): Seq[UnresolvedMatchRecognize] = {
    val here = plan match {
      case clause: UnresolvedMatchRecognize => Seq(clause)
      case _ => Nil
    }
    val inner = plan.innerChildren.collect { case p: LogicalPlan => p }
    here ++ (plan.children ++ inner.filterNot(plan.children.contains)).flatMap(of)
  }
}
