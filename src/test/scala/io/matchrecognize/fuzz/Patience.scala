package io.matchrecognize.fuzz

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{Executors, TimeUnit}

import org.apache.spark.sql.SparkSession

/** Cancels a query that takes too long. */
object Patience {

  /** The query was cancelled. */
  final class Lost(cause: Throwable) extends RuntimeException(cause)

  // Each call has a group of its own: an alarm may go off while its call ends.
  private val calls = new AtomicLong

  private lazy val watch = Executors.newSingleThreadScheduledExecutor { (task: Runnable) =>
    val thread = new Thread(task, "patience")
    thread.setDaemon(true)
    thread
  }

  /**
   * Runs the queries of `body`, in the calling thread.
   *
   * @throws Lost
   *   if they were cancelled after `seconds`
   */
  def limited[T](spark: SparkSession, seconds: Long)(body: => T): T = {
    val (context, group) = (spark.sparkContext, s"patience-${calls.incrementAndGet()}")
    @volatile var isLost = false
    // Again and again: what is cancelled may be between two jobs.
    val alarm = watch.scheduleWithFixedDelay(
      () => {
        isLost = true
        context.cancelJobGroup(group)
      },
      seconds,
      1,
      TimeUnit.SECONDS
    )
    context.setJobGroup(group, "patience", interruptOnCancel = true)
    try body
    catch { case e: Exception if isLost => throw new Lost(e) }
    finally {
      alarm.cancel(false)
      context.clearJobGroup()
    }
  }
}
