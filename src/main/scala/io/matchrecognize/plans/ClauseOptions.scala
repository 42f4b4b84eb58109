package io.matchrecognize.plans

import io.matchrecognize.pattern.{AfterMatchSkip, RowPattern}

/** What of a clause holds no expression. */
final case class ClauseOptions(
    rowsPerMatch: RowsPerMatch,
    afterMatchSkip: AfterMatchSkip[String],
    pattern: RowPattern,
    subsets: Seq[Subset]
)
