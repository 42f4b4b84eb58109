package io.matchrecognize.streaming.state

/**
 * The entries of one partition key in the state store, by number; number 0 is the head. The first
 * byte of an entry is the version of its format, see [[StateFormat]].
 */
trait PartitionState {

  /** Null if there is no such entry. */
  def get(number: Long): Array[Byte]
  def put(number: Long, value: Array[Byte]): Unit
  def remove(number: Long): Unit
}
