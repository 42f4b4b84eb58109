package io.matchrecognize.conf

import org.apache.spark.sql.internal.SQLConf

/**
 * The plugin's confs. All are session confs and are read where they act: `enabled` when a statement
 * is parsed, the limits when a plan is made.
 */
object MatchRecognizeConf {
  val Enabled = SQLConf
    .buildConf("spark.matchRecognize.enabled")
    .doc(
      "Whether MATCH_RECOGNIZE is recognised. If false, every statement reaches Spark untouched."
    )
    .version("0.1.0")
    .booleanConf
    .createWithDefault(true)

  val MaxStepsPerMatch = SQLConf
    .buildConf("spark.matchRecognize.maxStepsPerMatch")
    .doc(
      "Largest number of condition tests that the search from one start row may spend. A spent " +
        "budget is an error, never a missing match. 0 means no limit."
    )
    .version("0.1.0")
    .longConf
    .checkValue(_ >= 0, "must not be negative")
    .createWithDefault(1000000000L)

  val MaxPathBytes = SQLConf
    .buildConf("spark.matchRecognize.maxPathBytes")
    .doc("Largest number of bytes that the open paths of the search from one start row may take.")
    .version("0.1.0")
    .bytesConf(org.apache.spark.network.util.ByteUnit.BYTE)
    .checkValue(_ > 0, "must be positive")
    .createWithDefault(1L << 30)

  val MaxPatternPositions = SQLConf
    .buildConf("spark.matchRecognize.maxPatternPositions")
    .doc(
      "Largest number of positions of a PATTERN, its quantifier bounds and PERMUTE written out."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ > 0, "must be positive")
    .createWithDefault(200000)

  val MaxPermuteElements = SQLConf
    .buildConf("spark.matchRecognize.maxPermuteElements")
    .doc("Largest number of elements of one PERMUTE.")
    .version("0.1.0")
    .intConf
    .checkValue(_ > 0, "must be positive")
    .createWithDefault(10)

  val SpillThresholdRows = SQLConf
    .buildConf("spark.matchRecognize.buffer.spillThresholdRows")
    .doc(
      "Number of rows of one partition that are held in memory before the buffer spills on its own; " +
        "short of memory it spills earlier."
    )
    .version("0.1.0")
    .intConf
    .checkValue(_ > 0, "must be positive")
    .createWithDefault(Int.MaxValue)
}
