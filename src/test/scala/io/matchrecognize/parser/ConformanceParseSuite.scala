package io.matchrecognize.parser

import java.nio.file.Paths

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.plans.UnresolvedMatchRecognize
import io.matchrecognize.{BuildInfo, SharedSession}

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** Every query of the conformance files parses, or fails with the condition that it expects. */
class ConformanceParseSuite extends AnyFunSuite with SharedSession {
  import scala.jdk.CollectionConverters._

  private val parserStage = Seq(
    "PARSE_SYNTAX_ERROR",
    "MATCH_RECOGNIZE_INVALID_CLAUSE",
    "MATCH_RECOGNIZE_INVALID_PATTERN",
    "MATCH_RECOGNIZE_UNSUPPORTED.NESTED_CLAUSE",
    "DUPLICATE_CLAUSES"
  )

  for {
    file <- Seq("cases", "extensions", "scenarios")
    node <- new ObjectMapper()
      .readTree(Paths.get("tests", "conformance", s"$file.json").toFile)
      .elements()
      .asScala
    // Spark 4.0 has no TIME.
    if BuildInfo.sparkMinor != "4.0" || !node.get("sql").asText.contains("AS TIME)")
  } test(s"$file ${node.get("id").asText}")(check(node))

  private def check(node: JsonNode): Unit = {
    val sql = node.get("sql").asText
    val expected = Option(node.get("expected_condition"))
      .map(_.elements().asScala.map(_.asText).toSeq)
      .getOrElse(Nil)
    val confs = Option(node.get("conf"))
      .map(_.properties().asScala.map(e => e.getKey -> e.getValue.asText).toSeq)
      .getOrElse(Nil)
    withConf(confs: _*) {
      val condition =
        try {
          val plan = parser.parsePlan(sql)
          val clauses = UnresolvedClauses.of(plan).length
          val words = "(?i)match_recognize\\s*\\(".r.findAllIn(sql).length
          assert(clauses == words || expected.contains("UNRESOLVED_ROUTINE"), plan)
          None
        } catch {
          case e: org.apache.spark.sql.AnalysisException => Some((e.getCondition, e))
        }
      condition match {
        case Some((name, e)) =>
          assert(expected.contains(name), e.getMessage)
          assert(!e.getMessage.contains("__mr_"))
        case None =>
          val refused = expected.nonEmpty &&
            expected.forall(c => parserStage.exists(c.startsWith)) &&
            !expected.exists(_.contains("MISSING_ORDER_BY")) &&
            !expected.exists(_.contains("NO_OUTPUT_COLUMNS"))
          assert(!refused, s"should have failed with $expected")
      }
    }
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
