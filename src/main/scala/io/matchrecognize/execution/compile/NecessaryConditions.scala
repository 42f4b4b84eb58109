package io.matchrecognize.execution.compile

/**
 * What a partition must have for a clause to have a result in it, or an error: groups of conditions
 * that are looked up, one of each group TRUE on some row.
 */
object NecessaryConditions {

  /** Patterns with more positions are asked for their first conditions alone. */
  private final val MaxPositions = 100

  /**
   * @param idOf
   *   by symbol
   * @param lookedUp
   *   the ids of the conditions that are looked up
   */
  def of(clause: ClauseProgram, idOf: Array[Int], lookedUp: Set[Int]): Array[Array[Int]] = {
    import clause.automaton
    val openers = clause.openers.map(_.map(idOf(_))).getOrElse(Nil)
    // A path that times out need not have the others, and one that fails may be tested for them.
    val isWhole = clause.openers.nonEmpty && !clause.rowsPerMatch.showsTimeouts &&
      !clause.conditions.bySymbol.flatten.exists(_.mayFail) &&
      automaton.positions <= MaxPositions
    val inAll = idOf.toSeq.filter(id => isWhole && lookedUp(id)).distinct.filter { id =>
      automaton.needsOneOf(idOf.indices.filter(idOf(_) == id).toSet)
    }
    val groups = openers +: inAll.map(Seq(_))
    groups.filter(ids => ids.nonEmpty && ids.forall(lookedUp)).distinct.map(_.toArray).toArray
  }
}
