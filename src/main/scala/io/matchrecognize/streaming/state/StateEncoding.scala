package io.matchrecognize.streaming.state

import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.RuntimeErrors

/** Whether Spark's state store can hold the operator's state. */
object StateEncoding {
  private val format = SQLConf.STREAMING_STATE_STORE_ENCODING_FORMAT

  /**
   * Avro, which only RocksDB offers, has no type for some columns that a key may have, nor for the
   * kind of an entry.
   *
   * @param conf
   *   of the run, including what the checkpoint has fixed
   */
  def check(conf: SQLConf): Unit = {
    val found = conf.getConf(format)
    if (found == "avro" && conf.stateStoreProviderClass.contains("RocksDB"))
      throw RuntimeErrors.stateEncoding(format.key, found)
  }
}
