package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.internal.SQLConf

/** Real-Time Mode, which has stateful operators since Spark 4.3. */
object RealTimeMode {

  /** Whether the plan of a batch reads a source in that mode. */
  def isUsedBy(plan: LogicalPlan): Boolean = plan.exists {
    case scan: StreamingDataSourceV2ScanRelation => scan.relation.realTimeModeDuration.isDefined
    case _ => false
  }

  private val check = SQLConf.STREAMING_REAL_TIME_MODE_ALLOWLIST_CHECK

  /** The setting by which Spark refuses operators that are not on its list. */
  def allowlistKey: String = check.key

  def checksAllowlist: Boolean = SQLConf.get.getConf(check)
}

/**
 * A node with state in a stream, as Spark asks since 4.3. Otherwise it tracks the progress of
 * Real-Time Mode in the background, which no state store allows.
 */
trait StatefulNode extends LogicalPlan {
  override def isStateful: Boolean = isStreaming
}
