package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * What a parser of Spark 4.0 has of its own: nothing. Its parameter markers stay in the tree and
 * Spark binds them by their positions.
 */
trait ParserOfMinor extends ParserInterface {
  protected def delegate: ParserInterface

  protected def parseWith(
      sqlText: String,
      parameters: StatementParameters,
      hasMarkers: Boolean
  )(call: (String, Seq[Int]) => LogicalPlan): LogicalPlan
}
