package io.matchrecognize.matcher

/**
 * Rows that are letters: variable A holds on rows `a` and on `*`, and so on; variables of the set
 * `any` hold everywhere. All conditions are row-local.
 */
class LetterInput(symbols: IndexedSeq[String], rows: Long => Char, any: Set[String] = Set.empty)
    extends MatchInput {
  var cancelChecks = 0
  var tests = 0L

  /** The most tests between two checks. */
  var mostUnchecked = 0
  private var sinceCheck = 0

  /** Whether there is memory for what an engine can do without. */
  var hasMemory = true

  /** How often it was checked in `body` whether the task was cancelled. */
  def checksOf(body: => Any): Int = {
    val before = cancelChecks
    body
    cancelChecks - before
  }

  private val letters = symbols.map(_.head.toLower).toArray
  private val always = symbols.map(any.contains).toArray

  override def alwaysTrue(symbol: Int): Boolean = always(symbol)
  override def mayFail(symbol: Int): Boolean = false
  override def rowLocal(symbol: Int): Boolean = true
  override def hasNecessary(symbol: Int): Boolean = true
  override def testNecessary(symbol: Int, row: Long): Int = testLocal(symbol, row)

  override def testLocal(symbol: Int, row: Long): Int = {
    tests += 1
    sinceCheck += 1
    mostUnchecked = mostUnchecked.max(sinceCheck)
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
  override def tryReserve(bytes: Long): Boolean = hasMemory

  override def checkCancelled(): Unit = {
    cancelChecks += 1
    sinceCheck = 0
  }
}

object LetterInput {
  def noRegisters(symbols: Int): RegisterPlan = {
    val none = IndexedSeq.fill(symbols)(RegisterReads.none)
    RegisterPlan(Vector(), Vector(), Vector(), none, none, none)
  }
}
