package io.matchrecognize.plans

import io.matchrecognize.pattern.RowPattern

/** What of a clause holds no expression. */
final case class ClauseOptions(
    rowsPerMatch: RowsPerMatch,
    afterMatchSkip: AfterMatchSkip,
    pattern: RowPattern,
    subsets: Seq[Subset]
)
