package io.matchrecognize.execution.task

import java.lang.management.ManagementFactory

import scala.util.control.NonFatal

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.matchrecognize.TaskResources

import com.sun.management.HotSpotDiagnosticMXBean

/** What a part of a task asks for memory. */
trait Memory {

  /** Asks for what cannot be done without; fails if there is none. */
  def must(bytes: Long): Unit

  /** The same for caches; false if there is none. */
  def may(bytes: Long): Boolean

  /** Returns what either of these has given. */
  def release(bytes: Long): Unit

  /** Ends the task if it was killed. */
  def checkCancelled(): Unit
}

/**
 * The memory of a part of a task, which Spark's memory manager gives: nothing else here asks it.
 * All of it is given back when the task ends.
 *
 * The manager gives what is asked for, and may ask for it back for another consumer of the task.
 * Nothing is given back for a cache of this plugin. Bytes that caches hold may be lent to rows, if
 * there are no others: then the task holds more than it was given for a while, by no more than its
 * caches, and no cache gets memory before that is made up for.
 *
 * The manager calls `spill` under a lock that each request takes, by any thread of the task. So
 * none is made while a lock is held that `spillFor` takes.
 *
 * @param unasked
 *   bytes that are too little to ask the manager for
 * @param spillFor
 *   frees about so many bytes for another consumer, or for this one
 */
final class TaskMemory(
    resources: TaskResources,
    unasked: Long = 0L,
    spillFor: (Long, MemoryConsumer) => Unit = (_, _) => ()
) extends MemoryConsumer(
      resources.memoryManager,
      resources.memoryManager.pageSizeBytes,
      MemoryMode.ON_HEAP
    )
    with Memory {
  // What rows and caches hold, and what the manager has granted for them.
  private var forRows = 0L
  private var forCaches = 0L
  private var granted = 0L
  private var peak = 0L
  // Another consumer of the task sees it when it is asked to spill.
  @volatile private var isForCache = false

  resources.onCompletion(() => freeAll())

  /** Largest number of bytes held at a time. */
  def peakMemory: Long = peak

  override def checkCancelled(): Unit = resources.checkCancelled()

  /** All of the bytes, or none of them. */
  def take(bytes: Long): Boolean = acquire(bytes, isCached = false)

  /** At most `bytes`, as many as there are; returns how many. */
  def takeSome(bytes: Long): Long = {
    resources.checkCancelled()
    val got = if (bytes == 0) 0L else acquireMemory(bytes)
    hold(got, isCached = false, got)
    got
  }

  override def must(bytes: Long): Unit = if (!take(bytes)) {
    // Fails with Spark's own error of operators that get no memory.
    freeArray(allocateArray((math.max(bytes, toAsk(bytes)) + 7) / 8))
    // Not refused after all.
    if (!take(bytes)) throw new IllegalStateException(s"no memory for $bytes bytes of rows")
  }

  override def may(bytes: Long): Boolean = {
    val owes = missing > unasked
    isForCache = true
    try !owes && acquire(bytes, isCached = true)
    finally isForCache = false
  }

  private def acquire(bytes: Long, isCached: Boolean): Boolean = {
    val asked = toAsk(bytes)
    // Nobody would give it back after the task's end.
    if (asked > 0) resources.checkCancelled()
    val got = if (asked > 0) acquireMemory(asked) else 0L
    if (got >= asked) hold(bytes, isCached, got)
    else freeMemory(got)
    got >= asked
  }

  /** How much to ask the manager for before `bytes` are held: not for what is lent. */
  private def toAsk(bytes: Long): Long = synchronized {
    val wanted = missing + bytes
    if (wanted <= unasked) 0L else math.min(wanted, bytes + unasked)
  }

  // Counted at the same time, so that no other thread gives the bytes away between the two.
  private def hold(bytes: Long, isCached: Boolean, got: Long): Unit = synchronized {
    if (isCached) forCaches += bytes else forRows += bytes
    granted += got
    peak = math.max(peak, granted)
    giveBack()
  }

  /** Bytes of caches for rows, if there are as many. */
  def borrow(bytes: Long): Boolean = synchronized {
    val isCovered = forRows + bytes <= granted
    if (isCovered) forRows += bytes
    isCovered
  }

  /** The same for rows that another consumer of the task has. */
  def lend(bytes: Long): Unit = synchronized(returnGranted(math.min(bytes, granted - forRows)))

  /** Returns what rows had; nothing if the task has ended meanwhile. */
  def free(bytes: Long): Unit = synchronized {
    forRows = math.max(0L, forRows - bytes)
    giveBack()
  }

  override def release(bytes: Long): Unit = synchronized {
    val cached = math.min(bytes, forCaches)
    forCaches -= cached
    free(bytes - cached)
  }

  def freeAll(): Unit = synchronized {
    forRows = 0
    forCaches = 0
    returnGranted(granted)
  }

  /** Bytes that are held and not granted: lent ones, or too few to ask for them. */
  private[execution] def missing: Long = synchronized(forRows + forCaches - granted)

  private def giveBack(): Unit = if (-missing > unasked) returnGranted(-missing)

  private def returnGranted(bytes: Long): Unit = if (bytes > 0) {
    granted -= bytes
    freeMemory(bytes)
  }

  override def spill(size: Long, trigger: MemoryConsumer): Long = trigger match {
    case other: TaskMemory if other.isForCache => 0L
    case _ =>
      val before = getUsed
      spillFor(size, trigger)
      math.max(0L, before - getUsed)
  }
}

object TaskMemory {

  /** Bytes of what is counted one by one, so that the manager is not asked about each row. */
  final val Little: Long = 1L << 20
}

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

  /** Of an array beside its elements. */
  final val HeaderBytes = 16L

  /** The size of an array that has at least `bytes` and fills what it takes. */
  def filled(bytes: Long): Long = filled(bytes, regionBytes)

  private[execution] def filled(bytes: Long, region: Long): Long = {
    val taken = bytes + HeaderBytes
    if (region == 0L || taken < region / 2) bytes
    else (taken + region - 1) / region * region - HeaderBytes
  }
}
