package io.matchrecognize.streaming.state

import io.matchrecognize.errors.RuntimeErrors

/** The version that every entry of the state begins with. */
object StateFormat {

  /** Ends with an error if a newer plugin wrote the entry. */
  def check(entry: Array[Byte]): Unit =
    if (entry(0) > StateLayout.Format || entry(0) < 1)
      throw RuntimeErrors.stateFormat(entry(0).toInt, StateLayout.Format, writer = "")
}
