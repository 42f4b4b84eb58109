package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.parser.{SqlStatementSplitResult, TemporalIdentifier}

/** The parser methods specific to Spark 4.3. */
trait ParserOfMinor extends ParserWithParameters {
  override def splitStatements(sqlText: String): SqlStatementSplitResult =
    delegate.splitStatements(sqlText)

  override def parseTemporalTableIdentifier(sqlText: String): TemporalIdentifier =
    delegate.parseTemporalTableIdentifier(sqlText)
}
