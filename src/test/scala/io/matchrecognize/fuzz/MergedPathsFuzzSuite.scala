package io.matchrecognize.fuzz

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.types.StructType

import io.matchrecognize.execution.compile.{ClauseSpec, SearchOptions, TaskProgram}
import io.matchrecognize.matcher.FoldOrder

/**
 * Random clauses with aggregates in DEFINE, compared with the same clauses with one more conjunct
 * in each condition. That is always TRUE and reads the variables of all rows, so that no two paths
 * are alike: none is merged with another one or left out because its sums are worse. A long run:
 * `-Dfuzz.sql.cases=5000 -Dfuzz.seed=7` as Java options of the test's process; one clause again:
 * `-Dfuzz.merged=17` with the same seed.
 */
class MergedPathsFuzzSuite extends ClauseFuzzSuite[AggregateClause](15, "fuzz.merged") {
  import ClauseFuzzSuite._
  import MergedPathsFuzzSuite._

  override protected def draw(choices: Choices): AggregateClause = AggregateClause.of(choices)

  test(s"$cases random clauses from seed $seed have the results of all their paths")(compareAll {
    totals =>
      assert(totals("with rows") > cases / 4)
      assert(totals("with an order") > cases / 10)
      assert(totals("with a guarded order") > cases / 20)
  })

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

  override protected def compare(clause: AggregateClause): Comparison = {
    val known = orders(clause)
    withConf(clause.settings.confs: _*) {
      createView(clause)
      (rowsOf(clause.sql(None)), rowsOf(clause.sql(Some(Apart)))) match {
        case (Left(a), Left(b)) if a == b && !a.startsWith("INTERNAL_ERROR") => Same(a +: known)
        case (Right(a), Right(b)) if a == b =>
          Same((if (a.isEmpty) "without rows" else "with rows") +: known)
        case (found, expected) => Different(s"found $found\nexpected $expected")
      }
    }
  }

  private def rowsOf(sql: String): Either[String, Seq[String]] =
    outcome(rows(sql).map(_.toString).sorted)

  override protected def shown(clause: AggregateClause): String =
    s"${FuzzSettings.statements(clause.settings.confs)}\n${clause.sql(None)}\n" +
      clause.rows.mkString(s"rows of ${AggregateClause.schema}:\n  ", "\n  ", "")
}

object MergedPathsFuzzSuite {
  private val Apart = "SIZE(COLLECT_LIST(CLASSIFIER())) >= 0"
}
