package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.matchrecognize.execution.compile.{ClauseSpec, SearchOptions, TaskProgram}
import io.matchrecognize.execution.condition.ShownCondition
import io.matchrecognize.expressions.AsText
import io.matchrecognize.pattern.RowPattern

/**
 * A clause compiled for a trace.
 *
 * @param conditions
 *   by symbol
 * @param columns
 *   names and texts of the input columns, over a `PointerRow` of the measures
 * @param orderKeys
 *   texts of the ORDER BY keys, over the same row
 * @param variables
 *   the names of the symbols as SQL
 */
final case class TraceProgram(
    task: TaskProgram,
    conditions: Array[Option[ShownCondition]],
    columns: Seq[(String, Expression)],
    orderKeys: Seq[Expression],
    variables: Array[String]
)

object TraceProgram {

  /** @param spec without measures; its output is its input */
  def of(spec: ClauseSpec): TraceProgram = {
    val ordinals = spec.input.map(_.exprId).zipWithIndex.toMap
    val (task, compiler) =
      TaskProgram.compiled(spec, (column, _) => ordinals(column.exprId), SearchOptions.trace)
    val columns = task.clause.measures.output
    TraceProgram(
      task,
      compiler.shownConditions(AsText(_)).toArray,
      spec.input.map(_.name).zip(columns.map(AsText(_))),
      spec.clause.orderSpec.map { key =>
        AsText(key.child.transform { case column: Attribute =>
          columns(ordinals(column.exprId))
        })
      },
      task.clause.automaton.symbols.map(RowPattern.Variable(_).sql).toArray
    )
  }
}
