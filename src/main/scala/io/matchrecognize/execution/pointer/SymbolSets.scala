package io.matchrecognize.execution.pointer

import io.matchrecognize.matcher.SymbolSet
import io.matchrecognize.plans.Subset

/** The symbols of primary and union variables; symbols are numbered as in the automaton. */
final class SymbolSets(symbols: IndexedSeq[String], subsets: Seq[Subset]) {
  private val every = SymbolSet(symbols.indices.toSet)
  private val named: Map[String, SymbolSet] =
    symbols.zipWithIndex.map { case (name, i) => name -> SymbolSet(Set(i)) }.toMap ++
      subsets.map(s => s.name -> SymbolSet(s.members.map(symbols.indexOf(_)).toSet))

  /** The symbols of a primary or union variable, all of them without one. */
  def of(variable: Option[String]): SymbolSet = variable.map(named).getOrElse(every)
}
