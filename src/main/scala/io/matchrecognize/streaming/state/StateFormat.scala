package io.matchrecognize.streaming.state

import io.matchrecognize.BuildInfo
import io.matchrecognize.errors.MatchRecognizeRuntimeException

/** The version that every entry of the state begins with. */
object StateFormat {

  /** Ends with an error if a newer plugin wrote the entry. */
  def check(entry: Array[Byte]): Unit =
    if (entry(0) > StateLayout.Format || entry(0) < 1) throw unknown(entry(0).toInt, "")

  /** @param writer version of the plugin that wrote it, if known */
  def unknown(found: Int, writer: String): Throwable = new MatchRecognizeRuntimeException(
    "MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.FORMAT",
    Map(
      "found" -> found.toString,
      "supported" -> StateLayout.Format.toString,
      "version" -> (if (writer.isEmpty) s"above ${BuildInfo.version}" else writer)
    ),
    null
  )
}
