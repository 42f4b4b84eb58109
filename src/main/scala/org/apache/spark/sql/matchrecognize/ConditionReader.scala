package org.apache.spark.sql.matchrecognize

import java.net.URL

import org.apache.spark.{ErrorClassesJsonReader, SparkThrowableHelper}

/**
 * Spark's reader of error conditions, which only packages of Spark may create.
 *
 * @param java
 *   the running version of Java
 */
final class ConditionReader(file: URL, java: Int = Runtime.version().feature()) {
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

  def isKnown(condition: String): Boolean = reader.isValidErrorClass(condition)

  /**
   * Adds the conditions to those that Spark itself knows, and returns whether that worked. PySpark
   * logs an exception with a query context through Spark's own catalogue, and a condition that is
   * missing there would turn the error into an internal one. Spark has no API for it, so a final
   * field is set by reflection. Java 26 begins to refuse that (JEP 500); there, errors have no
   * query context, but their messages are complete.
   */
  def register(): Boolean = java < ConditionReader.FinalFieldsAreFinal && add()

  private def add(): Boolean =
    try {
      val known = SparkThrowableHelper.errorReader
      val field = classOf[ErrorClassesJsonReader].getDeclaredField("errorInfoMap")
      field.setAccessible(true)
      field.set(known, known.errorInfoMap ++ reader.errorInfoMap)
      reader.errorInfoMap.keys.forall(known.isValidErrorClass)
    } catch {
      case _: ReflectiveOperationException | _: RuntimeException => false
    }
}

private object ConditionReader {
  final val FinalFieldsAreFinal = 26
}
