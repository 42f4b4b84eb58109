package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.execution.rows.StoreSchema
import io.matchrecognize.matcher.SearchBudget

/**
 * Everything that a task needs, compiled on the driver: the clauses that search its partitions, and
 * what they share. A trace has one clause.
 */
final case class TaskProgram(
    clauses: IndexedSeq[ClauseProgram],
    input: Seq[Attribute],
    partitionSpec: Seq[Expression],
    budget: SearchBudget,
    spillThreshold: Int,
    isTable: Boolean
) {
  val conditions: RowConditions = RowConditions.of(clauses, isTable)

  /** By clause, see [[NecessaryConditions]]; a single clause is not asked. */
  val necessary: Array[Array[Array[Int]]] = {
    val lookedUp =
      if (clauses.length == 1) Set.empty[Int] else conditions.lookedUp
    clauses
      .zip(conditions.idOf)
      .map { case (c, ids) => NecessaryConditions.of(c, ids, lookedUp) }
      .toArray
  }

  /** The only clause, or the first one. */
  def clause: ClauseProgram = clauses.head

  def schema: StoreSchema = clause.schema
}

object TaskProgram {

  /**
   * The program and the compilers of its clauses, which a trace asks for more.
   *
   * @param specs
   *   of equal PARTITION BY and input
   */
  def compiled(
      specs: Seq[ClauseSpec],
      options: SearchOptions
  ): (TaskProgram, Seq[ClauseCompiler]) = {
    val conf = SQLConf.get
    // After the analysis, too, a session can set them.
    RuntimeErrors.checkLimits(conf)
    val layout = TaskLayout.of(specs, options)
    val compilers = specs.map { spec =>
      new ClauseCompiler(
        spec,
        layout,
        conf.getConf(MatchRecognizeConf.MaxPatternPositions),
        options
      )
    }
    val program = TaskProgram(
      compilers.map(_.compile()).toIndexedSeq,
      layout.input,
      layout.partitionSpec,
      SearchBudget(
        conf.getConf(MatchRecognizeConf.MaxStepsPerMatch),
        conf.getConf(MatchRecognizeConf.MaxPathBytes),
        conf.getConf(MatchRecognizeConf.MaxSearchTime)
      ),
      conf.getConf(MatchRecognizeConf.SpillThresholdRows),
      options.isTable
    )
    (program, compilers)
  }
}
