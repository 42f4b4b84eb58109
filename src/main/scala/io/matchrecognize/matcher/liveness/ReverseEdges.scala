package io.matchrecognize.matcher.liveness

import io.matchrecognize.pattern.Automaton

/** The edges between the positions of an automaton, from their targets. */
private[liveness] final class ReverseEdges(automaton: Automaton) {
  private val positions = automaton.positions

  // The positions with an edge to position p, from index predecessorStarts(p) on.
  private val predecessorStarts = new Array[Int](positions + 1)
  private val predecessors = collect()

  /** Adds the positions with an edge to one of a set; in both sets each has one bit. */
  def addPredecessors(set: Array[Long], to: Array[Long]): Unit = {
    var word = 0
    while (word < set.length) {
      var rest = set(word)
      while (rest != 0) {
        val position = (word << 6) + java.lang.Long.numberOfTrailingZeros(rest)
        var i = predecessorStarts(position)
        while (i < predecessorStarts(position + 1)) {
          to(predecessors(i) >>> 6) |= 1L << predecessors(i)
          i += 1
        }
        rest &= rest - 1
      }
      word += 1
    }
  }

  private def collect(): Array[Int] = {
    eachEdge((_, to) => predecessorStarts(to + 1) += 1)
    (0 until positions).foreach(p => predecessorStarts(p + 1) += predecessorStarts(p))
    val next = predecessorStarts.clone()
    val result = new Array[Int](predecessorStarts(positions))
    eachEdge { (from, to) =>
      result(next(to)) = from
      next(to) += 1
    }
    result
  }

  private def eachEdge(use: (Int, Int) => Unit): Unit = (0 until positions).foreach { from =>
    (automaton.firstEdge(from) until automaton.endEdge(from)).foreach { edge =>
      if (automaton.target(edge) != Automaton.Accept) use(from, automaton.target(edge))
    }
  }
}
