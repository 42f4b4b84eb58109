package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal}

import io.matchrecognize.execution.pointer.PointerBindings
import io.matchrecognize.expressions.{MatchNumber, Navigation, PatternAggregate}
import io.matchrecognize.plans.{FrameFunction, RowsPerMatch}

/**
 * Compiles MEASURES and the output row. With ONE ROW PER MATCH the current row is the last one, so
 * FINAL is compiled as RUNNING.
 *
 * @param output
 *   columns of the operator's output
 */
final class MeasureCompiler(
    bindings: PointerBindings,
    rowsPerMatch: RowsPerMatch,
    measures: Seq[Expression],
    measureOutput: Seq[Attribute],
    output: Seq[Attribute]
) {
  private val layout = bindings.layout
  private val oneRow = rowsPerMatch.evaluatesOnLastRow

  def compile(): MeasuresProgram = {
    val boundMeasures = measureOutput.map(_.exprId).zip(measures.map(bind)).toMap
    def column(attribute: Attribute): Expression = layout.column(attribute, PointerBindings.Row)
    val matched = output.map(c => boundMeasures.getOrElse(c.exprId, column(c)))
    val functions = measureOutput
      .map(_.exprId)
      .zip(measures)
      .collect { case (id, _: FrameFunction) => id }
      .toSet
    val unmatched = output.map { c =>
      if (boundMeasures.contains(c.exprId) && !functions(c.exprId)) Literal(null, c.dataType)
      else boundMeasures.getOrElse(c.exprId, column(c))
    }
    MeasuresProgram(
      layout.result,
      bindings.pointerCount,
      bindings.pointers,
      bindings.registers,
      bindings.aggregatePrograms,
      matched,
      output.map(c => if (boundMeasures.contains(c.exprId)) Some(c.name) else None),
      unmatched
    )
  }

  private def bind(e: Expression): Expression = e match {
    case Navigation(value, target) =>
      val wanted = target.copy(isFinal = target.isFinal && !oneRow)
      layout.navigation(value, bindings.pointer(wanted), None)
    case aggregate: PatternAggregate =>
      val wanted = aggregate.copy(isFinal = aggregate.isFinal && !oneRow)
      layout.aggregate(bindings.aggregate(wanted), aggregate.dataType)
    case _: MatchNumber => layout.number
    case FrameFunction(function) => bind(function)
    case other => other.mapChildren(bind)
  }
}
