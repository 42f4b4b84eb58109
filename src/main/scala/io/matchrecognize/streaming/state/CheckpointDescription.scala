package io.matchrecognize.streaming.state

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.BuildInfo
import io.matchrecognize.errors.{RuntimeErrors, UserText}

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

/**
 * A checkpoint's record of the clause whose state it holds: the clause as text, the columns that it
 * reads and the session confs that its conditions depend on. It is written when a query starts on a
 * new checkpoint and compared when it starts again, because Spark keeps none of this and the state
 * of another clause would be read as garbage.
 *
 * @param format
 *   of the state
 * @param plugin
 *   version that wrote it
 */
final case class CheckpointDescription(
    format: Int,
    plugin: String,
    clause: Seq[(String, String)],
    session: Seq[(String, String)]
) {
  import CheckpointDescription._

  def toJson: String = {
    val root = mapper.createObjectNode()
    root.put("format", format)
    root.put("plugin", plugin)
    clause.foldLeft(root.putObject("clause")) { case (node, (name, text)) => node.put(name, text) }
    session.foldLeft(root.putObject("session")) { case (node, (name, text)) =>
      node.put(name, text)
    }
    mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n"
  }

  /** Raises an error if `written`, that of the checkpoint, differs. */
  def check(written: CheckpointDescription): Unit = {
    if (written.format > format)
      throw RuntimeErrors.stateFormat(written.format, format, written.plugin)
    val before = written.clause.toMap
    val now = clause.toMap
    val changed = (clause ++ written.clause).map(_._1).distinct.filter { part =>
      before.getOrElse(part, "") != now.getOrElse(part, "")
    }
    if (changed.nonEmpty)
      throw RuntimeErrors.changedQuery(
        changed.map(p => shown(p, before.get(p), now.get(p))).mkString("; ")
      )
    session.foreach { case (key, found) =>
      written.session.find(_._1 == key).map(_._2).filter(_ != found).foreach { expected =>
        throw RuntimeErrors.changedConf(key, found, expected)
      }
    }
  }

  private def shown(part: String, before: Option[String], now: Option[String]): String =
    s"$part (${text(before)}, now ${text(now)})"

  private def text(value: Option[String]): String =
    value.filter(_.nonEmpty).map(UserText.cut(_)) match {
      case None => "nothing"
      // Names in it are quoted already.
      case Some(quoted) if quoted.contains('`') => quoted
      case Some(plain) => UserText.quoted(plain)
    }
}

object CheckpointDescription {
  private val mapper = new ObjectMapper

  /** @param input the columns that the operator reads, in their order */
  def of(clause: Seq[(String, String)], input: Seq[Attribute]): CheckpointDescription = {
    val conf = SQLConf.get
    val columns = input.map { c =>
      s"${UserText.quoted(c.name)} ${c.dataType.sql}${if (c.nullable) "" else " NOT NULL"}"
    }
    CheckpointDescription(
      StateLayout.Format,
      BuildInfo.version,
      clause :+ ("input columns" -> columns.mkString(", ")),
      Seq(
        SQLConf.ANSI_ENABLED.key -> conf.ansiEnabled.toString,
        SQLConf.CASE_SENSITIVE.key -> conf.caseSensitiveAnalysis.toString,
        SQLConf.SESSION_LOCAL_TIMEZONE.key -> conf.sessionLocalTimeZone
      )
    )
  }

  def fromJson(json: String): CheckpointDescription = {
    val root = mapper.readTree(json).asInstanceOf[ObjectNode]
    def texts(name: String): Seq[(String, String)] =
      Option(root.get(name)).toSeq
        .flatMap(_.properties.asScala)
        .map(e => e.getKey -> e.getValue.asText)
    CheckpointDescription(
      root.get("format").asInt,
      Option(root.get("plugin")).map(_.asText).getOrElse(""),
      texts("clause"),
      texts("session")
    )
  }
}
