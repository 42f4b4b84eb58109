package io.matchrecognize.matcher

/**
 * A path as anchored conditions see it: only registers that hold rows at fixed distances from the
 * first one.
 *
 * @param distances
 *   by register
 */
private[matcher] final class AnchoredPath(
    distances: Map[Int, Int],
    val start: Long,
    val row: Long
) extends Path {
  override def rowRegister(register: Int): Long = {
    val read = start + distances(register)
    if (read <= row) read else -1
  }
  override def fold(fold: Int): AnyRef = throw new IllegalStateException("a fold was read")
  override def symbolOf(row: Long): Int = throw new IllegalStateException("a label was read")
}
