package org.apache.spark.sql.matchrecognize

import java.io._

import org.apache.spark.serializer.SerializerManager
import org.apache.spark.storage.BlockId

/**
 * A temporary file of independent records, compressed and encrypted as Spark's own spill files are.
 * Each record is read by the position that `write` returned.
 *
 * @param bufferSize
 *   bytes of the scratch buffer that readers and writers get
 */
final class SpillFile private[matchrecognize] (
    id: BlockId,
    file: File,
    bufferSize: Int,
    serializer: SerializerManager
) {
  private val buffer = new Array[Byte](bufferSize)
  private var end = 0L
  private var reader: RandomAccessFile = _

  def length: Long = end

  def write(record: (DataOutputStream, Array[Byte]) => Unit): Long = {
    val position = end
    val raw = new FileOutputStream(file, true)
    val out = new DataOutputStream(
      serializer.wrapStream(id, new BufferedOutputStream(raw, StreamBuffer))
    )
    // A record whose writing failed leaves bytes too: the next one begins after them.
    try
      try record(out, buffer)
      finally out.close()
    finally end = file.length
    position
  }

  def read(position: Long)(record: (DataInputStream, Array[Byte]) => Unit): Unit = {
    if (reader == null) reader = new RandomAccessFile(file, "r")
    reader.seek(position)
    val in = new DataInputStream(
      serializer.wrapStream(id, new BufferedInputStream(fromReader, StreamBuffer))
    )
    // Some codecs and ciphers hold native memory until they are closed.
    try record(in, buffer)
    finally in.close()
  }

  /** Continues at the reader's offset; the stream does not close it. */
  private def fromReader: InputStream = new InputStream {
    override def read(): Int = reader.read()
    override def read(bytes: Array[Byte], offset: Int, count: Int): Int =
      reader.read(bytes, offset, count)
  }

  def clear(): Unit = {
    closeReader()
    if (end > 0) new FileOutputStream(file).close()
    end = 0
  }

  def close(): Unit = {
    closeReader()
    file.delete()
  }

  private def closeReader(): Unit = {
    if (reader != null) reader.close()
    reader = null
  }

  private final val StreamBuffer = 1 << 16
}
