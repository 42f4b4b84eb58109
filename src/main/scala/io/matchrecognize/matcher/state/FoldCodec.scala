package io.matchrecognize.matcher.state

/** Writes fold values (see `MatchInput.initialFold`) as bytes and reads them back. */
trait FoldCodec {

  /** Whether the value can be written: not one that remembers a failure. */
  def canWrite(fold: Int, value: AnyRef): Boolean
  def write(fold: Int, value: AnyRef, out: StateWriter): Unit
  def read(fold: Int, in: StateReader): AnyRef
}
