package io.matchrecognize.parser.clause

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.Expression

import io.matchrecognize.errors.MatchRecognizeErrors
import io.matchrecognize.parser.statement.StatementText

/**
 * Spark's functions of time windows. Spark computes one in a Project below the operator that calls
 * it, together with a Filter that drops the rows without a time: the operator's input is another.
 */
private[clause] object TimeWindows {
  private val Names = StatementText.words("WINDOW SESSION_WINDOW WINDOW_TIME")

  def isName(name: String): Boolean = Names(name.toUpperCase(Locale.ROOT))

  /** Refuses them in a key of a clause, which would show the column and miss the rows. */
  def refuse(key: Expression): Unit = key.foreach {
    case call: UnresolvedFunction if isBuiltin(call.nameParts) && isName(call.nameParts.last) =>
      if (call.nameParts.last.equalsIgnoreCase("SESSION_WINDOW"))
        throw MatchRecognizeErrors.sessionWindow(call, call.origin)
      throw MatchRecognizeErrors.timeWindow(call)
    case _ =>
  }

  /** Whether a name has no qualifier, or that of Spark's own functions. */
  private def isBuiltin(nameParts: Seq[String]): Boolean =
    nameParts.length == 1 || nameParts(nameParts.length - 2).equalsIgnoreCase("BUILTIN")
}
