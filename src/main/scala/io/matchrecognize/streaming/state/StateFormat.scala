package io.matchrecognize.streaming.state

import java.io.{ByteArrayInputStream, DataInputStream}

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.matcher.state.StateReader

/** The version that every entry of the state begins with. */
object StateFormat {

  /** The version of an entry; raises an error if a newer plugin wrote it. */
  def version(entry: Array[Byte]): Int = {
    val found = entry(0).toInt
    if (found > StateLayout.Format || found < 1)
      throw RuntimeErrors.stateFormat(found, StateLayout.Format, writer = "")
    found
  }

  /** Reads an entry after its version. */
  def reader(entry: Array[Byte]): StateReader = new StateReader(entry, version(entry), 1)

  /** As `reader`, for entries of numbers of fixed size. */
  final class Input(entry: Array[Byte])
      extends DataInputStream(new ByteArrayInputStream(entry, 1, entry.length - 1)) {
    val version: Int = StateFormat.version(entry)
  }
}
