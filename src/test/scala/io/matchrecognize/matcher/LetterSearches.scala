package io.matchrecognize.matcher

import io.matchrecognize.matcher.state.{FoldCodec, StateReader, StateWriter}
import io.matchrecognize.matcher.threads.PikeMatcher
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{Automaton, RowPattern}

/** Searches over a [[LetterInput]], which counts what they do. */
trait LetterSearches {
  protected def label(name: String): RowPattern = Variable(name)

  protected def plus(element: RowPattern): RowPattern =
    Quantified(element, 1, None, greedy = true)

  /** The general engine, without registers. */
  protected def matcherOf(
      automaton: Automaton,
      input: MatchInput,
      budget: SearchBudget = SearchBudget(),
      timeOuts: Boolean = false
  ): PikeMatcher = new PikeMatcher(
    automaton,
    LetterInput.noRegisters(automaton.symbols.size),
    input,
    budget,
    timeOuts
  )

  /** Letters have no folds to save. */
  protected object noFolds extends FoldCodec {
    override def canWrite(fold: Int, value: AnyRef): Boolean = false
    override def write(fold: Int, value: AnyRef, out: StateWriter): Unit = ()
    override def read(fold: Int, in: StateReader): AnyRef = null
  }
}
