package io.matchrecognize.execution.limit

/** A predicate of a deadline: from some row or time on it is not TRUE. */
private[matchrecognize] abstract class DeadlineCheck extends GallopingSearch {

  /** Where that is for a start row. */
  def end(start: Long): Long
}

private[matchrecognize] object DeadlineCheck {

  /**
   * Where no match from a start row can end any more: at the latest end of the variables, each of
   * which ends at the earliest of its checks.
   *
   * @param least
   *   no result is smaller
   * @param most
   *   no result is larger
   */
  def end(
      variables: Array[Array[DeadlineCheck]],
      start: Long,
      least: Long,
      most: Long
  ): Long = {
    var latest = least
    var variable = 0
    while (variable < variables.length && latest < most) {
      val checks = variables(variable)
      var earliest = most
      var i = 0
      while (i < checks.length && earliest > latest) {
        earliest = earliest.min(checks(i).end(start))
        i += 1
      }
      latest = latest.max(earliest)
      variable += 1
    }
    latest
  }
}
