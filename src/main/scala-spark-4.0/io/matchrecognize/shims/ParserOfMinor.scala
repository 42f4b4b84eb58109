package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * The parser methods specific to Spark 4.0: none. Parameter markers stay in the tree and Spark
 * binds them by their positions.
 */
trait ParserOfMinor extends ParserInterface {
  protected def delegate: ParserInterface

  protected def parseWith(
      sqlText: String,
      parameters: StatementParameters,
      hasMarkers: Boolean
  )(call: (String, Seq[Int]) => LogicalPlan): LogicalPlan
}
