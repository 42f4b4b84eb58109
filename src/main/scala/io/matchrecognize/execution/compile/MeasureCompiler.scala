package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions._

import io.matchrecognize.execution.pointer.PointerBindings
import io.matchrecognize.expressions.{MatchNumber, Navigation, PatternAggregate}
import io.matchrecognize.plans.FrameFunction

/**
 * Compiles MEASURES and the output row. With ONE ROW PER MATCH the current row is the last one, so
 * FINAL is compiled as RUNNING.
 */
final class MeasureCompiler(bindings: PointerBindings, spec: ClauseSpec) {
  import spec.{clause, measureOutput, output}

  private val layout = bindings.layout
  private val oneRow = clause.rowsPerMatch.evaluatesOnLastRow

  def compile(): MeasuresProgram = {
    val measures = measureOutput.map(_.exprId).zip(clause.measures)
    val bound = measures.map { case (id, measure) => id -> bind(measure) }.toMap
    val unmatched = measures.map {
      case (id, _: FrameFunction) => id -> bound(id)
      case (id, measure) => id -> Literal(null, measure.dataType)
    }.toMap
    val (unmatchedOutput, unmatchedFilter) =
      if (clause.rowsPerMatch.showsUnmatchedRows) (output, spec.filter) else (Nil, None)
    val measured = AttributeSet(measureOutput)
    MeasuresProgram(
      output.map(row(_, bound)),
      output.map(c => Option.when(c.references.exists(measured.contains))(c.name)),
      unmatchedOutput.map(row(_, unmatched)),
      spec.filter.map(row(_, bound)),
      unmatchedFilter.map(row(_, unmatched)),
      layout.result,
      layout.pointerCount,
      layout.pointers,
      bindings.registers,
      bindings.aggregatePrograms
    )
  }

  /** An expression over the input and the measures on a returned row. */
  private def row(e: Expression, measures: Map[ExprId, Expression]): Expression = e match {
    case Alias(child, _) => row(child, measures)
    case other =>
      other.transform { case column: Attribute =>
        measures.getOrElse(column.exprId, layout.column(column, PointerBindings.Row))
      }
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
