package io.matchrecognize.streaming

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import scala.util.Try

import org.apache.spark.sql.SparkSession

/** Runs code of a test inside a task of a local session, where there is a TaskContext. */
object InTask {
  private val numbers = new AtomicLong
  private val bodies = new ConcurrentHashMap[Long, () => Any]
  private val results = new ConcurrentHashMap[Long, Try[Any]]

  /**
   * @param confs
   *   session confs that the task sees
   */
  def apply[T](spark: SparkSession, confs: (String, String)*)(body: => T): T = {
    val id = numbers.incrementAndGet()
    val context = spark.sparkContext
    bodies.put(id, () => body)
    confs.foreach { case (key, value) => context.setLocalProperty(key, value) }
    try context.parallelize(Seq(id), 1).foreach(run)
    finally confs.foreach { case (key, _) => context.setLocalProperty(key, null) }
    results.remove(id).get.asInstanceOf[T]
  }

  // The task runs in this JVM: neither the code nor its result is serialised.
  private def run(id: Long): Unit = results.put(id, Try(bodies.remove(id).apply()))
}
