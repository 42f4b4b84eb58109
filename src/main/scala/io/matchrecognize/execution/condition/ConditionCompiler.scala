package io.matchrecognize.execution.condition

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, DeclarativeAggregate}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnsafeRow}

import io.matchrecognize.execution.pointer._
import io.matchrecognize.expressions._
import io.matchrecognize.matcher.{AnchoredRows, RegisterPlan, RegisterReads, RowRegister}
import io.matchrecognize.pattern.Automaton

/**
 * DEFINE.
 *
 * @param bySymbol
 *   None for a variable whose condition is always TRUE
 * @param necessary
 *   row-local conjuncts of the conditions that are not row-local
 * @param deadlines
 *   what the conditions imply about the last row of a match, or the next one
 */
final case class ConditionsProgram(
    fields: Array[PointerField],
    pointerCount: Int,
    bySymbol: Array[Option[RowExpression]],
    necessary: Array[Option[RowExpression]],
    registers: RegisterPlan,
    folds: Array[AggregateProgram],
    deadlines: Option[DeadlineProgram]
)

/**
 * Compiles DEFINE. A condition is row-local if it reads only the tested row, through its own
 * variable, an unqualified column or a union variable that contains its variable, and by PREV and
 * NEXT the row's neighbours. Everything else goes through registers of the path.
 *
 * @param conditions
 *   one for each symbol, TRUE where DEFINE has none
 * @param anchors
 *   whether registers that hold a row at a fixed distance from the first one are replaced by it
 * @param orderKey
 *   to look for deadlines: the leading ORDER BY key
 * @param endsEarly
 *   whether an attempt may end where no match can end any more
 * @param isStream
 *   whether it may end where no row can be mapped any more
 */
