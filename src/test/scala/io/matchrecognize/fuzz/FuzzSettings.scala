package io.matchrecognize.fuzz

import java.nio.file.Paths

import scala.jdk.CollectionConverters._
import scala.util.Random

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** Values of the settings that must not change results: those of `tests/settings.json`. */
final case class FuzzSettings(values: Seq[(String, String)]) {
  import FuzzSettings._

  def apply(key: String): String = values.collectFirst { case (`key`, value) => value }.get

  def updated(key: String, value: String): FuzzSettings = {
    require(space.exists { case (k, all) => k == key && all.contains(value) }, s"$key = $value")
    FuzzSettings(values.map { case (k, v) => k -> (if (k == key) value else v) })
  }

  /** All that a session needs. */
  def confs: Seq[(String, String)] = values

  /** As statements, to run a query under them by hand. */
  override def toString: String = FuzzSettings.statements(confs)

  /** One more setting as plain as it can be; all of them first. */
  def smaller: Iterator[FuzzSettings] =
    (plain +: plain.values.map { case (key, value) => updated(key, value) }).iterator
      .filter(_ != this)
}

object FuzzSettings {
  final val Ansi = "spark.sql.ansi.enabled"
  final val FactoryMode = "spark.sql.codegen.factoryMode"
  final val ShufflePartitions = "spark.sql.shuffle.partitions"

  private lazy val file: JsonNode =
    new ObjectMapper().readTree(Paths.get("tests", "settings.json").toFile)

  /** Each setting with its values. */
  lazy val space: Seq[(String, Seq[String])] =
    file.get("same results").properties().asScala.toSeq.map { entry =>
      entry.getKey -> entry.getValue.elements().asScala.map(_.asText).toSeq
    }

  /** The plainest way of each, without what the plugin adds. */
  lazy val plain: FuzzSettings = FuzzSettings(space.map { case (key, all) => key -> all.last })

  def statements(confs: Seq[(String, String)]): String =
    confs.map { case (key, value) => s"SET $key = $value;" }.mkString("\n")

  def random(random: Random): FuzzSettings =
    FuzzSettings(space.map { case (key, all) => key -> all(random.nextInt(all.size)) })
}
