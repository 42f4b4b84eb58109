package io.matchrecognize.errors

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.matchrecognize.ConditionReader

/** The error conditions that the plugin raises, its own and Spark's: messages and SQLSTATEs. */
object MatchRecognizeConditions {
  private lazy val reader =
    new ConditionReader(getClass.getResource("/error/match-recognize-conditions.json"))

  /** The message of a condition, `[CONDITION] text SQLSTATE: state`, with its parameters. */
  def message(condition: String, parameters: Map[String, String]): String =
    s"[$condition] ${reader.message(condition, parameters)} SQLSTATE: ${sqlState(condition)}"

  /** All conditions of the catalogue; a condition with sub-conditions is replaced by them. */
  def names: Seq[String] = reader.names

  /** Whether the condition is the plugin's, not Spark's. */
  def isOwn(condition: String): Boolean = reader.isKnown(condition)

  def sqlState(condition: String): String = reader.sqlState(condition)

  def javaParameters(parameters: Map[String, String]): java.util.Map[String, String] =
    parameters.asJava
}
