package io.matchrecognize.matcher

/**
 * Adds up the bytes of the arrays that a matcher has grown; they stay allocated between attempts.
 *
 * @param reserve
 *   asks the caller of the matcher for memory; raises if there is none
 */
private[matcher] final class MemoryAccount(limit: Long, reserve: Long => Unit) {
  private var bytes = 0L

  /** Call before allocating; `change` is the new size less the old one. */
  def charge(change: Long): Unit = {
    if (limit > 0 && bytes + change > limit) throw new PathMemoryExceeded(limit)
    reserve(change)
    bytes += change
  }

  /** The capacity to grow an array to, at least `needed` elements. */
  def grown(capacity: Int, needed: Int): Int = {
    if (needed < 0 || needed > MemoryAccount.MaxArray) throw new PathMemoryExceeded(limit)
    (capacity.toLong * 2).max(needed.toLong).min(MemoryAccount.MaxArray.toLong).toInt
  }
}

private[matcher] object MemoryAccount {
  final val MaxArray = Int.MaxValue - 16
}
