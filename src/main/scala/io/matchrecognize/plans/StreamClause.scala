package io.matchrecognize.plans

/**
 * What a clause has in addition over a stream.
 *
 * @param description
 *   the clause as text that is the same at every start of the query: part and text
 * @param carriesWatermark
 *   whether a measure that is MATCH_ROWTIME carries the watermark
 */
final case class StreamClause(description: Seq[(String, String)], carriesWatermark: Boolean)
