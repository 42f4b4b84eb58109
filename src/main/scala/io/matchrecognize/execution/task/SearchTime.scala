package io.matchrecognize.execution.task

import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * The time that a task searches. Reading the clock for each match would cost more than finding
 * short ones. So the first step in a partition, which reads all of its rows, is measured, then one
 * step in sixteen, and those that follow a long one; the rows that the others pass are taken to
 * cost as much as those of measured steps.
 *
 * @param metric
 *   in nanoseconds
 */
private[execution] final class SearchTime(
    metric: SQLMetric,
    now: () => Long = () => System.nanoTime()
) {
  import SearchTime._

  private var isFirst = true
  private var steps = 0L
  private var start = 0L
  private var isMeasured = false
  private var wasLong = false
  private var nanos = 0L
  private var rows = 0L
  private var unmeasuredRows = 0L

  def beginPartition(): Unit = isFirst = true

  def beginStep(): Unit = {
    isMeasured = isFirst || wasLong || steps % StepsPerSample == 0
    if (isMeasured) start = now()
  }

  /**
   * @param passed
   *   rows of the step's match and those between it and the match before
   * @param isLast
   *   whether no other step follows in the partition
   */
  def endStep(passed: Long, isLast: Boolean): Unit = {
    if (isMeasured) {
      val elapsed = now() - start
      metric += elapsed
      if (!isFirst) {
        nanos += elapsed
        rows += passed
        wasLong = elapsed > LongStep
      }
    } else unmeasuredRows += passed
    if (isFirst) isFirst = false
    else steps += 1
    if ((isMeasured || isLast) && unmeasuredRows > 0) {
      metric += (nanos.toDouble / rows * unmeasuredRows).toLong
      unmeasuredRows = 0
    }
  }
}

private object SearchTime {
  private final val StepsPerSample = 16

  // Nanoseconds; the clock takes a few hundredths of it.
  private final val LongStep = 2000L
}
