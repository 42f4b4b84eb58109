package io.matchrecognize.matcher

/** Truth of a condition on a row: UNKNOWN counts as not TRUE. */
object Truth {
  final val False = 0
  final val True = 1

  /** The evaluation raised an error; `MatchInput.failure` returns it. */
  final val Failed = 2

  /** On a stream: it depends on a row that has not arrived yet. */
  final val Undecided = 3
}

/**
 * What an engine asks of its caller about the rows of one partition. Rows are numbered from 0
 * within the partition, symbols (row pattern primary variables) from 0 in the order of the
 * automaton.
 */
trait MatchInput {

  /** No DEFINE entry, or a condition that is constantly TRUE: never tested. */
  def alwaysTrue(symbol: Int): Boolean

  /** The truth depends on the row alone, not on the path that leads to it. */
  def rowLocal(symbol: Int): Boolean

  /**
   * Whether the evaluation of the condition may raise an error on some row; an engine that tests
   * rows out of order needs to know. False positives cost only extra tests.
   */
  def mayFail(symbol: Int): Boolean

  /** Truth of a row-local condition. The caller memoises it: asking twice is cheap. */
  def testLocal(symbol: Int, row: Long): Int

  /** Truths of row-local conditions: bit i is set iff that of `symbols(i)` is TRUE. */
  def testLocals(symbols: Array[Int], row: Long): Long = {
    var truths = 0L
    var i = 0
    while (i < symbols.length) {
      if (testLocal(symbols(i), row) == Truth.True) truths |= 1L << i
      i += 1
    }
    truths
  }

  /** The truths of a row-local condition if they are found for many rows at once; else null. */
  def truthWords(symbol: Int): TruthWords = null

  /**
   * The truths of row-local conditions that are known already for the rows of the block that a row
   * is in, `MatchInput.truthBytes` for each row and in each byte two bits for each of four truths:
   * the lower one is set iff the truth is known, the higher one iff the condition is known to be
   * TRUE. Null if they are not kept so. What is tested later is added to the array.
   */
  def knownTruths(row: Long): Array[Byte] = null

  /** How many truths of a row `knownTruths` has. */
  def truthCount: Int = 0

  /**
   * Which of them is that of a symbol's condition, none if it has a higher number; symbols with
   * equal conditions share one.
   */
  def truthOf(symbol: Int): Int = symbol

  /**
   * Limits what conditions may read to the rows from `first` to before `end`, the frame of a row
   * pattern window. It applies to `testInFrame` and `testPath`.
   */
  def limit(first: Long, end: Long): Unit = ()

  /** The first row of the frame. */
  def frameFirst: Long = 0L

  /**
   * How many rows at the beginning of a frame have conditions whose truth depends on where the
   * frame begins, because they read rows before it.
   */
  def frameReach: Int = 0

  /** Whether a condition may depend on where the frame begins or ends. */
  def dependsOnFrame: Boolean = false

  /** Truth of a row-local condition in the frame. */
  def testInFrame(symbol: Int, row: Long): Int = testLocal(symbol, row)

  /** Whether `testNecessary` may be called. */
  def hasNecessary(symbol: Int): Boolean

  /** Truth of a row-local condition that is TRUE wherever the symbol's condition is. */
  def testNecessary(symbol: Int, row: Long): Int

  /**
   * Truth of the other conditions on the path's last row, which is the row under test and already
   * mapped to its symbol on that path.
   */
  def testPath(symbol: Int, path: Path): Int

  /** The error of the last test that returned `Truth.Failed`. */
  def failure: Throwable

  /** First value of fold register `fold` (an aggregate before its first row). */
  def initialFold(fold: Int): AnyRef

  /**
   * The fold's value after one more row. The given value is shared by other paths and is not
   * changed. A failing update returns a value that remembers the failure and raises it when read.
   */
  def updateFold(fold: Int, value: AnyRef, row: Long, symbol: Int): AnyRef

  /** Whether every later test and update agrees for the two values of a fold. */
  def sameFold(fold: Int, a: AnyRef, b: AnyRef): Boolean

  /**
   * A hash that agrees for values that `sameFold` calls equal. Without it, threads that differ only
   * in folds are compared one by one.
   */
  def foldHash(fold: Int, value: AnyRef): Int = 0

  /** Acquires memory for an engine's arrays before they are allocated; raises if there is none. */
  def reserve(bytes: Long): Unit = ()

  /** Acquires memory for arrays that an engine can do without; false if there is none. */
  def tryReserve(bytes: Long): Boolean = true

  /** Returns memory that was acquired by either of these. */
  def release(bytes: Long): Unit = ()

  /** Called regularly by long searches; raises if the task was cancelled. */
  def checkCancelled(): Unit
}

/** On which rows of a partition a condition is TRUE; on the others it is not, and fails on none. */
trait TruthWords {

  /** Bit i is that of row `64 * number + i`. */
  def word(number: Int): Long
}

object MatchInput {

  /** Blocks of `knownTruths` have 2^12 rows, the first one those from 0 on. */
  final val BlockBits = 12
  final val BlockMask: Int = (1 << BlockBits) - 1

  def truthBytes(truths: Int): Int = math.max(1, (truths + 3) / 4)
}

/**
 * One path of a search: the rows `start .. row`, each mapped to one symbol, as a condition sees it.
 * The last row is the one under test. Register numbers are those of the `RegisterPlan`.
 */
trait Path {

  /** First row of the attempt. */
  def start: Long

  /** The row under test, the last one of the path. */
  def row: Long

  /** Row number held by a row register, -1 if there is no such row on the path. */
  def rowRegister(register: Int): Long

  /** Value of a fold register. */
  def fold(fold: Int): AnyRef

  /** Label of `row` on the path, -1 outside `start .. this.row`. May walk the path. */
  def symbolOf(row: Long): Int
}

/**
 * What an engine asks about conditions whose truth depends on nothing but the tested row, its
 * neighbours and the first row of the attempt.
 */
trait AnchoredInput {

  /** Truth of a condition on a row, in an attempt that begins at `start`. */
  def testAnchored(symbol: Int, start: Long, row: Long): Int

  /**
   * A row after `row`, at most `limit`: on all rows between them the condition is known to be TRUE
   * (or, if not `isTrue`, known not to be), and its evaluation to raise no error.
   */
  def steadyEnd(symbol: Int, isTrue: Boolean, start: Long, row: Long, limit: Long): Long
}
