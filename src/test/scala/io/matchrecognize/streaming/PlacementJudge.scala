package io.matchrecognize.streaming

import io.matchrecognize.streaming.StreamResult._

/** The two ways in which a plan may end, and the one in which it may not. */
sealed trait Outcome

object Outcome {
  final case class Equal(rows: Int) extends Outcome
  final case class Refused(condition: String, message: String) extends Outcome
  final case class Wrong(text: String) extends Outcome
}

/**
 * Compares what a sink holds at the end with the rows over tables. Rows of the last key are left
 * out: the watermark has not passed them.
 *
 *   - append: the rows of all micro-batches, as a multiset
 *   - update: the same; of an aggregate, or DISTINCT, the last version of a row by its grouping
 *     columns
 *   - complete: the rows of the last micro-batch
 *   - a limit: any rows of the whole, as many as there are up to the limit
 */
object PlacementJudge {
  import Outcome._

  def judge(plan: PlacementPlan, table: Seq[Map[String, Any]], result: StreamResult): Outcome =
    result match {
      case Hung => Wrong("the query hangs")
      case Failed(error, 0) =>
        PlacementRunner.condition(error) match {
          case Some(condition) if !condition.startsWith("INTERNAL_ERROR") =>
            Refused(condition, error.getMessage)
          case _ => Wrong(s"an error without condition: $error\n${trace(error)}")
        }
      case Failed(error, rows) => Wrong(s"an error after $rows rows: $error")
      case Batches(batches) =>
        val held = plan.settings.mode match {
          case "complete" => batches.lastOption.getOrElse(Nil)
          case "update" => plan.versionKey.fold(batches.flatten)(lastVersions(batches.flatten, _))
          case _ => batches.flatten
        }
        compare(shown(table), shown(held), plan.limit)
    }

  private def lastVersions(
      rows: Seq[Map[String, Any]],
      key: Seq[String]
  ): Seq[Map[String, Any]] = rows.map(row => key.map(row) -> row).toMap.values.toSeq

  private def shown(rows: Seq[Map[String, Any]]): Seq[String] =
    rows.filter(_("k") != PlacementPlan.FinalKey).map(PlacementRunner.shown).sorted

  private def compare(table: Seq[String], held: Seq[String], limit: Option[Int]): Outcome = {
    val missing = table.diff(held)
    val extra = held.diff(table)
    val isEqual = limit match {
      case Some(n) => extra.isEmpty && held.size == math.min(n, table.size)
      case None => missing.isEmpty && extra.isEmpty
    }
    if (isEqual) Equal(held.size)
    else
      Wrong(
        s"${table.size} rows on the table, ${held.size} on the stream\n" +
          s"missing: ${missing.mkString(" ")}\nnot on the table: ${extra.mkString(" ")}"
      )
  }

  private def trace(error: Throwable): String = {
    val root = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq.last
    (root +: root.getStackTrace.take(12).toSeq).mkString("\n  at ")
  }
}