final class ConditionCompiler(
    bindings: PointerBindings,
    automaton: Automaton,
    conditions: IndexedSeq[Expression],
    anchors: Boolean,
    orderKey: Option[DeadlineKey],
    endsEarly: Boolean,
    isStream: Boolean
) {
  private val symbols = automaton.symbols
  private lazy val fewestBefore = automaton.fewestBefore
  private val labelRegisters = mutable.LinkedHashMap.empty[RowRegister, Int]
  private val binders = symbols.indices.map(new Binder(_))
  // All that they read is known once they are bound.
  private lazy val bound: IndexedSeq[Option[Expression]] = symbols.indices.map { symbol =>
    Option.when(conditions(symbol) != TrueLiteral) {
      bindings.layout.shared(binders(symbol).bind(conditions(symbol)))
    }
  }
  private lazy val folds = bindings.aggregatePrograms
  private lazy val rows = new AnchoredRows(automaton, bindings.registers)
  private lazy val facts = symbols.indices.map(factsOf(_, anchors))
  private lazy val anchored = if (anchors) facts else symbols.indices.map(factsOf(_, true))

  def compile(): ConditionsProgram = {
    val compiled = facts.map(_.map(_.condition))
    def reads(parts: ConditionFacts => Seq[RowExpression]) =
      facts.zip(binders).map { case (condition, binder) =>
        condition.fold(RegisterReads.none)(c => binder.reads(parts(c)))
      }
    ConditionsProgram(
      bindings.layout.result,
      bindings.layout.pointerCount,
      compiled.toArray,
      facts.map(_.flatMap(_.necessary)).toArray,
      RegisterPlan(
        bindings.registers,
        labelRegisters.keys.toIndexedSeq,
        folds.map(_.symbols).toIndexedSeq,
        reads(c => Seq(c.condition)),
        reads(c => c.conjuncts.map(_.part).filter(c.isSettled)),
        reads(c => c.conjuncts.map(_.part).filterNot(c.isSettled))
      ),
      folds,
      orderKey.flatMap(deadlinesOf)
    )
  }

  /**
   * For `AnchoredConditions`; None if some condition reads more than the first rows of the match.
   */
  def trees: Option[Array[Option[ConditionTree]]] =
    Option.when(!anchored.flatten.exists(_.condition.readsPath)) {
      anchored.map { condition =>
        condition.filter(!_.condition.rowLocal).map(new ConditionTreeCompiler(_).tree)
      }.toArray
    }

  /**
   * What a trace shows of the condition of each symbol; after `compile`.
   *
   * @param asText
   *   an expression as a string
   */
  def shown(asText: Expression => Expression): Array[Array[ShownConjunct]] =
    facts.zip(binders).toArray.map { case (condition, binder) =>
      condition.toArray.flatMap(ShownCondition.of(_, read => asText(binder.bind(read))))
    }

  /** @param anchors whether rows at a fixed distance from the first row are read as such */
  private def factsOf(symbol: Int, anchors: Boolean): Option[ConditionFacts] = {
    def anchor(pointer: PointerProgram) = pointer.base match {
      case PointerBase.Register(number, isFinal) if anchors =>
        rows
          .offset(symbol, number)
          .fold(pointer)(k => pointer.copy(base = PointerBase.AfterFirst(k, isFinal)))
      case _ => pointer
    }
    bound(symbol).map { condition =>
      new ConditionFacts(
        conditions(symbol),
        condition,
        bindings.layout.result,
        bindings.layout.pointers,
        anchor,
        fewestBefore(symbol)
      )
    }
  }

  private def deadlinesOf(key: DeadlineKey): Option[DeadlineProgram] = {
    val positions = 0 until automaton.positions
    val last =
      positions.filter(automaton.targets(_).contains(Automaton.Accept)).map(automaton.symbolOf)
    val ends = last.distinct.filter(_ => endsEarly).map { symbol =>
      anchored(symbol).fold(noChecks)(c => checks(symbol, key, c, c(_).isFixed))
    }
    val isEnding = ends.nonEmpty && ends.forall(_.nonEmpty)
    val next = symbols.indices.filter(_ => isStream).map { symbol =>
      facts(symbol).fold(noChecks) { c =>
        checks(symbol, key, c, c.precedes(_, !folds(_).symbols.contains(symbol)))
      }
    }
    val following = positions.flatMap(automaton.targets).filter(_ != Automaton.Accept)
    val all = (if (isEnding) ends else Nil) ++ next
    Option.when(all.exists(_.nonEmpty)) {
      DeadlineProgram(
        key,
        if (isEnding) ends.map(_.map(_._1)) else Nil,
        next.map(_.map(_._1)),
        isEnding || following.forall(p => next(automaton.symbolOf(p)).nonEmpty),
        all.flatten.map(_._2).distinct.mkString("; ")
      )
    }
  }

  private def noChecks = Seq.empty[(RowExpression, String)]

  /** The checks of a symbol's condition, each with its text. */
  private def checks(
      symbol: Int,
      key: DeadlineKey,
      condition: ConditionFacts,
      isFixed: Expression => Boolean
  ): Seq[(RowExpression, String)] = {
    def isKeyOf(base: PointerBase)(e: Expression) = condition.isColumn(e, key.column, base)
    val isKey: Expression => Boolean = isKeyOf(PointerBase.Current)
    val deadlines = new Deadlines(
      key.dataType,
      key.isDescending,
      isKey,
      isFixed,
      // See TableDeadlines.
      e => isKey(e) || isKeyOf(PointerBase.AfterFirst(0, isFinal = false))(e)
    )
    condition.conjuncts.flatMap { case Conjunct(written, part) =>
      deadlines
        .of(part.expression)
        .map(e => part.copy(expression = e) -> s"${symbols(symbol)}: $written")
    }
  }

  /** Binds the condition of one symbol and notes whose labels it reads. */
  private final class Binder(symbol: Int) {
    private val labels = mutable.Set.empty[Int]
    private var allLabels = false

    /** What parts of the condition read besides the tested row; all of its labels if any. */
    def reads(parts: Seq[RowExpression]): RegisterReads = {
      val bases = parts.flatMap(_.pointers).map(_.base)
      val fields = fieldsOf(parts.map(_.expression))
      val read = fields.collect { case PointerField.Aggregate(fold, _) => fold }.toSet
      val isLabelled = fields.exists(_.isInstanceOf[PointerField.Label])
      RegisterReads(
        bases.collect { case PointerBase.Register(r, _) => r }.toSet,
        read,
        if (isLabelled) labels.toSet else Set.empty,
        isLabelled && allLabels,
        fields.contains(PointerField.Number) || read.map(folds(_)).exists(isOfAttempt) ||
          bases.exists {
            case PointerBase.Register(_, _) => false
            case base => base != PointerBase.Current
          }
      )
    }

    private def fieldsOf(expressions: Seq[Expression]) =
      expressions.flatMap(PointerField.readBy(_, bindings.layout.result))

    /** Whether attempts differ in its later values, or may do, or it is not worth remembering. */
    private def isOfAttempt(fold: AggregateProgram): Boolean =
      fold.isDistinct || !isOfFixedSize(fold.function) ||
        fieldsOf(fold.function +: fold.filter.toSeq).contains(PointerField.Number)

    /** Others may be large, and those of failed attempts are kept. */
    private def isOfFixedSize(function: AggregateFunction) = function match {
      case f: DeclarativeAggregate =>
        f.aggBufferAttributes.map(_.dataType).forall(UnsafeRow.isMutable)
      case _ => false
    }

    def bind(e: Expression): Expression = e match {
      case Navigation(value, target) =>
        // The label of the tested row itself is known.
        val label =
          if (isTestedRow(target) && target.physicalOffset == 0) Some(symbols(symbol)) else None
        val read =
          if (label.isEmpty && value.exists(_.isInstanceOf[Classifier])) labelled(value, target)
          else value
        val own = if (isTestedRow(target)) target.copy(variable = None) else target
        bindings.layout.navigation(read, bindings.pointer(own), label)
      case aggregate: PatternAggregate =>
        bindings.layout.aggregate(bindings.aggregate(aggregate), aggregate.dataType)
      case _: MatchNumber => bindings.layout.number
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
      else if (offset >= 0) {
        val register = RowRegister(set, target.fromFirst, offset)
        labels += labelRegisters.getOrElseUpdate(register, labelRegisters.size)
      }
      if (offset >= 0) value
      else value.transform { case c: Classifier => Literal(null, c.dataType) }
    }

    private def isTestedRow(target: NavigationTarget): Boolean =
      bindings.symbolSets.isTestedRow(target, symbol)
  }
}
