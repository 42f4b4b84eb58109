package org.apache.spark.sql.matchrecognize

import org.apache.spark.{QueryContext, SparkRuntimeException}

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
