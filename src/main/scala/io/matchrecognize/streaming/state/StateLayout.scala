package io.matchrecognize.streaming.state

import java.io.{ByteArrayInputStream, DataInputStream}

import org.apache.spark.sql.types._

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.matcher.state.StateReader

/**
 * The operator's entries in the one column family of a state store. Keys are never scanned, so that
 * all providers serve them alike.
 *
 *   - `kind`: what the entry is, see below.
 *   - `partition`: the normalised PARTITION BY keys of an entry that belongs to a partition, else
 *     NULL; the column is missing if there is no PARTITION BY.
 *   - `number`: counts the entries of a kind, or those of a partition.
 *   - `state`: the entry; its first byte is the version of its format.
 */
object StateLayout {

  /** Version of the format of all entries. */
  final val Format = 3

  /** Rows of a full segment, which first rows are counted in: another number needs a new format. */
  final val SegmentRows = 256

  /** One entry: what else there is in this store, and totals. */
  final val Directory: Byte = 0

  /** Chunks of rows that the watermark has not reached. */
  final val Pending: Byte = 1

  /** Chunks of PARTITION BY keys by the watermark that decides something for them. */
  final val Deadlines: Byte = 2

  /** The search of one partition; entry 0 is its head. */
  final val Search: Byte = 3

  /** @param partitionTypes types of the normalised PARTITION BY keys */
  def keySchema(partitionTypes: Seq[(String, DataType)]): StructType = {
    val keys = StructType(partitionTypes.map { case (name, kind) => StructField(name, kind) })
    val partition = if (keys.isEmpty) Nil else Seq(StructField("partition", keys))
    StructType(
      Seq(StructField("kind", ByteType, nullable = false)) ++ partition :+
        StructField("number", LongType, nullable = false)
    )
  }

  val valueSchema: StructType = StructType(
    Seq(StructField("state", BinaryType, nullable = false))
  )

  /** Raises an error if an entry has another format. */
  private def check(entry: Array[Byte]): Unit =
    if (entry(0) != Format) throw RuntimeErrors.stateFormat(entry(0).toInt, Format, writer = "")

  /** Reads an entry after its version. */
  def reader(entry: Array[Byte]): StateReader = {
    check(entry)
    new StateReader(entry, 1)
  }

  /** As `reader`, for entries of numbers of fixed size. */
  def input(entry: Array[Byte]): DataInputStream = {
    check(entry)
    new DataInputStream(new ByteArrayInputStream(entry, 1, entry.length - 1))
  }
}
