package io.matchrecognize.execution.task

import java.lang.management.ManagementFactory

import scala.util.control.NonFatal

import com.sun.management.HotSpotDiagnosticMXBean

/**
 * What byte arrays take in the heap. The default collector, G1, gives an array of half a region or
 * more whole regions of its own: one that is little larger than a region takes two.
 */
private[execution] object HeapArrays {

  // 0 with another collector.
  private val regionBytes: Long =
    try {
      val vm = ManagementFactory.getPlatformMXBean(classOf[HotSpotDiagnosticMXBean])
      def option(name: String) = vm.getVMOption(name).getValue
      if (option("UseG1GC").toBoolean) option("G1HeapRegionSize").toLong else 0L
    } catch {
      // Not every Java has the class.
      case _: LinkageError | NonFatal(_) => 0L
    }

  private final val HeaderBytes = 16L

  /** The size of an array that has at least `bytes` and fills what it takes. */
  def filled(bytes: Long): Long = filled(bytes, regionBytes)

  private[execution] def filled(bytes: Long, region: Long): Long = {
    val taken = bytes + HeaderBytes
    if (region == 0L || taken < region / 2) bytes
    else (taken + region - 1) / region * region - HeaderBytes
  }
}
