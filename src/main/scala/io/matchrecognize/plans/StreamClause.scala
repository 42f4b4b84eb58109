package io.matchrecognize.plans

/**
 * What a clause has in addition over a stream.
 *
 * @param description
 *   the clause as text that is the same at every start of the query: part and text
 * @param sessionValues
 *   the functions in it that return a value of the session, which is not part of the text
 * @param carriesWatermark
 *   whether a measure that is MATCH_ROWTIME carries the watermark
 */
final case class StreamClause(
    description: Seq[(String, String)],
    sessionValues: Set[SessionValue],
    carriesWatermark: Boolean
)

/** A value that Spark's optimizer puts into a plan. */
sealed abstract class SessionValue(val sql: String)

object SessionValue {
  case object Database extends SessionValue("current_database()")
  case object Catalog extends SessionValue("current_catalog()")
  case object User extends SessionValue("current_user()")
}
