package io.matchrecognize.analysis.checks

import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, UserText}
import io.matchrecognize.plans.{MatchRecognize, UnresolvedMatchRecognize}

/** Checks the names of the output: no measure may have the name of another output column. */
object OutputColumns {
  def check(clause: UnresolvedMatchRecognize, resolved: MatchRecognize): Unit = {
    val resolver = SQLConf.get.resolver
    if (resolved.output.isEmpty) throw Errors.noOutputColumns(clause.positions.rowsPerMatch)
    val measures = resolved.measureOutput
    val columns = resolved.output.filterNot(c => measures.exists(_.exprId == c.exprId))
    measures.zipWithIndex.foreach { case (measure, i) =>
      val earlier = measures.take(i).find(m => resolver(m.name, measure.name))
      val column = columns.find(c => resolver(c.name, measure.name))
      val first = earlier
        .map(m => s"The measure ${UserText.quoted(m.name)}")
        .orElse(column.map(c => s"The input column ${UserText.quoted(c.name)}"))
      first.foreach { text =>
        val origin = clause.positions.measureNames.applyOrElse(i, (_: Int) => clause.origin)
        val second = s"the measure ${UserText.quoted(measure.name)}"
        throw Errors.duplicateOutput(measure.name, text, second, origin)
      }
    }
  }
}
