package io.matchrecognize.streaming.operator

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.LeafExecNode

/** The second child that the stateful operator's superclass requires: no rows, never run. */
final case class NoInitialStateExec(output: Seq[Attribute]) extends LeafExecNode {
  override protected def doExecute(): RDD[InternalRow] = sparkContext.emptyRDD[InternalRow]
}
