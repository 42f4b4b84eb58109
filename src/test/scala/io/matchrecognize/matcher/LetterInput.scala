package io.matchrecognize.matcher

/**
 * Rows that are letters: variable A holds on rows `a` and on `*`, and so on; variables of the set
 * `any` hold everywhere. All conditions are row-local.
 */
class LetterInput(symbols: IndexedSeq[String], rows: Long => Char, any: Set[String] = Set.empty)
    extends MatchInput {
  var cancelChecks = 0
  var tests = 0L

  private val letters = symbols.map(_.head.toLower).toArray
  private val always = symbols.map(any.contains).toArray

  override def alwaysTrue(symbol: Int): Boolean = always(symbol)
  override def mayFail(symbol: Int): Boolean = false
  override def rowLocal(symbol: Int): Boolean = true
  override def hasNecessary(symbol: Int): Boolean = true
  override def testNecessary(symbol: Int, row: Long): Int = testLocal(symbol, row)

  override def testLocal(symbol: Int, row: Long): Int = {
    tests += 1
    val letter = rows(row)
    if (letter == letters(symbol) || letter == '*') Truth.True else Truth.False
  }

  override def testPath(symbol: Int, path: Path): Int = throw new UnsupportedOperationException
  override def failure: Throwable = throw new UnsupportedOperationException
  override def initialFold(fold: Int): AnyRef = throw new UnsupportedOperationException
  override def updateFold(fold: Int, value: AnyRef, row: Long, symbol: Int): AnyRef =
    throw new UnsupportedOperationException
  override def sameFold(fold: Int, a: AnyRef, b: AnyRef): Boolean =
    throw new UnsupportedOperationException
  override def checkCancelled(): Unit = cancelChecks += 1
}

object LetterInput {
  def noRegisters(symbols: Int): RegisterPlan =
    RegisterPlan(
      Vector(),
      Vector(),
      Vector(),
      Vector(),
      IndexedSeq.fill(symbols)(RegisterReads.none)
    )
}
