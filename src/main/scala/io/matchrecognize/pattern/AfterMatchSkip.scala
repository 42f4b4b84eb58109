package io.matchrecognize.pattern

/**
 * AFTER MATCH SKIP: where the search resumes after a non-empty match.
 *
 * @tparam T
 *   a variable: its name in plans, its symbols in the matcher
 */
sealed abstract class AfterMatchSkip[+T](val sql: String) extends Serializable {
  def map[U](f: T => U): AfterMatchSkip[U] = this match {
    case AfterMatchSkip.PastLastRow => AfterMatchSkip.PastLastRow
    case AfterMatchSkip.ToNextRow => AfterMatchSkip.ToNextRow
    case AfterMatchSkip.ToVariable(variable, first) =>
      AfterMatchSkip.ToVariable(f(variable), first)
  }
}

object AfterMatchSkip {
  case object PastLastRow extends AfterMatchSkip[Nothing]("SKIP PAST LAST ROW")
  case object ToNextRow extends AfterMatchSkip[Nothing]("SKIP TO NEXT ROW")

  /** `TO v` without FIRST or LAST means LAST. */
  final case class ToVariable[+T](variable: T, first: Boolean)
      extends AfterMatchSkip[T](s"SKIP TO ${if (first) "FIRST" else "LAST"} $variable")
}
