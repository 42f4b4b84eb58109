package io.matchrecognize.execution.output

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import io.matchrecognize.matcher.search.{FrameSearch, Search}
import io.matchrecognize.plans.RowsPerMatch

/** What is returned of a search, which finds one result after the other. */
trait Results {

  /** Begins with the current result of a search. */
  def begin(found: Search): Unit

  /** The next row; null if there is none. */
  def next(): UnsafeRow
}

/**
 * The output rows of a search's results, one by one; those of a match in order. A path that timed
 * out (SHOW TIMEOUT MATCHES) has the row of a match without a number. The returned row is reused.
 *
 * @param checkCancelled
 *   called regularly within long matches
 */
final class ResultRows(
    measures: MeasureEvaluator,
    rowsPerMatch: RowsPerMatch,
    hasExclusion: Boolean,
    checkCancelled: () => Unit
) extends Results {
  private val evaluatesOnLastRow = rowsPerMatch.evaluatesOnLastRow
  private val showsEmpty = rowsPerMatch.showsEmptyMatches
  private var result: Search = _
  private var single: UnsafeRow = _
  private var offset = 0L
  private var inMatch = false

  override def begin(found: Search): Unit = {
    result = found
    single = null
    inMatch = false
    found.kind match {
      case Search.Match if rowsPerMatch.isEachRow =>
        single = measures.windowRow(found.asInstanceOf[FrameSearch])
      case Search.Unmatched => single = measures.unmatchedRow(found.start)
      case Search.TimedOut => single = measures.oneRow(found, NoNumber)
      case _ if evaluatesOnLastRow => single = measures.oneRow(found, found.matchNumber)
      case _ if found.length == 0 =>
        if (showsEmpty) single = measures.emptyMatch(found, found.matchNumber)
      case _ =>
        measures.beginRows(found, found.matchNumber)
        offset = 0
        inMatch = true
    }
  }

  override def next(): UnsafeRow =
    if (inMatch) nextOfMatch()
    else {
      val row = single
      single = null
      row
    }

  private def nextOfMatch(): UnsafeRow = {
    val last = result.length
    var row: UnsafeRow = null
    while (row == null && offset < last) {
      val isShown = !(hasExclusion && result.excludedAt(offset))
      row = measures.nextRow(offset, isShown)
      offset += 1
      if ((offset & 0xfff) == 0) checkCancelled()
    }
    if (row == null) inMatch = false
    row
  }

  /** MATCH_NUMBER() is NULL. */
  private final val NoNumber = 0L
}
