package io.matchrecognize.plans

import io.matchrecognize.expressions.NavigationTarget

/** Row pattern rows per match. */
sealed trait RowsPerMatch {
  def sql: String

  /** Whether measures are evaluated once for a match, on its last row. */
  def evaluatesOnLastRow: Boolean = !isInstanceOf[RowsPerMatch.AllRows]
  def isEachRow: Boolean = isInstanceOf[RowsPerMatch.EachRow]
  def showsTimeouts: Boolean = this == RowsPerMatch.OneRow(showTimeoutMatches = true)
  def showsEmptyMatches: Boolean = this != RowsPerMatch.AllRows(AllRowsMode.OmitEmptyMatches)
  def showsUnmatchedRows: Boolean =
    isEachRow || this == RowsPerMatch.AllRows(AllRowsMode.WithUnmatchedRows)
}

object RowsPerMatch {

  /** One output row for each match. */
  final case class OneRow(showTimeoutMatches: Boolean) extends RowsPerMatch {
    override def sql: String =
      "ONE ROW PER MATCH" + (if (showTimeoutMatches) " SHOW TIMEOUT MATCHES" else "")
  }

  /**
   * A row pattern window: one output row for each input row, with its columns and the measures of
   * the match that begins at it (INITIAL), or of the first match in its frame (SEEK).
   */
  final case class EachRow(isSeek: Boolean) extends RowsPerMatch {
    override def sql: String = if (isSeek) "SEEK" else "INITIAL"
  }

  /** One output row for each row of a match that is not excluded. */
  final case class AllRows(mode: AllRowsMode) extends RowsPerMatch {
    override def sql: String = "ALL ROWS PER MATCH" + mode.sql
  }
}

/** Row pattern empty match handling of ALL ROWS PER MATCH. */
sealed abstract class AllRowsMode(val sql: String) extends Serializable

object AllRowsMode {
  case object ShowEmptyMatches extends AllRowsMode("")
  case object OmitEmptyMatches extends AllRowsMode(" OMIT EMPTY MATCHES")
  case object WithUnmatchedRows extends AllRowsMode(" WITH UNMATCHED ROWS")
}

/** Row pattern subset item: a union variable and its members. */
final case class Subset(name: String, members: Seq[String]) {
  def sql: String = s"$name = (${members.mkString(", ")})"
}

object Subset {

  /**
   * Whether a condition of a variable reads the row that it tests there: the last row mapped so far
   * to the variable, to a union variable with it, or to any.
   */
  def isTestedRow(target: NavigationTarget, variable: String, subsets: Seq[Subset]): Boolean =
    target.copy(variable = None) == NavigationTarget.LastRow && target.variable.forall { read =>
      read == variable || subsets.exists(s => s.name == read && s.members.contains(variable))
    }
}
