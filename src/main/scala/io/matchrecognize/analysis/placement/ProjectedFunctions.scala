package io.matchrecognize.analysis.placement

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.matchrecognize.analysis.names.PatternVariables
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.expressions._
import io.matchrecognize.plans.{RowsPerMatch, Subset}

/**
 * Moves what only Spark's Project can compute out of the clause: Python functions,
 * non-deterministic common expressions, which must be evaluated once, and what belongs to the file
 * that a row was read from.
 *
 *   - Over columns of one row (a key, an argument of a navigation or an aggregate, in DEFINE also
 *     the tested row itself) it becomes a column that a Project below the operator computes, once
 *     for each input row, also for rows that no search reads.
 *   - Over results of the match, in MEASURES, the Project above the operator computes the measure
 *     from hidden measures, once for each output row.
 *   - In DEFINE over anything else, and in an aggregate over CLASSIFIER, it would have to run
 *     during the search, so it is refused.
 *   - The current time in DEFINE over a stream is a column too: that of the micro-batch in which
 *     the row arrived. A row is tested in several micro-batches, each time with the same result.
 *
 * Bodies of lambdas are not changed; Spark reports what it does not support there.
 */
final class ProjectedFunctions(
    variables: PatternVariables,
    rowsPerMatch: RowsPerMatch,
    isStream: Boolean
) {
  private val columns = mutable.ArrayBuffer.empty[Alias]
  private val measures = mutable.ArrayBuffer.empty[(Expression, AttributeReference)]

  /** Columns that the Project below adds. */
  def inputColumns: Seq[NamedExpression] = columns.toSeq

  /** Measures that the Project above reads and the user does not see. */
  def hiddenMeasures: Seq[(Expression, AttributeReference)] = measures.toSeq

  /** A key of PARTITION BY or ORDER BY. */
  def key(expression: Expression): Expression = onRow(expression)

  /** A condition; `variable` is the one that it defines. */
  def condition(variable: String, expression: Expression): Expression = expression match {
    case _: LambdaFunction => expression
    case _: Navigation | _: PatternAggregate =>
      val lowered = expression.mapChildren(onRow).transformUp {
        case time if isStream && ContextFunctions.isCurrentTime(time) => column(time)
      }
      refuse(lowered)
      lowered
    case time if isStream && ContextFunctions.isCurrentTime(time) =>
      Navigation(column(time), NavigationTarget.LastRow)
    // Those of a file are not deterministic, so refused before.
    case call @ (_: PythonUDF | _: With) =>
      val ofTestedRow = call.transformUp {
        case Navigation(value, target)
            if Subset
              .isTestedRow(target, variable, variables.subsets) && !value.exists(isOfMatch) =>
          value
      }
      if (ofTestedRow.exists(e => isOfMatch(e) || e.isInstanceOf[Navigation]))
        throw Errors.pythonFunction(call)
      val current = NavigationTarget.LastRow
      Navigation(column(ofTestedRow), current)
    case other => other.mapChildren(condition(variable, _))
  }

  /** @return the measure as the operator computes it, or as the Project above it does */
  def measure(expression: Expression): Either[Expression, Expression] = {
    val lowered = ofMatch(expression)
    if (!existsOutsideLambda(lowered)(isProjected)) Left(lowered)
    else {
      val above = hide(lowered)
      // An unmatched row has NULL in all measures, whatever a function returns for NULL.
      val guarded =
        if (!rowsPerMatch.showsUnmatchedRows) above
        else If(IsNotNull(hidden(TrueLiteral)), above, Literal(null, above.dataType))
      Right(KnownNullable(guarded))
    }
  }

  private def isProjected(e: Expression): Boolean = e match {
    case _: PythonUDF | _: With => true
    case other => ContextFunctions.isOfFile(other)
  }

  /** Whether only the operator can evaluate it. */
  private def isOfMatch(e: Expression): Boolean = e match {
    case _: Classifier | _: MatchNumber | _: PatternAggregate => true
    case _ => false
  }

  private def existsOutsideLambda(e: Expression)(p: Expression => Boolean): Boolean = e match {
    case _: LambdaFunction => false
    case other => p(other) || other.children.exists(existsOutsideLambda(_)(p))
  }

  /** Moves the parts that need only columns of one row. */
  private def onRow(expression: Expression): Expression = expression match {
    case _: LambdaFunction => expression
    case call if isProjected(call) && !call.exists(isOfMatch) => column(call)
    case other => other.mapChildren(onRow)
  }

  private def column(call: Expression): Attribute = {
    val known = columns.find(_.child.semanticEquals(call))
    known.getOrElse {
      val name = call match {
        case udf: PythonUDF => udf.name
        case time if ContextFunctions.isCurrentTime(time) => "time"
        case _ => "common"
      }
      val alias = CurrentOrigin.withOrigin(call.origin)(Alias(call, s"_${name}_of_row")())
      columns += alias
      alias
    }.toAttribute
  }

  private def ofMatch(expression: Expression): Expression = expression match {
    case _: LambdaFunction => expression
    case navigation: Navigation =>
      val lowered = navigation.copy(child = onRow(navigation.child))
      lowered.child.foreach(refuseOfFile)
      if (existsOutsideLambda(lowered.child)(isProjected)) opened(lowered) else lowered
    case aggregate: PatternAggregate =>
      val lowered = aggregate.mapChildren(onRow)
      refuse(lowered)
      lowered
    case other =>
      refuseOfFile(other)
      other.mapChildren(ofMatch)
  }

  private def refuseOfFile(e: Expression): Unit =
    if (ContextFunctions.isOfFile(e)) throw Errors.unsupportedExpressions(Seq(e), e.origin)

  /** Turns a navigation whose function reads CLASSIFIER into the function over navigations. */
  private def opened(navigation: Navigation): Expression = {
    val target = navigation.target
    val value = navigation.child.transformUp {
      case leaf @ (_: AttributeReference | _: Classifier) => Navigation(leaf, target)
    }
    If(IsNotNull(Navigation(TrueLiteral, target)), value, Literal(null, navigation.dataType))
  }

  /** `expression` over the columns of hidden measures. */
  private def hide(expression: Expression): Expression = expression match {
    case leaf @ (_: Navigation | _: PatternAggregate | _: MatchNumber) => hidden(leaf)
    case other => other.mapChildren(hide)
  }

  private def hidden(leaf: Expression): Attribute =
    measures.collectFirst {
      case (known, attribute) if known == leaf && LiteralTexts(known) == LiteralTexts(leaf) =>
        attribute
    } match {
      case Some(attribute) => attribute
      case None =>
        val name = s"_measure_${measures.length}"
        val attribute = AttributeReference(name, leaf.dataType, nullable = true)()
        measures += leaf -> attribute
        attribute
    }

  private def refuse(expression: Expression): Unit =
    if (existsOutsideLambda(expression)(isProjected)) {
      val call = expression.find(isProjected).get
      throw Errors.pythonFunction(call.find(_.isInstanceOf[PythonUDF]).getOrElse(call))
    }
}
