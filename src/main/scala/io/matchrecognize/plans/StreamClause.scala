package io.matchrecognize.plans

/**
 * What a clause has in addition over a stream.
 *
 * @param description
 *   the clause as text that is the same at every start of the query: part and text
 * @param sessionValues
 *   the functions in it that return a value of the session, which is not part of the text
 * @param clock
 *   what reads the current time, as text
 * @param carriesWatermark
 *   whether a measure that is MATCH_ROWTIME carries the watermark
 * @param inOrderOfArrival
 *   whether rows are searched as they arrive, in the order that the user has promised, rather than
 *   once the watermark has reached them
 * @param warnings
 *   about that order
 */
final case class StreamClause(
    description: Seq[(String, String)],
    sessionValues: Set[SessionValue],
    clock: Option[String],
    carriesWatermark: Boolean,
    inOrderOfArrival: Boolean,
    warnings: Seq[String]
)

object StreamClause {

  /**
   * The part of a description with the order in which rows are searched, if it is not `watermark`.
   */
  final val InputOrder = "input order"
}

/** A value that Spark's optimizer puts into a plan. */
sealed abstract class SessionValue(val sql: String)

object SessionValue {
  case object Database extends SessionValue("current_database()")
  case object Catalog extends SessionValue("current_catalog()")
  case object User extends SessionValue("current_user()")
}
