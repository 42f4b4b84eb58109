package io.matchrecognize.execution.compile

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.{
  And,
  BoundReference,
  Expression,
  Literal,
  PredicateHelper
}

import io.matchrecognize.expressions._
import io.matchrecognize.matcher.anchored.AnchoredRows
import io.matchrecognize.matcher.{RegisterPlan, RegisterReads, RowRegister}
import io.matchrecognize.pattern.Automaton

/**
 * Compiles DEFINE. A condition is row-local if it reads only the tested row, through its own
 * variable, an unqualified column or a union variable that contains its variable, and by PREV and
 * NEXT the row's neighbours. Everything else goes through registers of the path.
 *
 * @param conditions
 *   one for each symbol, TRUE where DEFINE has none
 * @param anchors
 *   whether registers that hold a row at a fixed distance from the first one are replaced by it
 * @param hasAllRows
 *   see `SearchOptions`
 * @param orderKey
 *   to look for deadlines: the leading ORDER BY key
 */
final class ConditionCompiler(
    bindings: PointerBindings,
    automaton: Automaton,
    conditions: IndexedSeq[Expression],
    anchors: Boolean,
    hasAllRows: Boolean,
    orderKey: Option[DeadlineKey]
) extends PredicateHelper {
  private val symbols = automaton.symbols
  private lazy val fewestBefore = automaton.fewestBefore
  private val labelRegisters = mutable.ArrayBuffer.empty[RowRegister]

  def compile(): ConditionsProgram = {
    val compiled = symbols.indices.map { symbol =>
      if (conditions(symbol) == TrueLiteral) (None, RegisterReads.none)
      else {
        val (program, reads) = new Binder(symbol).compile(conditions(symbol))
        (Some(program), reads)
      }
    }
    val necessary = symbols.indices.map { symbol =>
      compiled(symbol)._1.filter(!_.rowLocal).flatMap(_ => localPart(symbol))
    }
    val rows = new AnchoredRows(automaton, bindings.registers)
    val anchored = symbols.indices.map { symbol =>
      if (anchors) compiled(symbol)._1.map(anchor(symbol, _, rows)) else compiled(symbol)._1
    }
    val deadlines = orderKey.flatMap(deadlinesOf(_, anchor(_, _, rows)))
    val folds = bindings.aggregatePrograms
    val orders = AggregateOrders.of(
      folds.toIndexedSeq,
      compiled.flatMap(_._1).map(_.expression),
      bindings.layout.result,
      hasAllRows
    )
    ConditionsProgram(
      bindings.layout.result,
      bindings.pointerCount,
      anchored.toArray,
      necessary.toArray,
      RegisterPlan(
        bindings.registers,
        labelRegisters.toIndexedSeq,
        folds.map(_.symbols).toIndexedSeq,
        orders.map(_.order),
        symbols.indices.map { symbol =>
          val read = anchored(symbol).toSeq.flatMap(_.pointers.map(_.base)).collect {
            case PointerBase.Register(number, _) => number
          }
          compiled(symbol)._2.copy(rows = read.toSet)
        }
      ),
      folds,
      orders.map(_.guard).toArray,
      deadlines,
      bindings.aggregatesAsFormerly
    )
  }

  /**
   * A part of the condition of a symbol, bound as the compiled condition is: it reads nothing that
   * the condition does not read.
   */
  def bindPart(symbol: Int, part: Expression): Expression = new Binder(symbol).bind(part)

  /** Reads rows at a fixed distance from the first row as such. */
  private def anchor(
      symbol: Int,
      condition: ConditionProgram,
      rows: AnchoredRows
  ): ConditionProgram = {
    val pointers = condition.pointers.map { pointer =>
      pointer.base match {
        case PointerBase.Register(number, isFinal) =>
          rows
            .offset(symbol, number)
            .fold(pointer)(k => pointer.copy(base = PointerBase.AfterFirst(k, isFinal)))
        case _ => pointer
      }
    }
    val readsNoPath = pointers.map(_.base).forall {
      case PointerBase.AfterFirst(offset, _) => offset <= fewestBefore(symbol)
      case base => base == PointerBase.Current
    }
    condition.copy(pointers = pointers, anchored = condition.anchored && readsNoPath)
  }

  private def deadlinesOf(
      key: DeadlineKey,
      anchor: (Int, ConditionProgram) => ConditionProgram
  ): Option[DeadlineProgram] = {
    val compiler = new DeadlineCompiler(key, bindings.layout)
    val last = (0 until automaton.positions).filter { position =>
      (automaton.firstEdge(position) until automaton.endEdge(position))
        .exists(automaton.target(_) == Automaton.Accept)
    }
    val found = last.map(automaton.symbolOf).distinct.map { symbol =>
      splitConjunctivePredicates(conditions(symbol)).flatMap { conjunct =>
        val program = anchor(symbol, new Binder(symbol).compile(conjunct)._1)
        if (program.anchored) compiler.compile(program, s"${symbols(symbol)}: $conjunct") else None
      }
    }
    Option.when(found.nonEmpty && found.forall(_.nonEmpty))(compiler.program(found))
  }

  /** The conjuncts of a condition that read the tested row only. */
  private def localPart(symbol: Int): Option[ConditionProgram] =
    splitConjunctivePredicates(conditions(symbol))
      .filter(new Binder(symbol).compile(_)._1.rowLocal)
      .reduceOption(And(_, _))
      .map(new Binder(symbol).compile(_)._1)

  private def indexOf(registers: mutable.ArrayBuffer[RowRegister], register: RowRegister): Int = {
    if (!registers.contains(register)) registers += register
    registers.indexOf(register)
  }

  /** Binds the condition of one symbol and notes what it reads besides the tested row. */
  private final class Binder(symbol: Int) {
    private val folds = mutable.Set.empty[Int]
    private val labels = mutable.Set.empty[Int]
    private var allLabels = false
    private var number = false

    def compile(condition: Expression): (ConditionProgram, RegisterReads) = {
      val bound = bind(condition)
      val fields = bindings.layout.result
      val used = bound.collect { case r: BoundReference => fields(r.ordinal).pointer }.toSet
      val pointers = bindings.pointers.filter(p => used.contains(p.slot))
      val readsRows = folds.isEmpty && labels.isEmpty && !allLabels && !number
      val rowLocal = readsRows && pointers.forall(_.base == PointerBase.Current)
      val rowRegisters = pointers.map(_.base).collect { case PointerBase.Register(r, _) => r }
      val reads = RegisterReads(rowRegisters.toSet, folds.toSet, labels.toSet, allLabels)
      (ConditionProgram(bound, rowLocal, readsRows, Fallible(bound), pointers), reads)
    }

    def bind(e: Expression): Expression = e match {
      case Navigation(value, target) =>
        // The label of the tested row itself is known.
        val label =
          if (isTestedRow(target) && target.physicalOffset == 0) Some(symbols(symbol)) else None
        val read =
          if (label.isEmpty && value.exists(_.isInstanceOf[Classifier])) labelled(value, target)
          else value
        number ||= value.exists(_.isInstanceOf[MatchNumber])
        val own = if (isTestedRow(target)) target.copy(variable = None) else target
        bindings.layout.navigation(read, bindings.pointer(own), label)
      case aggregate: PatternAggregate =>
        val fold = bindings.aggregate(aggregate)
        folds += fold
        bindings.layout.aggregate(fold, aggregate.dataType)
      case _: MatchNumber =>
        number = true
        bindings.layout.number
      case other => other.mapChildren(bind)
    }

    /**
     * Notes which row's label is read; a row ahead of the tested one or before the match has none.
     */
    private def labelled(value: Expression, target: NavigationTarget): Expression = {
      val set = bindings.symbolSets.of(if (isTestedRow(target)) None else target.variable)
      val isEvery = symbols.indices.forall(set.contains)
      val offset =
        if (!isEvery) target.offset
        else if (target.fromFirst) target.offset + target.physicalOffset
        else target.offset - target.physicalOffset
      if (!isEvery && target.physicalOffset != 0) allLabels = true
      else if (offset >= 0)
        labels += indexOf(labelRegisters, RowRegister(set, target.fromFirst, offset))
      if (offset >= 0) value
      else value.transform { case c: Classifier => Literal(null, c.dataType) }
    }

    private def isTestedRow(target: NavigationTarget): Boolean =
      !target.fromFirst && target.offset == 0 &&
        bindings.symbolSets.of(target.variable).contains(symbol)
  }
}
