package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types._

/**
 * The search of a clause, step by step, or explained in sentences: what `match_recognize_trace` and
 * `match_recognize_explain` return.
 *
 * @param clause
 *   resolved, without measures, which have no part in the search
 * @param rowLimit
 *   more rows of the child are an error of a trace, and not read by an explanation
 */
final case class TraceMatchRecognize(
    clause: PatternClause,
    isExplained: Boolean,
    rowLimit: Int,
    output: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)

  // The trace shows all columns of a row, so none may be pruned.
  @transient override lazy val references: AttributeSet =
    if (isExplained) clause.references else clause.references ++ child.outputSet

  override def simpleString(maxFields: Int): String =
    s"$statePrefix${TraceMatchRecognize.verb(isExplained)}MatchRecognize $clause"

  override protected def withNewChildInternal(newChild: LogicalPlan): TraceMatchRecognize =
    copy(child = newChild)
}

object TraceMatchRecognize {
  private val steps = Seq(
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
  )

  private val sentences = Seq("ordinal" -> IntegerType, "sentence" -> StringType)

  def newOutput(isExplained: Boolean): Seq[AttributeReference] = DataTypeUtils.toAttributes(
    StructType((if (isExplained) sentences else steps).map { case (name, dataType) =>
      StructField(name, dataType, nullable = !isExplained)
    })
  )

  def verb(isExplained: Boolean): String = if (isExplained) "Explain" else "Trace"
}
