package io.matchrecognize.analysis.window

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Expression,
  GetArrayItem,
  Literal,
  NthValue,
  SortOrder,
  WindowExpression,
  WindowFunction
}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.expressions.NavigationCall
import io.matchrecognize.plans.{FrameFunction, RowPatternWindow}

/**
 * The functions called over one row pattern window, as measures of its clause: the reduced frame is
 * the rows of the match, so an aggregate over it is the aggregate over all rows of the match, and
 * the first, last and nth value are navigations.
 *
 * Functions that have no frame (`row_number`, `rank`, `lag`, `ntile` and their like) are computed
 * over the partition, by Spark.
 */
private[window] final class WindowFunctions(
    val window: RowPatternWindow,
    val partitionSpec: Seq[Expression],
    val orderSpec: Seq[SortOrder]
) {
  private val added = mutable.ArrayBuffer.empty[Expression]

  def measures: Seq[Expression] = added.toSeq

  /** @return the function over the partition, or the number of its measure */
  def add(call: WindowExpression): Either[Expression, Int] =
    CurrentOrigin.withOrigin(call.windowFunction.origin) {
      call.windowFunction match {
        case nth: NthValue => Right(measure(nthValue(nth)))
        case _: WindowFunction =>
          val spec = call.windowSpec.copy(partitionSpec = partitionSpec, orderSpec = orderSpec)
          Left(call.copy(windowSpec = spec))
        case AggregateExpression(First(value, false), _, _, None, _) if readsColumn(value) =>
          Right(measure(NavigationCall("FIRST", value, None)))
        case AggregateExpression(Last(value, false), _, _, None, _) if readsColumn(value) =>
          Right(measure(NavigationCall("LAST", value, None)))
        case aggregate: AggregateExpression =>
          if (isOrderedSet(aggregate.aggregateFunction))
            throw Errors.windowSpecOfAggregate(aggregate)
          Right(measure(aggregate))
        case other => throw Errors.notOverWindow(other)
      }
    }

  private def measure(function: Expression): Int = {
    added += FrameFunction(function)
    window.measureNames.length + added.length - 1
  }

  private def nthValue(nth: NthValue): Expression = {
    val number = nth.offset.eval() match {
      case n: Number => n.intValue - 1
      case _ => throw Errors.unsupportedExpressions(Seq(nth), nth.origin)
    }
    if (!nth.ignoreNulls && readsColumn(nth.input))
      NavigationCall("FIRST", nth.input, Some(Literal(number)))
    else if (nth.ignoreNulls)
      GetArrayItem(
        new CollectList(nth.input).toAggregateExpression(),
        Literal(number),
        failOnError = false
      )
    else throw Errors.unsupportedExpressions(Seq(nth), nth.origin)
  }

  private def readsColumn(e: Expression): Boolean = e.exists(_.isInstanceOf[AttributeReference])

  /** Aggregates that Spark refuses over a window with ORDER BY. */
  private def isOrderedSet(function: AggregateFunction): Boolean = function match {
    case _: PercentileCont | _: PercentileDisc | _: Median => true
    case _ => false
  }
}
