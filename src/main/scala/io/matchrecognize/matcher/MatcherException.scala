package io.matchrecognize.matcher

/** An error of the search itself; the caller, which knows the query, reports it to the user. */
sealed abstract class MatcherException(message: String) extends RuntimeException(message)

/** One attempt evaluated more conditions than `MatcherLimits.maxSteps`. */
final class StepLimitExceeded(val limit: Long)
    extends MatcherException(s"A match attempt took more than $limit steps.")

/** The open paths of one attempt need more memory than `MatcherLimits.maxPathBytes`. */
final class PathMemoryExceeded(val limit: Long)
    extends MatcherException(s"The paths of a match attempt need more than $limit bytes.")

/** AFTER MATCH SKIP would resume at the first row of the match that it skips from. */
final class SkipToFirstRow(val matchStart: Long)
    extends MatcherException(
      s"AFTER MATCH SKIP leads to the first row of the match that starts at row $matchStart."
    )

/** The match has no row of the variable that AFTER MATCH SKIP names. */
final class SkipToMissingRow(val matchStart: Long)
    extends MatcherException(
      s"AFTER MATCH SKIP finds no row to skip to in the match that starts at row $matchStart."
    )
