package org.apache.spark.sql.matchrecognize

import java.net.URL

import org.apache.spark._

/** Spark's reader of error conditions, which only packages of Spark may create. */
class ConditionReader(file: URL) {
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

/**
 * An exception with a condition that Spark does not know. Only subclasses of SparkRuntimeException
 * keep condition and SQLSTATE on the way to Python; that class requires a condition of Spark.
 */
abstract class ConditionException(condition: String, cause: Throwable)
    extends SparkRuntimeException(
      "INTERNAL_ERROR",
      Map("message" -> condition),
      cause,
      Array.empty[QueryContext],
      ""
    )

/**
 * Locates errors that an expression of a clause raises, above all Spark's ANSI errors: copies one
 * with its class, condition, SQLSTATE, parameters and query context, so that callers see no
 * difference, and appends a block to its message that names row and partition. Errors of other
 * classes, subclasses included, are returned unchanged.
 */
object LocatedExceptions {

  /** @param place evaluated only for an error that is copied */
  def apply(error: Throwable, place: => String): Throwable = error match {
    case e: SparkThrowable if e.getCondition != null =>
      val copy = located(e, place)
      copy.foreach(_.setStackTrace(error.getStackTrace))
      copy.getOrElse(error)
    case _ => error
  }

  private def located(error: SparkThrowable, place: => String): Option[Throwable] = {
    def condition = error.getCondition
    def parameters =
      scala.jdk.CollectionConverters.MapHasAsScala(error.getMessageParameters).asScala.toMap
    def contexts = error.getQueryContext
    def summary = contexts.map(_.summary).mkString + s"== MATCH_RECOGNIZE ==\n$place\n"
    error match {
      case e if e.getClass == classOf[SparkArithmeticException] =>
        Some(new SparkArithmeticException(condition, parameters, contexts, summary))
      case e if e.getClass == classOf[SparkNumberFormatException] =>
        Some(new SparkNumberFormatException(condition, parameters, contexts, summary))
      case e if e.getClass == classOf[SparkDateTimeException] =>
        Some(new SparkDateTimeException(condition, parameters, contexts, summary))
      case e if e.getClass == classOf[SparkArrayIndexOutOfBoundsException] =>
        Some(new SparkArrayIndexOutOfBoundsException(condition, parameters, contexts, summary))
      case e: SparkRuntimeException if e.getClass == classOf[SparkRuntimeException] =>
        Some(new SparkRuntimeException(condition, parameters, e.getCause, contexts, summary))
      case e: SparkException if e.getClass == classOf[SparkException] =>
        Some(new SparkException(condition, parameters, e.getCause, contexts, summary))
      case _ => None
    }
  }
}
