package io.matchrecognize.fuzz

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types.StructType

import io.matchrecognize.QuerySuite
import io.matchrecognize.execution.compile.{ClauseSpec, SearchOptions, TaskProgram}
import io.matchrecognize.matcher.FoldOrder

/**
 * Random clauses with aggregates in DEFINE, compared with the same clauses with one more conjunct
 * in each condition. That is always TRUE and reads the variables of all rows, so that no two paths
 * are alike: none is merged with another one or left out because its sums are worse. A long run:
 * `-Dfuzz.sql.cases=5000 -Dfuzz.seed=7` as Java options of the test's process; one clause again:
 * `-Dfuzz.merged=17` with the same seed.
 */
class MergedPathsFuzzSuite extends QuerySuite {
  import MergedPathsFuzzSuite._

  private val cases = sys.props.get("fuzz.sql.cases").fold(60)(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val only = sys.props.get("fuzz.merged").map(_.toInt)

  /** Differences to report in one run. */
  private val most = 5
  private val shrinkSeconds = sys.props.get("fuzz.shrink").fold(20L)(_.toLong)

  test(s"$cases random clauses from seed $seed have the results of all their paths") {
    val failures = mutable.ArrayBuffer.empty[String]
    val totals = mutable.Map.empty[String, Int].withDefaultValue(0)
    only.fold(0 until cases)(i => i to i).iterator.takeWhile(_ => failures.size < most).foreach {
      i =>
        val choices = Choices.random(seed * 1000003L + i)
        val clause = AggregateClause.of(choices)
        if (only.isDefined) info(shown(clause))
        orders(clause).foreach(totals(_) += 1)
        compare(clause) match {
          case Same(outcome) => totals(outcome) += 1
          case Different(text) =>
            val (small, why) =
              Choices.reduced(choices.made, text, shrinkSeconds)(AggregateClause.of) { smaller =>
                compare(smaller) match {
                  case Different(again) if kindOf(again) == kindOf(text) => Some(again)
                  case _ => None
                }
              }
            failures += s"clause $i of seed $seed: $why\n" +
              shown(AggregateClause.of(Choices.again(small)))
            note(failures.last)
        }
    }
    info(totals.toSeq.sorted.map { case (name, count) => s"$count $name" }.mkString(", "))
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    if (only.isEmpty) {
      assert(totals("with rows") > cases / 4)
      assert(totals("with an order") > cases / 10)
      assert(totals("with a guarded order") > cases / 20)
    }
  }

  /** What is known of the aggregates of a clause. */
  private def orders(clause: AggregateClause): Seq[String] =
    withConf(clause.settings.confs: _*) {
      createView(clause)
      matchNodes(spark.sql(clause.sql(None))).headOption.toSeq.flatMap { node =>
        val spec = ClauseSpec(node.clause, node.measureOutput, node.child.output, node.output)
        val conditions =
          TaskProgram.of(spec, (_, index) => index, SearchOptions.table).clause.conditions
        val ordered = conditions.registers.orders.zip(conditions.orderGuards).collect {
          case (order, guard) if order != FoldOrder.None => guard
        }
        ordered
          .map(guard => if (guard.isEmpty) "with an order" else "with a guarded order")
          .distinct
      }
    }

  private def createView(clause: AggregateClause): Unit =
    spark
      .createDataFrame(clause.rows.asJava, StructType.fromDDL(AggregateClause.schema))
      .createOrReplaceTempView("t")

  private def compare(clause: AggregateClause): Comparison =
    withConf(clause.settings.confs: _*) {
      createView(clause)
      (outcome(clause.sql(None)), outcome(clause.sql(Some(Apart)))) match {
        case (Left(a), Left(b)) if a == b && !a.startsWith("INTERNAL_ERROR") => Same(a)
        case (Right(a), Right(b)) if a == b =>
          Same(if (a.isEmpty) "without rows" else "with rows")
        case (found, expected) => Different(s"found $found\nexpected $expected")
      }
    }

  private def outcome(sql: String): Either[String, Seq[String]] =
    try Right(rows(sql).map(_.toString).sorted)
    catch {
      case error @ (_: Exception | _: StackOverflowError) =>
        Left(
          Iterator
            .iterate[Throwable](error)(_.getCause)
            .takeWhile(_ != null)
            .collectFirst {
              case e: SparkThrowable if e.getCondition != null => e.getCondition
              // Some of Spark's expressions have no condition for it.
              case e: ArithmeticException => s"ARITHMETIC: ${e.getMessage}"
            }
            .getOrElse(s"INTERNAL_ERROR: $error")
        )
    }

  private def kindOf(text: String): Seq[String] = "(Left|Right)\\(".r.findAllIn(text).toSeq

  private def shown(clause: AggregateClause): String =
    s"${FuzzSettings.statements(clause.settings.confs)}\n${clause.sql(None)}\n" +
      clause.rows.mkString(s"rows of ${AggregateClause.schema}:\n  ", "\n  ", "")
}

object MergedPathsFuzzSuite {
  private val Apart = "SIZE(COLLECT_LIST(CLASSIFIER())) >= 0"

  private sealed trait Comparison
  private final case class Same(outcome: String) extends Comparison
  private final case class Different(text: String) extends Comparison
}
