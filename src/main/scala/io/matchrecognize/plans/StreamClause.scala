package io.matchrecognize.plans

/**
 * What a clause over a stream has besides.
 *
 * @param description
 *   the clause in words that stay the same from one start of the query to the next: part and text
 * @param carriesWatermark
 *   whether a measure that is MATCH_ROWTIME carries the watermark
 */
final case class StreamClause(description: Seq[(String, String)], carriesWatermark: Boolean)
