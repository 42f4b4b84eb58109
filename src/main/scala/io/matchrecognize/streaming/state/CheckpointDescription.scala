package io.matchrecognize.streaming.state

import scala.jdk.CollectionConverters._

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.{RuntimeErrors, UserText}
import io.matchrecognize.plans.StreamClause

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

/**
 * A checkpoint's record of the clause whose state it holds: all that decides what is kept, and what
 * its bytes mean. It is written when a query starts on a new checkpoint and compared when it starts
 * again, because Spark keeps none of this and other state would be read as garbage.
 *
 * @param format
 *   of the state
 * @param plugin
 *   version that wrote it
 * @param patterns
 *   how many clauses are searched together
 * @param clause
 *   these as text, and the columns that they read
 * @param state
 *   the contents of the state, which the optimizer decides too
 * @param session
 *   the settings that expressions depend on, of a start
 */
final case class CheckpointDescription(
    format: Int,
    plugin: String,
    patterns: Int,
    clause: Seq[(String, String)],
    state: Seq[(String, String)],
    session: Seq[(String, String)]
) {
  import CheckpointDescription._

  def toJson: String = {
    val root = mapper.createObjectNode()
    root.put("format", format)
    root.put("plugin", plugin)
    root.put("patterns", patterns)
    Seq("clause" -> clause, "state" -> state, "session" -> session).foreach { case (name, parts) =>
      val node = root.putObject(name)
      parts.foreach { case (part, text) => node.put(part, text) }
    }
    mapper.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n"
  }

  /** Raises an error if the state has another format. */
  def checkFormat(): Unit =
    if (format != StateLayout.Format)
      throw RuntimeErrors.stateFormat(format, StateLayout.Format, plugin)

  /** Raises an error if `written`, that of the checkpoint, differs. */
  def check(written: CheckpointDescription): Unit = {
    written.checkFormat()
    session.foreach { case (key, found) =>
      written.session
        .find(_._1 == key)
        .map(_._2)
        .filter(!_.equalsIgnoreCase(found))
        .foreach(expected => throw RuntimeErrors.changedConf(key, found, expected))
    }
    val changed = differences(clause, written.clause) ++ differences(state, written.state)
    if (changed.nonEmpty) throw RuntimeErrors.changedQuery(changed.mkString("; "))
  }

  private def differences(
      found: Seq[(String, String)],
      written: Seq[(String, String)]
  ): Seq[String] = {
    val before = written.toMap
    val now = found.toMap
    (found ++ written)
      .map(_._1)
      .distinct
      .filter(part => before.getOrElse(part, "") != now.getOrElse(part, ""))
      .map(part => shown(part, before.get(part), now.get(part)))
  }

  // The default order is not written.
  private def shown(part: String, before: Option[String], now: Option[String]): String = {
    val missing = Option.when(part == StreamClause.InputOrder)(MatchRecognizeConf.Watermark)
    s"$part (${text(before.orElse(missing))}, now ${text(now.orElse(missing))})"
  }

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

  def fromJson(json: String): CheckpointDescription = {
    val root = mapper.readTree(json).asInstanceOf[ObjectNode]
    def texts(name: String): Seq[(String, String)] =
      Option(root.get(name)).toSeq
        .flatMap(_.properties.asScala)
        .map(e => e.getKey -> e.getValue.asText)
    CheckpointDescription(
      root.get("format").asInt,
      Option(root.get("plugin")).map(_.asText).getOrElse(""),
      Option(root.get("patterns")).fold(1)(_.asInt),
      texts("clause"),
      texts("state"),
      texts("session")
    )
  }
}
