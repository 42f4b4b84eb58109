package org.apache.spark.sql.matchrecognize

import java.net.URL

import org.apache.spark.{ErrorClassesJsonReader, SparkThrowableHelper}

/** Spark's reader of error conditions, which only packages of Spark may create. */
final class ConditionReader(file: URL) {
  private val reader = new ErrorClassesJsonReader(Seq(file))

  /** The message of a condition of this file or of Spark itself. */
  def message(condition: String, parameters: Map[String, String]): String =
    readerOf(condition).getErrorMessage(condition, parameters)

  def sqlState(condition: String): String = readerOf(condition).getSqlState(condition)

  private def readerOf(condition: String): ErrorClassesJsonReader =
    if (isKnown(condition)) reader else SparkThrowableHelper.errorReader

  /** The conditions of this file, sub-conditions instead of their parent. */
  def names: Seq[String] = reader.errorInfoMap.toSeq.flatMap { case (name, info) =>
    info.subClass.fold(Seq(name))(_.keys.toSeq.map(sub => s"$name.$sub"))
  }

  /** Whether the condition is one of this file. */
  def isKnown(condition: String): Boolean = reader.isValidErrorClass(condition)
}
