package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.{Attribute, BoundReference, Expression, UnsafeRow}
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.UserText
import io.matchrecognize.execution.pointer.{PointerField, SymbolSets}
import io.matchrecognize.expressions.AsText
import io.matchrecognize.matcher.{SearchBudget, SymbolSet}
import io.matchrecognize.pattern.{AfterMatchSkip, AutomatonBuilder}
import io.matchrecognize.plans._

/**
 * What the messages of run-time errors show.
 *
 * @param partition
 *   for each PARTITION BY expression its text and its value as a string over the row of keys
 * @param order
 *   the first ORDER BY key as a string over a `PointerRow` of `orderFields`, if the store keeps it
 * @param skipTarget
 *   `LAST A`, as in AFTER MATCH SKIP TO
 */
final case class FailureTexts(
    pattern: String,
    partition: Seq[(String, Expression)],
    order: Option[Expression],
    orderFields: Array[PointerField],
    skipTarget: String,
    skipVariable: String
) {
  def partitionOf(keys: => UnsafeRow): String =
    if (partition.isEmpty) "(the only one)"
    else partition.map { case (name, e) => s"$name = ${UserText.cut(e.eval(keys))}" }.mkString(", ")
}

/** Everything that a task needs, compiled on the driver. */
final case class TaskProgram(
    clause: ClauseProgram,
    input: Seq[Attribute],
    partitionSpec: Seq[Expression],
    skip: AfterMatchSkip[SymbolSet],
    rowsPerMatch: RowsPerMatch,
    budget: SearchBudget,
    spillThreshold: Int,
    failureTexts: FailureTexts
) {
  val conditions: RowConditions = RowConditions.of(clause)

  /** The summary that overlapping or long matches of a table may be reduced to. */
  def summaries: Option[SummaryProgram] = {
    val overlaps = clause.isTwoPass && skip != AfterMatchSkip.PastLastRow
    if (rowsPerMatch.evaluatesOnLastRow && (overlaps || clause.anchored.isDefined))
      SummaryProgram.of(clause.measures, skip)
    else None
  }
}

object TaskProgram {

  def of(spec: ClauseSpec, options: SearchOptions): TaskProgram = compiled(spec, options)._1

  /** The program and its compiler, which a trace asks for more. */
  def compiled(spec: ClauseSpec, options: SearchOptions): (TaskProgram, ClauseCompiler) = {
    val conf = SQLConf.get
    val text = spec.clause
    val automaton =
      AutomatonBuilder.of(text.pattern, conf.getConf(MatchRecognizeConf.MaxPatternPositions))
    val symbolSets = new SymbolSets(automaton.symbols, text.subsets)
    val compiler = new ClauseCompiler(spec, automaton, symbolSets, options)
    val program = TaskProgram(
      compiler.compile(),
      spec.input,
      spec.clause.partitionSpec,
      text.afterMatchSkip.map(name => symbolSets.of(Some(name))),
      text.rowsPerMatch,
      SearchBudget(
        conf.getConf(MatchRecognizeConf.MaxStepsPerMatch),
        conf.getConf(MatchRecognizeConf.MaxPathBytes)
      ),
      conf.getConf(MatchRecognizeConf.SpillThresholdRows),
      failureTexts(spec, compiler)
    )
    (program, compiler)
  }

  private def failureTexts(spec: ClauseSpec, compiler: ClauseCompiler): FailureTexts = {
    val (order, orderFields) = compiler.orderKey
    val (target, variable) = spec.clause.afterMatchSkip match {
      case AfterMatchSkip.ToVariable(name, first) =>
        (s"${if (first) "FIRST" else "LAST"} $name", name)
      case other => (other.sql, "")
    }
    FailureTexts(
      spec.clause.pattern.sql,
      spec.clause.partitionSpec.zipWithIndex.map { case (key, i) =>
        UserText.keyName(key) -> AsText(BoundReference(i, key.dataType, nullable = true))
      },
      order.map(AsText(_)),
      orderFields,
      target,
      variable
    )
  }
}
