package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions._

import io.matchrecognize.execution.condition.{ConditionCompiler, DeadlineKey}
import io.matchrecognize.execution.pointer.{PointerBindings, SymbolSets}
import io.matchrecognize.pattern.{AfterMatchSkip, AutomatonBuilder}
import io.matchrecognize.plans.WithinBound

/**
 * Compiles a clause to a [[ClauseProgram]]. Pure: it plans nothing and generates no code.
 *
 * @param options
 *   which searches may be used
 */
final class ClauseCompiler(
    spec: ClauseSpec,
    task: TaskLayout,
    maxPositions: Int,
    options: SearchOptions
) {
  import spec.clause._
  import task.{input, schema}

  private val automaton = AutomatonBuilder.of(pattern, maxPositions)
  private val symbols: IndexedSeq[String] = automaton.symbols
  private val symbolSets = new SymbolSets(symbols, subsets)

  private val defined: IndexedSeq[Expression] = symbols.map { name =>
    definedVariables.indexOf(name) match {
      case -1 => TrueLiteral
      case i => conditions(i)
    }
  }

  // A path that times out matches nothing, so neither a deadline nor a skipped row may end it.
  // FrameProgram reads the conditions of a row pattern window as they are written.
  private val endsEarly = !rowsPerMatch.showsTimeouts && !rowsPerMatch.isEachRow
  // On a stream their registers are part of the state.
  private val anchors = options.isTable && endsEarly
  val conditionCompiler = new ConditionCompiler(
    new PointerBindings(task.conditions, symbolSets),
    automaton,
    defined,
    anchors,
    if (options.deadlines && !rowsPerMatch.isEachRow) deadlineKey else None,
    endsEarly,
    isStream = !options.isTable
  )

  def compile(): ClauseProgram = {
    val define = conditionCompiler.compile()
    val program = ClauseProgram(
      automaton,
      schema,
      define,
      new MeasureCompiler(new PointerBindings(task.newLayout, symbolSets), spec).compile(),
      compileWithin(),
      if (rowsPerMatch.isEachRow) FrameProgram.of(automaton, define, frameRows)
      else FrameProgram.none,
      afterMatchSkip.map(name => symbolSets.of(Some(name))),
      rowsPerMatch,
      failureTexts
    )
    if (program.isTwoPass && options.isTable)
      program.copy(conditions = define.copy(deadlines = None))
    else if (anchors && options.anchoredThreads)
      program.copy(anchored = conditionCompiler.trees)
    else program
  }

  /** The leading ORDER BY key, if it is a column of fixed width that the conditions read. */
  private def deadlineKey: Option[DeadlineKey] = orderSpec.headOption
    .collect { case SortOrder(key: Attribute, direction, _, _) =>
      val column = schema.fixed.indexOf(input.indexWhere(_.exprId == key.exprId))
      DeadlineKey(column, key.dataType, direction == Descending)
    }
    .filter(_.column >= 0)

  private def frameRows: Option[Long] = frameEnd.map {
    case Literal(rows: Long, _) => rows
    case other => throw new IllegalStateException(s"$other is not a number of rows")
  }

  private val orderKey: OrderKey = task.orderKey(spec.keptOrderKey)

  private def compileWithin(): Option[WithinProgram] = within.map {
    case WithinBound(bound: Literal, timeZone) =>
      WithinProgram(orderKey.value.get, orderKey.fields, task.shared(bound), timeZone)
    case other => throw new IllegalStateException(s"$other is not a constant")
  }

  private def failureTexts: FailureTexts = {
    val (target, variable) = afterMatchSkip match {
      case AfterMatchSkip.ToVariable(name, first) =>
        (s"${if (first) "FIRST" else "LAST"} $name", name)
      case other => (other.sql, "")
    }
    FailureTexts(
      pattern.sql,
      task.partitionTexts,
      orderKey.text,
      orderKey.fields,
      target,
      variable,
      spec.name
    )
  }
}
