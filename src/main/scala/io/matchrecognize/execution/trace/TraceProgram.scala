package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import io.matchrecognize.execution.compile.{ClauseSpec, SearchOptions, TaskProgram}
import io.matchrecognize.execution.condition.ShownConjunct
import io.matchrecognize.expressions.AsText
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.plans.{PatternClause, RowsPerMatch}

/**
 * A clause compiled for a trace or an explanation.
 *
 * @param conditions
 *   by symbol, the conjuncts of its condition; none if it has no condition
 * @param columns
 *   names and texts of the input columns, over a `PointerRow` of the measures
 * @param orderKeys
 *   texts of the ORDER BY keys, over the same row
 * @param variables
 *   the names of the symbols as SQL
 * @param frame
 *   of a row pattern window, if the query looks elsewhere for matches than the search does
 */
private[trace] final case class TraceProgram(
    task: TaskProgram,
    isExplained: Boolean,
    rowLimit: Int,
    conditions: Array[Array[ShownConjunct]],
    columns: Seq[(String, Expression)],
    orderKeys: Seq[Expression],
    variables: Array[String],
    skip: String,
    within: Option[String],
    frame: Option[String]
)

private[trace] object TraceProgram {

  /** @param clause without measures */
  def of(
      clause: PatternClause,
      isExplained: Boolean,
      rowLimit: Int,
      input: Seq[Attribute]
  ): TraceProgram = {
    val ordinals = input.map(_.exprId).zipWithIndex.toMap
    val spec = ClauseSpec(clause, Nil, input, input)
    val (task, compilers) = TaskProgram.compiled(Seq(spec), SearchOptions.trace)
    val columns = task.clause.measures.output
    val isSeek = clause.rowsPerMatch == RowsPerMatch.EachRow(isSeek = true)
    TraceProgram(
      task,
      isExplained,
      rowLimit,
      compilers.head.conditionCompiler.shown(AsText(_)),
      input.map(_.name).zip(columns.map(AsText(_))),
      clause.orderSpec.map { key =>
        AsText(key.child.transform { case column: Attribute =>
          columns(ordinals(column.exprId))
        })
      },
      task.clause.automaton.symbols.map(RowPattern.Variable(_).sql).toArray,
      s"AFTER MATCH ${clause.afterMatchSkip.sql}",
      clause.bound.map(within => s"WITHIN ${within.bound.sql}"),
      Option.when(clause.frameEnd.nonEmpty || isSeek)(clause.rows)
    )
  }
}
