package io.matchrecognize.errors

import scala.jdk.CollectionConverters._

import org.apache.spark.internal.Logging
import org.apache.spark.sql.matchrecognize.ConditionReader

/** The error conditions that the plugin raises, its own and Spark's: messages and SQLSTATEs. */
object MatchRecognizeConditions extends Logging {
  private lazy val reader =
    new ConditionReader(getClass.getResource("/error/match-recognize-conditions.json"))

  /**
   * Whether Spark's own catalogue knows the conditions too. PySpark looks up an exception with a
   * query context in that catalogue, so exceptions have a context only if it does.
   */
  lazy val areRegistered: Boolean = reader.register()

  /**
   * Registers the conditions in this JVM before errors of the clause can reach it: tasks create
   * runtime errors and the driver shows them.
   */
  def register(): Unit = if (!areRegistered)
    logWarning("Spark's error catalogue could not be extended; errors come without query context.")

  /** The message of a condition, `[CONDITION] text SQLSTATE: state`, with its parameters. */
  def message(condition: String, parameters: Map[String, String]): String =
    s"[$condition] ${reader.message(condition, parameters)} SQLSTATE: ${sqlState(condition)}"

  /** All conditions of the catalogue; a condition with sub-conditions is replaced by them. */
  def names: Seq[String] = reader.names

  def sqlState(condition: String): String = reader.sqlState(condition)

  def javaParameters(parameters: Map[String, String]): java.util.Map[String, String] =
    parameters.asJava
}
