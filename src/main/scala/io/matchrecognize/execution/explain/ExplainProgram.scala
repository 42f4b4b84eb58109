package io.matchrecognize.execution.explain

import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.compile.{ClauseSpec, SearchOptions, TaskProgram}
import io.matchrecognize.execution.condition.ShownCondition
import io.matchrecognize.expressions.AsText
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.plans.RowsPerMatch

/**
 * What sentences say of a conjunct.
 *
 * @param isLocal
 *   whether it can be judged on a row alone
 * @param value
 *   the value that it compares with constants
 * @param isString
 *   whether that value is a string
 * @param wanted
 *   these constants if they are strings
 */
final case class ExplainedPart(
    text: String,
    isLocal: Boolean,
    value: Option[String],
    isString: Boolean,
    wanted: Seq[String]
)

/**
 * What sentences say of a clause.
 *
 * @param variables
 *   the names of the symbols as SQL
 * @param parts
 *   by symbol the conjuncts of its condition, none if it is always TRUE
 * @param frame
 *   of a row pattern window, if the query looks elsewhere for matches than the search does
 */
final case class ExplainedClause(
    variables: Array[String],
    parts: Array[Array[ExplainedPart]],
    isPartitioned: Boolean,
    skip: String,
    within: Option[String],
    frame: Option[String]
)

/**
 * A clause compiled to be explained.
 *
 * @param conditions
 *   by symbol
 * @param mostRead
 *   how many rows the attempts of a task may read together, as overlapping ones read a row several
 *   times
 */
final case class ExplainProgram(
    task: TaskProgram,
    conditions: Array[Option[ShownCondition]],
    clause: ExplainedClause,
    mostRead: Long
)

object ExplainProgram {
  private def isSeek(rows: RowsPerMatch): Boolean = rows match {
    case RowsPerMatch.EachRow(isSeek) => isSeek
    case _ => false
  }

  /** @param spec without measures and output */
  def of(spec: ClauseSpec): ExplainProgram = {
    val ordinals = spec.input.map(_.exprId).zipWithIndex.toMap
    val (task, compiler) =
      TaskProgram.compiled(spec, (column, _) => ordinals(column.exprId), SearchOptions.trace)
    val conditions = compiler.shownConditions(AsText(_)).toArray
    val parts = conditions.map(_.toArray.flatMap(_.conjuncts).map { part =>
      ExplainedPart(
        part.text,
        part.isLocal,
        part.compared.map(_.name),
        part.compared.exists(_.isString),
        part.compared.toSeq.flatMap(_.wanted)
      )
    })
    val clause = ExplainedClause(
      task.clause.automaton.symbols.map(RowPattern.Variable(_).sql).toArray,
      parts,
      spec.clause.partitionSpec.nonEmpty,
      s"AFTER MATCH ${spec.clause.afterMatchSkip.sql}",
      spec.clause.bound.map(within => s"WITHIN ${within.bound.sql}"),
      Option.when(spec.clause.frameEnd.nonEmpty || isSeek(spec.clause.rowsPerMatch))(
        spec.clause.rows
      )
    )
    // Some minutes.
    val mostRead = SQLConf.get.getConfString(MatchRecognizeConf.ExplainedRows, "1000000000")
    ExplainProgram(task, conditions, clause, mostRead.toLong)
  }
}
