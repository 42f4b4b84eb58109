package io.matchrecognize.execution

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  BoundReference,
  Expression,
  Literal,
  UnsafeRow
}

import io.matchrecognize.expressions._
import io.matchrecognize.matcher.{RegisterPlan, RegisterReads, RowRegister, SymbolSet}
import io.matchrecognize.pattern.Automaton
import io.matchrecognize.plans.{RowsPerMatch, Subset, WithinBound}

/**
 * Compiles a clause to a [[ClauseProgram]]. Pure: it plans nothing and generates no code.
 *
 * Condition classes (by syntax): a condition is row-local if it reads the tested row only, through
 * its own variable, an unqualified column or a union variable that holds its variable, PREV and
 * NEXT of that row included. Everything else goes through registers of the path.
 *
 * @param input
 *   output of the child
 * @param partitionColumns
 *   columns of PARTITION BY
 * @param leadingOrderKey
 *   kept for WITHIN, and for messages if it is a fixed-width column
 * @param output
 *   columns of the operator's output
 */
final class ClauseCompiler(
    input: Seq[Attribute],
    partitionColumns: Seq[Attribute],
    leadingOrderKey: Option[Expression],
    automaton: Automaton,
    subsets: Seq[Subset],
    definedVariables: Seq[String],
    conditions: Seq[Expression],
    measures: Seq[Expression],
    measureOutput: Seq[Attribute],
    rowsPerMatch: RowsPerMatch,
    within: Option[WithinBound],
    output: Seq[Attribute]
) {
  private val symbols: IndexedSeq[String] = automaton.symbols
  private val everySymbol = SymbolSet(symbols.indices.toSet)
  private val symbolSets: Map[String, SymbolSet] =
    symbols.zipWithIndex.map { case (name, i) => name -> SymbolSet(Set(i)) }.toMap ++
      subsets.map(s => s.name -> SymbolSet(s.members.map(symbols.indexOf(_)).toSet))

  // Equal bytes for all rows of the partition: its first row serves them all.
  private val keys: Seq[Attribute] =
    partitionColumns.filter(c => GroupingKey.isBinaryStable(c.dataType))

  private val keptOrderKey: Option[Expression] = leadingOrderKey.filter {
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
    ) -- AttributeSet(keys)
    StoreSchema.of(
      input.indices.filter(i => read.contains(input(i))),
      input(_).dataType,
      input(_).nullable
    )
  }

  def compile(): ClauseProgram =
    ClauseProgram(automaton, schema, compileConditions(), compileMeasures(), compileWindow())

  /** The first ORDER BY key over a frame of one pointer, if the store keeps it. */
  def orderKey: (Option[Expression], Array[FrameField]) = {
    val layout = newLayout
    val bound = keptOrderKey.map(layout.row(_, 0, None))
    (bound, layout.result)
  }

  private def compileWindow(): Option[WindowProgram] = within.map {
    case WithinBound(bound: Literal, timeZone) =>
      val (key, fields) = orderKey
      WindowProgram(key.get, fields, bound, timeZone)
    case other => throw new IllegalStateException(s"$other is no constant")
  }

  private def symbolsOf(variable: Option[String]): SymbolSet =
    variable.map(symbolSets).getOrElse(everySymbol)

  private def newLayout: FrameLayout = new FrameLayout(input, keys, schema)

  /** Gives out pointer slots, one for each distinct way to find a row. */
  private final class Pointers {
    private val slots = mutable.LinkedHashMap.empty[(Int, Int, Int), Int]
    def slot(base: Int, argument: Int, physical: Int): Int =
      slots.getOrElseUpdate((base, argument, physical), slots.size)
    def programs: Array[PointerProgram] = slots.map { case ((base, argument, physical), slot) =>
      PointerProgram(slot, base, argument, physical)
    }.toArray
    def count: Int = slots.size
  }

  // DEFINE

  private def compileConditions(): ConditionsProgram = {
    val layout = newLayout
    val pointers = new Pointers
    val foldPointer = pointers.slot(PointerProgram.Current, 0, 0)
    val registers = mutable.LinkedHashMap.empty[RowRegister, Int]
    val folds = mutable.ArrayBuffer.empty[(PatternAggregate, AggregateProgram)]
    val reads = mutable.ArrayBuffer.fill(symbols.length)(RegisterReads.none)

    val bySymbol = symbols.zipWithIndex.map { case (name, symbol) =>
      val condition = definedVariables.indexOf(name) match {
        case -1 => TrueLiteral
        case i => conditions(i)
      }
      if (condition == TrueLiteral) None
      else {
        val rowRegisters = mutable.Set.empty[Int]
        val foldRegisters = mutable.Set.empty[Int]
        var labels = false
        var number = false

        def pointer(target: NavigationTarget): Int = {
          val set = symbolsOf(target.variable)
          val isTestedRow =
            !target.fromFirst && target.offset == 0 && set.contains(symbol)
          if (isTestedRow) pointers.slot(PointerProgram.Current, 0, target.physicalOffset)
          else if (target.variable.isEmpty) {
            val base =
              if (target.fromFirst) PointerProgram.AfterStart else PointerProgram.BeforeCurrent
            pointers.slot(base, target.offset, target.physicalOffset)
          } else {
            val register = RowRegister(set, target.fromFirst, target.offset)
            val index = registers.getOrElseUpdate(register, registers.size)
            rowRegisters += index
            pointers.slot(PointerProgram.Register, index, target.physicalOffset)
          }
        }

        def isCurrentRow(slot: Int): Boolean = pointers.programs.exists { p =>
          p.slot == slot && p.base == PointerProgram.Current && p.physical == 0
        }

        def bind(e: Expression): Expression = e match {
          case Navigation(value, target) =>
            val slot = pointer(target)
            val label = if (isCurrentRow(slot)) Some(name) else None
            if (label.isEmpty && readsClassifier(value)) labels = true
            if (readsNumber(value)) number = true
            layout.navigation(value, slot, label)
          case aggregate: PatternAggregate =>
            val index = folds.indexWhere(_._1.semanticEquals(aggregate)) match {
              case -1 =>
                folds += aggregate -> aggregateProgram(aggregate, layout, foldPointer)
                folds.length - 1
              case known => known
            }
            foldRegisters += index
            layout.aggregate(index, aggregate.dataType)
          case n: MatchNumber =>
            number = true
            layout.bindNumber(n)
          case other => other.mapChildren(bind)
        }

        val used = mutable.Set.empty[Int]
        val bound = bind(condition)
        bound.foreach {
          case reference: BoundReference =>
            used += layout.result(reference.ordinal).pointer
          case _ =>
        }
        val own = pointers.programs.filter(p => used.contains(p.slot))
        reads(symbol) = RegisterReads(rowRegisters.toSet, foldRegisters.toSet, labels)
        val rowLocal = foldRegisters.isEmpty && !labels && !number &&
          own.forall(_.base == PointerProgram.Current)
        Some(ConditionProgram(bound, rowLocal, own))
      }
    }
    ConditionsProgram(
      layout.result,
      pointers.count,
      bySymbol.toArray,
      RegisterPlan(
        registers.keys.toIndexedSeq,
        folds.map(_._2.symbols).toIndexedSeq,
        reads.toIndexedSeq
      ),
      folds.map(_._2).toArray,
      foldPointer
    )
  }

  private def readsClassifier(e: Expression): Boolean = e.exists(_.isInstanceOf[Classifier])

  private def readsNumber(e: Expression): Boolean = e.exists(_.isInstanceOf[MatchNumber])

  private def aggregateProgram(
      aggregate: PatternAggregate,
      layout: FrameLayout,
      foldPointer: Int
  ): AggregateProgram = {
    val set = symbolsOf(aggregate.variable)
    val function = aggregate.aggregateFunction
    val bound = function
      .withNewChildren(function.children.map(layout.row(_, foldPointer, None)))
      .asInstanceOf[AggregateFunction]
    AggregateProgram(
      bound,
      aggregate.isDistinct,
      aggregate.filter.map(layout.row(_, foldPointer, None)),
      set,
      aggregate.isFinal
    )
  }

  // MEASURES

  private def compileMeasures(): MeasuresProgram = {
    val layout = newLayout
    val pointers = new Pointers
    val rowPointer = pointers.slot(ClauseCompiler.OutputRow, 0, 0)
    val foldPointer = pointers.slot(ClauseCompiler.OutputRow, 1, 0)
    val registers = mutable.LinkedHashMap.empty[RowRegister, Int]
    val aggregates = mutable.ArrayBuffer.empty[(PatternAggregate, AggregateProgram)]
    // With ONE ROW the current row is the last one: RUNNING and FINAL agree.
    val oneRow = rowsPerMatch.isInstanceOf[RowsPerMatch.OneRow]

    def pointer(target: NavigationTarget): Int = {
      val isFinal = target.isFinal && !oneRow
      val (base, argument) = target.variable match {
        case None if target.fromFirst && isFinal =>
          (PointerProgram.AfterStartOfMatch, target.offset)
        case None if target.fromFirst => (PointerProgram.AfterStart, target.offset)
        case None if isFinal => (PointerProgram.BeforeEnd, target.offset)
        case None if target.offset == 0 => (PointerProgram.Current, 0)
        case None => (PointerProgram.BeforeCurrent, target.offset)
        case variable =>
          val register = RowRegister(symbolsOf(variable), target.fromFirst, target.offset)
          val index = registers.getOrElseUpdate(register, registers.size)
          (if (isFinal) PointerProgram.FinalRegister else PointerProgram.Register, index)
      }
      pointers.slot(base, argument, target.physicalOffset)
    }

    def bind(e: Expression): Expression = e match {
      case Navigation(value, target) => layout.navigation(value, pointer(target), None)
      case aggregate: PatternAggregate =>
        val wanted = aggregate.copy(isFinal = aggregate.isFinal && !oneRow)
        val index = aggregates.indexWhere(_._1.semanticEquals(wanted)) match {
          case -1 =>
            aggregates += wanted -> aggregateProgram(wanted, layout, foldPointer)
            aggregates.length - 1
          case known => known
        }
        layout.aggregate(index, aggregate.dataType)
      case n: MatchNumber => layout.bindNumber(n)
      case other => other.mapChildren(bind)
    }

    val boundMeasures = measureOutput.map(_.exprId).zip(measures.map(bind)).toMap
    def column(attribute: Attribute): Expression = layout.column(attribute, rowPointer)
    val matched = output.map(c => boundMeasures.getOrElse(c.exprId, column(c)))
    val unmatched = output.map { c =>
      if (boundMeasures.contains(c.exprId)) Literal(null, c.dataType) else column(c)
    }
    MeasuresProgram(
      layout.result,
      pointers.count,
      pointers.programs.filter(_.base != ClauseCompiler.OutputRow),
      registers.keys.toIndexedSeq,
      aggregates.map(_._2).toArray,
      matched,
      unmatched,
      rowPointer,
      foldPointer
    )
  }
}

object ClauseCompiler {

  /** Base of the pointers that the evaluator sets itself. */
  private val OutputRow = -1
}
