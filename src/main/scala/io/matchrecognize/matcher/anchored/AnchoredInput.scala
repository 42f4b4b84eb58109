package io.matchrecognize.matcher.anchored

/**
 * What `AnchoredMatcher` asks about conditions whose truth depends on nothing but the tested row,
 * its neighbours and the first row of the attempt.
 */
trait AnchoredInput {

  /** Truth of a condition on a row, in an attempt that begins at `start`. */
  def testAnchored(symbol: Int, start: Long, row: Long): Int

  /**
   * A row after `row`, at most `limit`: on all rows between them the condition is known to be TRUE
   * (or, if not `isTrue`, known not to be), and its evaluation to raise no error.
   */
  def steadyEnd(symbol: Int, isTrue: Boolean, start: Long, row: Long, limit: Long): Long
}
