package io.matchrecognize

import org.apache.spark.sql.AnalysisException

/** The place in a statement that an error of the parser or the analysis reports. */
object ErrorPlace {

  /** The statement from there on; positions in a line count code points. */
  def after(e: AnalysisException, sql: String): Option[String] =
    for (line <- e.line; position <- e.startPosition) yield {
      val rest = sql.linesWithSeparators.drop(line - 1).mkString
      rest.substring(rest.offsetByCodePoints(0, position))
    }

  /** The piece that the carets of the message underline, on one line. */
  def marked(e: AnalysisException, sql: String): Option[String] = {
    val carets = e.getMessage.linesIterator.map(_.trim).filter(_.matches("\\^+")).toSeq
    after(e, sql).flatMap(rest => carets.headOption.map(c => rest.take(c.length)))
  }
}
