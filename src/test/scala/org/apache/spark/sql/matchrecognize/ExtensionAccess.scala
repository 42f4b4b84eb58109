package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

/** Access to extensions that only Spark's packages have. */
object ExtensionAccess {
  def buildParser(
      extensions: SparkSessionExtensions,
      session: SparkSession,
      initial: ParserInterface
  ): ParserInterface = extensions.buildParser(session, initial)
}
