package io.matchrecognize.analysis.checks

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnaryMinus}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ByteType, IntegerType, LongType, ShortType}

import io.matchrecognize.analysis.names.OuterConstants
import io.matchrecognize.analysis.typing.Constants
import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, UserText}
import io.matchrecognize.expressions.MatchNumber
import io.matchrecognize.pattern.{AutomatonBuilder, PatternTooLarge, RowPattern}
import io.matchrecognize.plans.{ClausePositions, MatchRecognize, UnresolvedMatchRecognize}

/** Checks a clause whose expressions are resolved. */
object ClauseChecks {

  /** What is particular to a row pattern window. */
  def window(node: UnresolvedMatchRecognize): Unit = {
    if (node.child.isStreaming) throw Errors.windowOnStream(node.positions.clause)
    node.expressionsByPart.foreach { case (_, expression) =>
      expression.foreach {
        case number: MatchNumber => throw Errors.windowFunctionOfMatch(number)
        case _ =>
      }
    }
  }

  /** The end of the frame as a literal. */
  def frameEnd(end: Expression): Literal =
    if (OuterConstants.isPlaceholder(end)) Literal(0L)
    else
      Constants.fold(end) match {
        case Some(Literal(rows: Number, ByteType | ShortType | IntegerType | LongType))
            if rows.longValue >= 0 =>
          Literal(rows.longValue)
        case _ =>
          val place = end match {
            case UnaryMinus(child, _) if end.origin.line.isEmpty => child.origin
            case other => other.origin
          }
          throw Errors.frameEnd(end, place)
      }

  /** No measure may have the name of another output column. */
  def outputColumns(clause: UnresolvedMatchRecognize, resolved: MatchRecognize): Unit = {
    val resolver = SQLConf.get.resolver
    if (resolved.output.isEmpty) throw Errors.noOutputColumns(clause.positions.rowsPerMatch)
    val measures = resolved.measureOutput
    val columns = resolved.output.filterNot(c => measures.exists(_.exprId == c.exprId))
    measures.zipWithIndex.foreach { case (measure, i) =>
      val earlier = measures.take(i).find(m => resolver(m.name, measure.name))
      val column = columns.find(c => resolver(c.name, measure.name))
      val first = earlier
        .map(m => s"The measure ${UserText.quoted(m.name)}")
        .orElse(column.map(c => s"The input column ${UserText.quoted(c.name)}"))
      first.foreach { text =>
        val origin = clause.positions.measureNames(i)
        val second = s"the measure ${UserText.quoted(measure.name)}"
        throw Errors.duplicateOutput(measure.name, text, second, origin)
      }
    }
  }

  /** A PATTERN must not exceed the session's limits once bounds and PERMUTE are written out. */
  def patternSize(pattern: RowPattern, places: ClausePositions): Unit = {
    val positions = MatchRecognizeConf.patternPositions(SQLConf.get)
    try AutomatonBuilder.of(pattern, positions)
    catch {
      case e: PatternTooLarge if e.kind == PatternTooLarge.PermuteElements =>
        val origin = places.permutations.collectFirst { case (o, n) if n > e.limit => o }
        throw Errors.permuteTooLarge(e.size, e.limit, origin.getOrElse(places.pattern))
      case e: PatternTooLarge if e.kind == PatternTooLarge.Edges =>
        throw Errors.tooManyFollowers(e.limit, places.pattern)
      case e: PatternTooLarge =>
        val config = MatchRecognizeConf.MaxPatternPositions.key
        throw Errors.patternTooLarge(
          e.kind,
          e.limit,
          s""""$config" = $positions""",
          places.pattern
        )
    }
  }
}
