package io.matchrecognize.execution

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal}

import io.matchrecognize.expressions.{MatchNumber, Navigation, NavigationTarget, PatternAggregate}
import io.matchrecognize.plans.RowsPerMatch

/**
 * Compiles MEASURES and the output row. With ONE ROW PER MATCH the current row is the last one, so
 * RUNNING and FINAL agree and all is RUNNING.
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
  import MeasureCompiler.OutputRow

  private val layout = bindings.layout
  private val rowPointer = bindings.pointer(OutputRow, 0, 0)
  private val foldPointer = bindings.pointer(OutputRow, 1, 0)
  private val oneRow = rowsPerMatch.isInstanceOf[RowsPerMatch.OneRow]

  def compile(): MeasuresProgram = {
    val boundMeasures = measureOutput.map(_.exprId).zip(measures.map(bind)).toMap
    def column(attribute: Attribute): Expression = layout.column(attribute, rowPointer)
    val matched = output.map(c => boundMeasures.getOrElse(c.exprId, column(c)))
    val unmatched = output.map { c =>
      if (boundMeasures.contains(c.exprId)) Literal(null, c.dataType) else column(c)
    }
    MeasuresProgram(
      layout.result,
      bindings.pointers.length,
      bindings.pointers.filter(_.base != OutputRow),
      bindings.registers,
      bindings.aggregatePrograms,
      matched,
      output.map(c => if (boundMeasures.contains(c.exprId)) Some(c.name) else None),
      unmatched,
      rowPointer,
      foldPointer
    )
  }

  private def bind(e: Expression): Expression = e match {
    case Navigation(value, target) => layout.navigation(value, pointer(target), None)
    case aggregate: PatternAggregate =>
      val wanted = aggregate.copy(isFinal = aggregate.isFinal && !oneRow)
      layout.aggregate(bindings.aggregate(wanted, foldPointer), aggregate.dataType)
    case _: MatchNumber => layout.number
    case other => other.mapChildren(bind)
  }

  private def pointer(target: NavigationTarget): Int = {
    val isFinal = target.isFinal && !oneRow
    val (base, argument) = target.variable match {
      case None if target.fromFirst && isFinal =>
        (PointerProgram.AfterStartOfMatch, target.offset)
      case None if target.fromFirst => (PointerProgram.AfterStart, target.offset)
      case None if isFinal => (PointerProgram.BeforeEnd, target.offset)
      case None if target.offset == 0 => (PointerProgram.Current, 0)
      case None => (PointerProgram.BeforeCurrent, target.offset)
      case variable =>
        val register = bindings.register(variable, target.fromFirst, target.offset)
        (if (isFinal) PointerProgram.FinalRegister else PointerProgram.Register, register)
    }
    bindings.pointer(base, argument, target.physicalOffset)
  }
}

object MeasureCompiler {

  /** Base of the pointers that the evaluator sets itself. */
  private val OutputRow = -1
}
