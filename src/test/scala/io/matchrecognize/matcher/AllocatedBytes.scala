package io.matchrecognize.matcher

import java.lang.management.ManagementFactory

/**
 * Bytes of all objects that code has made in its own thread, whether or not they are still used.
 */
object AllocatedBytes {
  private val threads =
    ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  def of(body: => Unit): Long = {
    val before = threads.getCurrentThreadAllocatedBytes
    body
    threads.getCurrentThreadAllocatedBytes - before
  }
}
