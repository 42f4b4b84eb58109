package io.matchrecognize.execution.compile

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

import io.matchrecognize.execution.pointer.{AggregateProgram, PointerBase, PointerField}
import io.matchrecognize.expressions.{EvalModes, GroupingKey, OrderedFunctions}
import io.matchrecognize.matcher.{RowRegister, SummaryPlan, SymbolSet}
import io.matchrecognize.pattern.AfterMatchSkip

/**
 * What ONE ROW PER MATCH reads of a match besides its first and last row: the measures' registers,
 * counts and folds of a `SummaryPlan`.
 *
 * @param countOf
 *   for each aggregate its index among the plan's counts, -1 if it is a fold
 * @param foldOf
 *   for each aggregate its index among the plan's folds, -1 if it is a count
 * @param mayOverflow
 *   for each of the plan's folds whether it is a sum that overflows in some orders of the rows only
 */
final case class SummaryProgram(
    plan: SummaryPlan,
    countOf: Array[Int],
    foldOf: Array[Int],
    mayOverflow: Array[Boolean]
)

object SummaryProgram {

  /** The summary that overlapping or long matches of a table may be reduced to. */
  def of(clause: ClauseProgram): Option[SummaryProgram] = {
    import clause._
    val overlaps = isTwoPass && skip != AfterMatchSkip.PastLastRow
    if (rowsPerMatch.evaluatesOnLastRow && (overlaps || anchored.isDefined)) of(measures, skip)
    else None
  }

  /**
   * None if a measure needs more than a summary: a label of a row other than the last one, or an
   * aggregate whose result may depend on the order of its rows, as sums of floating-point numbers
   * and lists do.
   */
  private def of(
      measures: MeasuresProgram,
      skip: AfterMatchSkip[SymbolSet]
  ): Option[SummaryProgram] = {
    val target = skip match {
      case AfterMatchSkip.ToVariable(set, first) => Some(RowRegister(set, first, 0))
      case AfterMatchSkip.PastLastRow | AfterMatchSkip.ToNextRow => None
    }
    val aggregates = measures.aggregates.toIndexedSeq
    val (counts, folds) = aggregates.indices.partition(i => isRowCount(aggregates(i)))
    val possible = readsLastLabelOnly(measures) &&
      folds.forall(i =>
        foldsInAnyOrder(aggregates(i)) && aggregates(i).readsColumnsOnly(measures.fields)
      )
    Option.when(possible) {
      val plan = SummaryPlan(
        measures.registers ++ target,
        counts.map(aggregates(_).symbols),
        folds.map(aggregates(_).symbols),
        if (target.isEmpty) -1 else measures.registers.size
      )
      val all = aggregates.indices
      SummaryProgram(
        plan,
        all.map(counts.indexOf(_)).toArray,
        all.map(folds.indexOf(_)).toArray,
        folds.map(i => mayOverflow(aggregates(i))).toArray
      )
    }
  }

  private def readsLastLabelOnly(measures: MeasuresProgram): Boolean = {
    val lastRow = measures.pointers
      .filter(p => p.base == PointerBase.Current && p.physical == 0)
      .map(_.slot)
      .toSet
    measures.fields.forall {
      case PointerField.Label(pointer) => lastRow.contains(pointer)
      case _ => true
    }
  }

  private def isRowCount(aggregate: AggregateProgram): Boolean = aggregate.function match {
    case Count(arguments) =>
      aggregate.filter.isEmpty && !aggregate.isDistinct && arguments.forall {
        case Literal(value, _) => value != null
        case _ => false
      }
    case _ => false
  }

  private[execution] def foldsInAnyOrder(aggregate: AggregateProgram): Boolean =
    !aggregate.isDistinct && orderless.get(aggregate.function.getClass).exists { isFor =>
      aggregate.function.children.forall(child => isFor(child.dataType))
    }

  /** For each aggregate whether it has no order for arguments of a type. */
  private[execution] val orderless: Map[Class[_], DataType => Boolean] =
    Map[Class[_], DataType => Boolean](
      (classOf[Count], _ => true),
      (classOf[Sum], isExactSum),
      (classOf[Average], t => t.isInstanceOf[DecimalType] && isExactSum(t)),
      // If equal values are identical, it does not matter which of them is returned.
      (classOf[Min], GroupingKey.isBinaryStable),
      (classOf[Max], GroupingKey.isBinaryStable)
    )

  /** SUM of BIGINT that does not wrap around: see `BoundedSum`. */
  private[execution] def mayOverflow(aggregate: AggregateProgram): Boolean =
    aggregate.function match {
      case s: Sum => s.child.dataType == LongType && (EvalModes.isAnsi(s) || EvalModes.isTry(s))
      case _ => false
    }

  // Spark adds ten digits, so sums of such decimals do not overflow.
  private def isExactSum(dataType: DataType): Boolean = dataType match {
    case d: DecimalType => d.precision + 10 <= DecimalType.MAX_PRECISION
    case _ => OrderedFunctions.isInteger(dataType)
  }
}
