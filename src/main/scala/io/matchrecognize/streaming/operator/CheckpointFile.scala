package io.matchrecognize.streaming.operator

import java.nio.charset.StandardCharsets

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.matchrecognize.shims.Stateful.{CheckpointFileManager, StatefulOperatorStateInfo}
import io.matchrecognize.streaming.state.CheckpointDescription

/** The file in an operator's checkpoint directory that describes the clause of its state. */
final class CheckpointFile(info: StatefulOperatorStateInfo, conf: Configuration) {
  private val directory =
    new Path(new Path(info.checkpointLocation, info.operatorId.toString), "_matchRecognize")
  private val file = new Path(directory, "clause.json")
  private lazy val files = CheckpointFileManager.create(directory, conf)

  /**
   * Compares a clause with the checkpoint's, unless the checkpoint has no state yet, and writes it:
   * a newer Spark may have settings that the one before had not.
   */
  def checkAndWrite(clause: CheckpointDescription, isNew: Boolean): Unit = {
    if (!isNew && files.exists(file)) clause.check(CheckpointDescription.fromJson(read()))
    write(clause.toJson)
  }

  private def read(): String = {
    val in = files.open(file)
    try new String(in.readAllBytes(), StandardCharsets.UTF_8)
    finally in.close()
  }

  private def write(text: String): Unit = {
    files.mkdirs(directory)
    val out = files.createAtomic(file, true)
    try {
      out.write(text.getBytes(StandardCharsets.UTF_8))
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
  }
}
