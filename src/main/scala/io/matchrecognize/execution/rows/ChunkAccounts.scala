package io.matchrecognize.execution.rows

/**
 * What the memory is for that a store has acquired beside that of its chunks. The bytes acquired
 * are at all times those of the chunks in memory, but one that is in the spare ones, plus `spare`,
 * plus `cached`, minus `lent`. It acquires and frees nothing itself, and is used under the store's
 * lock.
 */
private[rows] final class ChunkAccounts {
  // Bytes reserved for a spilled chunk that is read again.
  private var spare = 0L
  // Bytes that caches hold, and how many of them count for rows, which cannot do without memory.
  private var cached = 0L
  private var lent = 0L

  /** What is acquired beyond the chunks in memory and what others reserved; less if it is lent. */
  def balance: Long = spare - lent

  /** Whether rows have some of what caches hold. */
  def owes: Boolean = lent > 0

  def addCached(bytes: Long): Unit = cached += bytes

  def dropCached(bytes: Long): Unit = cached = math.max(0L, cached - bytes)

  /**
   * Takes from what counts for caches: all of the bytes, or none. A cache is not dropped for it, so
   * for a while the task holds more than it has acquired, by no more than its caches.
   */
  def lend(bytes: Long): Boolean = bytes <= cached - lent && {
    lent += bytes
    true
  }

  /** Takes as many of the bytes as there are; returns how many. */
  def lendUpTo(bytes: Long): Long = {
    val taken = math.max(0L, math.min(bytes, cached - lent))
    lent += taken
    taken
  }

  /** Makes up for what was lent, by bytes no longer in use; returns those that are left to free. */
  def settle(bytes: Long): Long = {
    val owed = math.min(bytes, lent)
    lent -= owed
    bytes - owed
  }

  /**
   * Keeps enough of the memory of a chunk that leaves it to read the chunk again.
   *
   * @param size
   *   bytes of the chunk when it is read again
   * @return
   *   how many bytes are kept
   */
  def keepSpare(size: Long): Long = {
    val kept = math.max(0L, size - spare)
    spare += kept
    kept
  }

  /** Returns the bytes that were spare. */
  def dropSpare(): Long = {
    val dropped = spare
    spare = 0L
    dropped
  }

  def clear(): Unit = {
    spare = 0L
    cached = 0L
    lent = 0L
  }
}
