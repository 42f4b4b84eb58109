package io.matchrecognize.execution

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  BindReferences,
  Cast,
  EvalMode,
  Expression
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.types.StringType

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.UserText
import io.matchrecognize.matcher.{MatcherLimits, SkipStrategy}
import io.matchrecognize.pattern.Automaton
import io.matchrecognize.plans._

/** Everything that a task needs, compiled on the driver. */
final case class TaskProgram(
    clause: ClauseProgram,
    input: Seq[Attribute],
    partitionSpec: Seq[Expression],
    skip: SkipStrategy,
    mode: OutputMode,
    limits: MatcherLimits,
    spillThreshold: Int,
    failureTexts: FailureTexts
)

object TaskProgram {
  def of(exec: MatchRecognizeExec): TaskProgram = {
    val conf = SQLConf.get
    val text = exec.clause
    val automaton = Automaton(
      text.pattern,
      identity,
      conf.getConf(MatchRecognizeConf.MaxPatternPositions),
      conf.getConf(MatchRecognizeConf.MaxPermuteElements)
    )
    val symbolSets = new SymbolSets(automaton.symbols, text.subsets)
    val compiler = new ClauseCompiler(
      exec.child.output,
      exec.partitionSpec.collect { case a: Attribute => a },
      exec.orderSpec.headOption.map(_.child),
      automaton,
      symbolSets,
      exec.definedVariables,
      exec.conditions,
      exec.measures,
      exec.measureOutput,
      text.rowsPerMatch,
      exec.within,
      exec.output
    )
    val limits = MatcherLimits(
      conf.getConf(MatchRecognizeConf.MaxStepsPerMatch),
      conf.getConf(MatchRecognizeConf.MaxPathBytes)
    )
    TaskProgram(
      compiler.compile(),
      exec.child.output,
      exec.partitionSpec,
      skip(text.afterMatchSkip, symbolSets),
      mode(text.rowsPerMatch),
      limits,
      conf.getConf(MatchRecognizeConf.SpillThresholdRows),
      failureTexts(exec, compiler, limits)
    )
  }

  private def skip(clause: AfterMatchSkip, symbolSets: SymbolSets): SkipStrategy = clause match {
    case AfterMatchSkip.PastLastRow => SkipStrategy.PastLastRow
    case AfterMatchSkip.ToNextRow => SkipStrategy.ToNextRow
    case AfterMatchSkip.ToVariable(variable, true) =>
      SkipStrategy.ToFirst(symbolSets.of(Some(variable)))
    case AfterMatchSkip.ToVariable(variable, false) =>
      SkipStrategy.ToLast(symbolSets.of(Some(variable)))
  }

  private def mode(rowsPerMatch: RowsPerMatch): OutputMode = rowsPerMatch match {
    case RowsPerMatch.OneRow(showTimeoutMatches) =>
      OutputMode(
        oneRow = true,
        showEmpty = true,
        unmatchedRows = false,
        timeouts = showTimeoutMatches
      )
    case RowsPerMatch.AllRows(mode) =>
      OutputMode(
        oneRow = false,
        showEmpty = mode != AllRowsMode.OmitEmptyMatches,
        unmatchedRows = mode == AllRowsMode.WithUnmatchedRows,
        timeouts = false
      )
  }

  private def failureTexts(
      exec: MatchRecognizeExec,
      compiler: ClauseCompiler,
      limits: MatcherLimits
  ): FailureTexts = {
    val zone = Some(SQLConf.get.sessionLocalTimeZone)
    def asText(e: Expression): Expression =
      Cast(e, StringType, zone, EvalMode.TRY)
    val (order, orderFields) = compiler.orderKey
    val (target, variable) = exec.clause.afterMatchSkip match {
      case AfterMatchSkip.ToVariable(name, first) =>
        (s"${if (first) "FIRST" else "LAST"} $name", name)
      case other => (other.sql, "")
    }
    FailureTexts(
      exec.clause.pattern.sql,
      exec.partitionSpec.map { key =>
        val name = key match {
          case a: Attribute => a.name
          case Alias(_, name) => name
          case other => UserText.of(other)
        }
        name -> asText(BindReferences.bindReference(key, exec.child.output))
      },
      order.map(asText),
      orderFields,
      target,
      variable,
      limits.maxSteps,
      limits.maxPathBytes
    )
  }
}

/** Makes the iterator of each task. */
final class MatchEvaluatorFactory(program: TaskProgram, metrics: MatchMetrics)
    extends Serializable {

  def evaluate(partitionIndex: Int, rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val resources = new TaskResources(TaskContext.get(), metrics.spillSize += _)
    val store = new RowStore(
      program.clause.schema,
      resources.memoryManager,
      resources,
      program.spillThreshold
    )
    resources.onCompletion { () =>
      metrics.peakMemory.set(math.max(metrics.peakMemory.value, store.peakMemory))
      resources.reportPeakMemory(store.peakMemory)
      store.free()
    }
    val reader = new PartitionReader(rows, program.input, program.partitionSpec, store)
    val failures = new RunTimeFailures(program.failureTexts, reader, store)
    new MatchIterator(
      program.clause,
      reader,
      store,
      resources,
      program.skip,
      program.limits,
      program.mode,
      partitionIndex,
      metrics,
      failures
    )
  }
}
