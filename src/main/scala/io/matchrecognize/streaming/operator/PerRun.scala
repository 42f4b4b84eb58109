package io.matchrecognize.streaming.operator

import java.util.{Collections, UUID, WeakHashMap}

import scala.collection.mutable

/**
 * What is kept, on the driver, for each operator of a running query, which is planned anew for
 * every micro-batch: as long as Spark holds the run's id. A restart has another one.
 */
final class PerRun[T] {
  private val runs = Collections.synchronizedMap(new WeakHashMap[UUID, mutable.Map[Long, T]])

  def getOrElseUpdate(runId: UUID, operatorId: Long, value: => T): T = {
    val operators = runs.computeIfAbsent(runId, _ => mutable.Map.empty[Long, T])
    operators.synchronized(operators.getOrElseUpdate(operatorId, value))
  }
}
