package io.matchrecognize.streaming.operator

import java.nio.charset.StandardCharsets

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.plans.{SessionValue, StreamClause}
import io.matchrecognize.shims.Stateful.{CheckpointFileManager, StatefulOperatorStateInfo}
import io.matchrecognize.streaming.state.CheckpointDescription
import io.matchrecognize.streaming.task.{StateDescription, StreamProgram}

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

object CheckpointFile {
  private val encoding = SQLConf.STREAMING_STATE_STORE_ENCODING_FORMAT

  /**
   * Raises an error if Spark's state store cannot hold the operator's state. Avro, which only
   * RocksDB offers, has no type for some columns that a key may have, nor for the kind of an entry.
   *
   * @param conf
   *   of the run, including what the checkpoint has fixed
   */
  def checkEncoding(conf: SQLConf): Unit = {
    val found = conf.getConf(encoding)
    if (found == "avro" && conf.stateStoreProviderClass.contains("RocksDB"))
      throw RuntimeErrors.stateEncoding(encoding.key, found)
  }

  /** @param input the columns that the operator reads, in their order */
  def describe(
      stream: StreamClause,
      program: StreamProgram,
      input: Seq[Attribute],
      session: SparkSession
  ): CheckpointDescription = {
    val state = sessionTexts(stream.sessionValues, session) ++ StateDescription.of(program)
    CheckpointDescription.of(stream.description, input, state)
  }

  /** Each function that asks the session for a value, with what it returns there. */
  private def sessionTexts(
      values: Iterable[SessionValue],
      session: SparkSession
  ): Seq[(String, String)] = {
    val manager = session.sessionState.catalogManager
    val catalog = manager.currentCatalog.name
    values.toSeq.map { value =>
      value.sql -> (value match {
        case SessionValue.Catalog => catalog
        case SessionValue.Database => (catalog +: manager.currentNamespace.toSeq).mkString(".")
        case SessionValue.User => CurrentUserContext.getCurrentUser
      })
    }
  }
}
