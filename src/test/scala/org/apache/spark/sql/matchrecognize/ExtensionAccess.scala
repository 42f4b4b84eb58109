package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}

/** What only packages of Spark may ask of its extensions. */
object ExtensionAccess {
  def buildParser(
      extensions: SparkSessionExtensions,
      session: SparkSession,
      initial: ParserInterface
  ): ParserInterface = extensions.buildParser(session, initial)
}
