package io.matchrecognize.errors

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.matchrecognize.ConditionReader

/** The error conditions that the plugin raises, its own and Spark's: messages and SQLSTATEs. */
object MatchRecognizeConditions {
  private lazy val reader =
    new ConditionReader(getClass.getResource("/error/match-recognize-conditions.json"))

  /**
   * Whether Spark's own catalogue knows the conditions too. PySpark logs an exception that has a
   * query context through that catalogue, so only then exceptions show one.
   */
  lazy val areRegistered: Boolean = reader.register()

  /** The message of a condition, `[CONDITION] text SQLSTATE: state`, its parameters filled in. */
  def message(condition: String, parameters: Map[String, String]): String =
    s"[$condition] ${reader.message(condition, parameters)} SQLSTATE: ${sqlState(condition)}"

  def sqlState(condition: String): String = reader.sqlState(condition)

  def javaParameters(parameters: Map[String, String]): java.util.Map[String, String] =
    parameters.asJava
}
