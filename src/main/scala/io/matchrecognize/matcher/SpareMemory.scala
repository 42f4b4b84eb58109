package io.matchrecognize.matcher

/**
 * Memory for what an engine can do without: caches, and structures that only save time. It is
 * acquired from the task in pieces, so that the task is seldom asked. Once the task has refused
 * some, it is not asked again before `retry`.
 */
private[matcher] final class SpareMemory(input: MatchInput) {
  private var acquired = 0L
  private var used = 0L
  private var isRefused = false

  /** Call before allocating; false if there is no memory. */
  def take(bytes: Long): Boolean = {
    val isGranted = used + bytes <= acquired || acquire(used + bytes - acquired)
    if (isGranted) used += bytes
    isGranted
  }

  private def acquire(missing: Long): Boolean = !isRefused && {
    val piece = missing.max(acquired.min(MaxPiece)).max(MinPiece)
    isRefused = !input.tryReserve(piece)
    if (!isRefused) acquired += piece
    !isRefused
  }

  /** The opposite of `take`. */
  def giveBack(bytes: Long): Unit = used -= bytes

  def retry(): Unit = isRefused = false

  /** Returns everything to the task. */
  def release(): Unit = {
    input.release(acquired)
    acquired = 0
    used = 0
    isRefused = false
  }

  // A task may have a search for each of many patterns.
  private final val MinPiece = 1L << 10
  private final val MaxPiece = 1L << 20
}
