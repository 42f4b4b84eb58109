package io.matchrecognize.plans

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{IntegerType, StringType, StructType}

/**
 * What the search of a clause found, in sentences: what `match_recognize_explain` returns.
 *
 * @param clause
 *   resolved, without measures, which have no part in the search
 */
final case class ExplainMatchRecognize(
    clause: PatternClause,
    output: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)

  @transient override lazy val references: AttributeSet = clause.references

  override def simpleString(maxFields: Int): String = s"${statePrefix}ExplainMatchRecognize $clause"

  override protected def withNewChildInternal(newChild: LogicalPlan): ExplainMatchRecognize =
    copy(child = newChild)
}

object ExplainMatchRecognize {
  val schema: StructType = new StructType()
    .add("ordinal", IntegerType, nullable = false)
    .add("sentence", StringType, nullable = false)

  def newOutput: Seq[AttributeReference] = DataTypeUtils.toAttributes(schema)
}
