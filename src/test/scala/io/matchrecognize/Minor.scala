package io.matchrecognize

/** The Spark minor under test. */
object Minor {

  /**
   * Whether it has what came with another one. A test of something newer is not skipped where it is
   * missing: another one says what happens there.
   */
  def has(minor: String): Boolean = number(BuildInfo.sparkMinor) >= number(minor)

  private def number(minor: String): Int =
    minor.split('.').foldLeft(0)((number, part) => number * 1000 + part.toInt)
}
