package io.matchrecognize.plans

import io.matchrecognize.pattern.RowPattern

/** What of a clause holds no expression. */
final case class ClauseText(
    rowsPerMatch: RowsPerMatch,
    afterMatchSkip: AfterMatchSkip,
    pattern: RowPattern,
    subsets: Seq[Subset]
)
