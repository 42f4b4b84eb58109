package io.matchrecognize.streaming.operator

import java.io.InputStream
import java.nio.charset.StandardCharsets

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.CurrentUserContext
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.BuildInfo
import io.matchrecognize.errors.RuntimeErrors
import io.matchrecognize.plans.{SessionValue, StreamClause}
import io.matchrecognize.shims.Stateful.{CheckpointFileManager, StatefulOperatorStateInfo}
import io.matchrecognize.streaming.state.{CheckpointDescription, StateLayout}
import io.matchrecognize.streaming.task.{StateDescription, StreamProgram}

/** The file in an operator's checkpoint directory that describes the clause of its state. */
final class CheckpointFile(info: StatefulOperatorStateInfo, conf: Configuration) {
  import CheckpointFile._

  private val file = fileOf(new Path(info.checkpointLocation, info.operatorId.toString))
  private val directory = file.getParent
  private lazy val files = CheckpointFileManager.create(directory, conf)

  /**
   * Compares a clause with the checkpoint's, unless the checkpoint has no state yet, and writes it:
   * a newer Spark may have settings that the one before had not.
   */
  def checkAndWrite(clause: CheckpointDescription, isNew: Boolean): Unit = {
    if (!isNew && files.exists(file)) clause.check(read(files.open(file)))
    write(clause.toJson)
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
  private def fileOf(operator: Path): Path = new Path(operator, "_matchRecognize/clause.json")

  private def read(in: InputStream): CheckpointDescription =
    try CheckpointDescription.fromJson(new String(in.readAllBytes(), StandardCharsets.UTF_8))
    finally in.close()

  /**
   * The clauses of each operator that a checkpoint has state of, once its first micro-batch has
   * ended.
   */
  def all(checkpoint: String, conf: Configuration): Seq[CheckpointDescription] = {
    val root = new Path(checkpoint)
    val files = CheckpointFileManager.create(root, conf)
    def in(name: String): Seq[Path] = {
      val directory = new Path(root, name)
      if (files.exists(directory)) files.list(directory).toSeq.map(_.getPath) else Nil
    }
    if (in("commits").isEmpty) Nil
    else in("state").map(fileOf).filter(files.exists).map(file => read(files.open(file)))
  }

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

  /**
   * Without the settings.
   *
   * @param input
   *   the columns that the operator reads, in their order
   */
  def describe(
      streams: Seq[StreamClause],
      program: StreamProgram,
      input: Seq[Attribute],
      session: SparkSession
  ): CheckpointDescription = {
    def named(number: Int, parts: Seq[(String, String)]) =
      if (streams.length == 1) parts
      else parts.map { case (part, text) => s"$part of pattern ${number + 1}" -> text }
    val state = sessionTexts(streams.flatMap(_.sessionValues).distinct, session) ++
      StateDescription.of(program) ++
      streams.indices.flatMap(i => named(i, StateDescription.of(program, i)))
    val clauses = streams.zipWithIndex.flatMap { case (stream, i) => named(i, stream.description) }
    val columns = "input columns" -> StateDescription.columns(input)
    CheckpointDescription(
      StateLayout.Format,
      BuildInfo.version,
      streams.length,
      clauses :+ columns,
      state,
      Nil
    )
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
