package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Values of the parameter markers of a statement, by name and by place. */
final case class StatementParameters(named: Map[String, Expression], positional: Seq[Expression]) {
  def isEmpty: Boolean = named.isEmpty && positional.isEmpty
}

object StatementParameters {
  val none: StatementParameters = StatementParameters(Map.empty, Nil)
}

/** What the parser methods specific to a minor of Spark are made of. */
trait ParserWithMarkers extends ParserInterface {
  protected def delegate: ParserInterface

  /**
   * Parses a statement.
   *
   * @param parameters
   *   values for the markers inside clauses
   * @param hasMarkers
   *   false if there are no values: then the statement may be parsed without them
   * @param call
   *   parses the statement around the clauses, given its text and the numbers of the positional
   *   markers there
   */
  protected def parseWith(
      sqlText: String,
      parameters: StatementParameters,
      hasMarkers: Boolean
  )(call: (String, Seq[Int]) => LogicalPlan): LogicalPlan
}
