package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{
  Cast,
  Expression,
  ExpressionInfo,
  NamedArgumentExpression
}
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.{
  CompoundBody,
  ExecutableDuringAnalysis,
  LogicalPlan
}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.types.DataType

import io.matchrecognize.analysis.typing.Constants
import io.matchrecognize.shims.{MinorClass, ParseExceptions}

/**
 * A table function that gets the text of a query.
 *
 * @param parameters
 *   the names of its parameters, in their order
 * @param usage
 *   what DESCRIBE FUNCTION says of it
 */
private[functions] abstract class TextFunction(
    name: String,
    parameters: Seq[String],
    usage: String
) {

  /** For Spark's registry. */
  val description: (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan) =
    RegisteredFunction(this, name, usage, "table_funcs", "built-in") { arguments =>
      ForeignText.refuse(name, CurrentOrigin.get)
      ForeignText.called(name, build(arguments))
    }

  /** The plan of a call. */
  protected def build(arguments: Seq[Expression]): LogicalPlan

  /**
   * The arguments by the names of their parameters.
   *
   * @param wrong
   *   the error for an argument that has no parameter, or the same one as another
   */
  protected def named(arguments: Seq[Expression])(
      wrong: String => Throwable
  ): Map[String, Expression] =
    arguments.zipWithIndex.foldLeft(Map.empty[String, Expression]) { case (found, (argument, i)) =>
      val (parameter, text, value) = argument match {
        case NamedArgumentExpression(key, value) =>
          (parameters.find(_.equalsIgnoreCase(key)), key, value)
        case value => (parameters.lift(i), value.sql, value)
      }
      found + (parameter.filterNot(found.contains).getOrElse(throw wrong(text)) -> value)
    }
}

/** A statement that a table function gets as text. It is analysed and not run. */
private[functions] object QueryText {

  /**
   * The value of an argument, itself none if it is NULL; none for what has no such constant value.
   */
  def constant(argument: Expression, dataType: DataType): Option[Option[Any]] =
    Constants
      .fold(argument)
      .filter(value => Cast.canUpCast(value.dataType, dataType))
      .map(value => Option(Cast(value, dataType).eval()))

  /**
   * The analysed plan of a statement. Scripts, EXECUTE IMMEDIATE and CALL are refused, because
   * Spark runs them to analyse them.
   */
  def statement(query: String): LogicalPlan = analyzed { parser =>
    val plan = parser.parsePlan(query)
    if (plan.isInstanceOf[CompoundBody]) throw notAnalyzed(query, plan, "BEGIN")
    if (plan.exists(isImmediate)) throw notAnalyzed(query, plan, "EXECUTE")
    if (plan.exists(_.isInstanceOf[ExecutableDuringAnalysis]))
      throw notAnalyzed(query, plan, "CALL")
    plan
  }

  /** Whether a statement such as EXPLAIN has a query that is not analysed before it runs. */
  def isLeftAlone(statement: LogicalPlan): Boolean = statement.productIterator.exists {
    case query: LogicalPlan => !query.resolved
    case _ => false
  }

  private def isImmediate(plan: LogicalPlan): Boolean =
    MinorClass.ExecuteImmediateQuery.isClassOf(plan) ||
      MinorClass.UnresolvedExecuteImmediate.isClassOf(plan)

  private def notAnalyzed(query: String, plan: LogicalPlan, word: String): ParseException = {
    val place =
      if (plan.origin.line.isDefined) plan.origin
      else Origin(line = Some(1), startPosition = Some(0))
    val parameters =
      Map("error" -> s"'$word'", "hint" -> ": it would run; pass the text of one query instead")
    ParseExceptions.create(Some(query), place, "PARSE_SYNTAX_ERROR", parameters, Array.empty)
  }

  /** The analysed plan. The places in it, also those of errors, are those in the text. */
  def analyzed(parse: ParserInterface => LogicalPlan): LogicalPlan =
    CurrentOrigin.withOrigin(Origin()) {
      val state = SparkSession.active.sessionState
      try state.executePlan(parse(state.sqlParser)).analyzed
      catch { case e: ParseException => throw ParseExceptions.fixed(e) }
    }
}
