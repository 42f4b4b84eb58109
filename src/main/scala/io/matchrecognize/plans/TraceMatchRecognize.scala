package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{DataType, LongType, MapType, StringType, StructField, StructType}

/**
 * The search of a clause, step by step: what `match_recognize_trace` returns.
 *
 * @param clause
 *   resolved, without measures, which have no part in the search
 * @param rowLimit
 *   more rows of the child are an error
 */
final case class TraceMatchRecognize(
    clause: PatternClause,
    rowLimit: Int,
    output: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)

  // The trace shows all columns of a row, so none may be pruned.
  @transient override lazy val references: AttributeSet = clause.references ++ child.outputSet

  override def simpleString(maxFields: Int): String = s"${statePrefix}TraceMatchRecognize $clause"

  override protected def withNewChildInternal(newChild: LogicalPlan): TraceMatchRecognize =
    copy(child = newChild)
}

object TraceMatchRecognize {
  val schema: StructType = StructType(
    Seq(
      "partition_key" -> StringType,
      "attempt" -> LongType,
      "start_row" -> LongType,
      "step" -> LongType,
      "event" -> StringType,
      "row_number" -> LongType,
      "order_key" -> StringType,
      "variable" -> StringType,
      "truth" -> StringType,
      "condition" -> StringType,
      "evaluated" -> StringType,
      "reads" -> MapType(StringType, StringType),
      "result" -> StringType,
      "previous_step" -> LongType,
      "match_number" -> LongType,
      "path" -> StringType
    ).map { case (name, dataType: DataType) => StructField(name, dataType) }
  )

  def newOutput: Seq[AttributeReference] = DataTypeUtils.toAttributes(schema)
}
