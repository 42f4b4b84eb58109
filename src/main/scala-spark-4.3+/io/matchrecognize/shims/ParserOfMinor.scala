package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.parser.{SqlStatementSplitResult, TemporalIdentifier}

/** What a parser of Spark 4.3 has of its own. */
trait ParserOfMinor extends ParserWithParameters {
  override def splitStatements(sqlText: String): SqlStatementSplitResult =
    delegate.splitStatements(sqlText)

  override def parseTemporalTableIdentifier(sqlText: String): TemporalIdentifier =
    delegate.parseTemporalTableIdentifier(sqlText)
}
