package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  Descending,
  ExprId,
  Expression,
  Literal,
  SortOrder,
  UnsafeRow
}

import io.matchrecognize.execution.condition.{ConditionCompiler, DeadlineKey}
import io.matchrecognize.execution.pointer.{
  PointerBindings,
  PointerField,
  PointerLayout,
  SymbolSets
}
import io.matchrecognize.execution.rows.StoreSchema
import io.matchrecognize.expressions.GroupingKey
import io.matchrecognize.pattern.Automaton
import io.matchrecognize.plans.WithinBound

/**
 * Compiles a clause to a [[ClauseProgram]]. Pure: it plans nothing and generates no code.
 *
 * The leading ORDER BY key is kept for WITHIN, and for messages if it is a fixed-width column.
 *
 * @param options
 *   which searches may be used
 */
final class ClauseCompiler(
    spec: ClauseSpec,
    automaton: Automaton,
    symbolSets: SymbolSets,
    options: SearchOptions
) {
  import spec.clause._
  import spec.{input, measureOutput, output}

  private val symbols: IndexedSeq[String] = automaton.symbols
  // Their bytes are equal in all rows of a partition, so one row of them serves all.
  private val keys: Map[ExprId, Int] = partitionSpec.zipWithIndex.collect {
    case (c: Attribute, i) if GroupingKey.isBinaryStable(c.dataType) =>
      c.exprId -> i
  }.toMap

  private val keptOrderKey: Option[Expression] = orderSpec.headOption.map(_.child).filter {
    case a: Attribute => within.isDefined || UnsafeRow.isFixedLength(a.dataType)
    case _ => within.isDefined
  }

  private val measureIds = measureOutput.map(_.exprId).toSet
  private val schema: StoreSchema = {
    val read = AttributeSet(
      (conditions ++ measures).flatMap(_.references) ++
        output.filterNot(c => measureIds.contains(c.exprId)) ++ keptOrderKey.toSeq.flatMap(
          _.references
        )
    )
    StoreSchema.of(
      input.indices.filter(i => read.contains(input(i)) && !keys.contains(input(i).exprId)),
      input(_).dataType,
      // Whether a column of a stream can be NULL must not decide the layout of its state.
      !options.isTable || input(_).nullable
    )
  }

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
    newBindings,
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
      new MeasureCompiler(newBindings, rowsPerMatch, measures, measureOutput, output)
        .compile(),
      compileWithin(),
      if (rowsPerMatch.isEachRow) FrameProgram.of(automaton, define, frameRows)
      else FrameProgram.none
    )
    if (program.isTwoPass && options.isTable)
      program.copy(conditions = define.copy(deadlines = None))
    else if (anchors && options.anchoredThreads && define.bySymbol.flatten.exists(!_.rowLocal))
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

  /** The first ORDER BY key over a `PointerRow` of one pointer, if the store keeps it. */
  def orderKey: (Option[Expression], Array[PointerField]) = {
    val layout = newLayout
    val bound = keptOrderKey.map(layout.row(_, 0, None))
    (bound, layout.result)
  }

  private def compileWithin(): Option[WithinProgram] = within.map {
    case WithinBound(bound: Literal, timeZone) =>
      val (key, fields) = orderKey
      WithinProgram(key.get, fields, bound, timeZone)
    case other => throw new IllegalStateException(s"$other is not a constant")
  }

  private def newLayout: PointerLayout = new PointerLayout(input, keys, schema)

  private def newBindings: PointerBindings = new PointerBindings(newLayout, symbolSets)
}
