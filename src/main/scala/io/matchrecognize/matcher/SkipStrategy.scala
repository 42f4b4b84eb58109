package io.matchrecognize.matcher

/** AFTER MATCH SKIP: where the search resumes after a match that is not empty. */
sealed trait SkipStrategy

object SkipStrategy {

  /** SKIP PAST LAST ROW, the default. */
  case object PastLastRow extends SkipStrategy

  /** SKIP TO NEXT ROW: at the row after the first row of the match. */
  case object ToNextRow extends SkipStrategy

  /** SKIP TO FIRST variable; several symbols for a union variable. */
  final case class ToFirst(symbols: SymbolSet) extends SkipStrategy

  /** SKIP TO LAST variable, also without LAST. */
  final case class ToLast(symbols: SymbolSet) extends SkipStrategy
}
