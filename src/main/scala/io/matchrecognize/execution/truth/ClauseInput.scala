package io.matchrecognize.execution.truth

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, UnsafeRow}
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.compile.ClauseProgram
import io.matchrecognize.execution.pointer._
import io.matchrecognize.execution.rows.Rows
import io.matchrecognize.expressions.ConditionPredicate
import io.matchrecognize.matcher.{Path, TimeLimitExceeded, Truth, TruthWords}

/**
 * Answers an engine's questions about the rows of one partition for one clause: conditions are
 * Spark's generated or interpreted predicates over a [[PointerRow]].
 *
 * @param idOf
 *   by symbol, which of the shared conditions it has; -1 for none
 * @param shared
 *   the row-local conditions
 */
final class ClauseInput(
    program: ClauseProgram,
    idOf: Array[Int],
    shared: TaskConditions,
    store: Rows,
    resources: TaskResources
) extends FoldInput(program, store) {
  import shared.isStream

  private val pointerRow = newPointerRow()
  private val untested: Array[Boolean] = define.bySymbol.map(_.isEmpty)
  private val local: Array[Boolean] = idOf.map(_ >= 0)
  private val isByRow = idOf.forall(_ < shared.count)
  // The conditions of all symbols, then their necessary parts.
  private val programs = define.bySymbol ++ define.necessary
  private val pointers: Array[Array[PointerProgram]] =
    programs.map(_.map(_.pointers).getOrElse(Array.empty[PointerProgram]))
  // Those that are not shared.
  private val predicates: Array[BasePredicate] =
    programs.indices.map { i =>
      val isShared = i < names.length && local(i)
      programs(i).filter(_ => !isShared).map(c => ConditionPredicate(c.expression)).orNull
    }.toArray

  private val frame = program.frame
  private var limitFirst = 0L
  private var limitEnd = Long.MaxValue

  private var path: Path = _
  private var lastFailure: Throwable = _

  override def keys: UnsafeRow = shared.keys
  var matchNumber: Long = 0L

  /** Begins a partition whose rows are in the store. */
  def reset(): Unit = {
    limit(0, Long.MaxValue)
    pointerRow.limit(0, Long.MaxValue)
  }

  override def alwaysTrue(symbol: Int): Boolean = untested(symbol)

  override def rowLocal(symbol: Int): Boolean = local(symbol)

  override def mayFail(symbol: Int): Boolean = define.bySymbol(symbol).exists(_.mayFail)

  override def limit(first: Long, end: Long): Unit = {
    limitFirst = first
    limitEnd = end
  }

  override def frameFirst: Long = limitFirst
  override def frameReach: Int = frame.reach
  override val dependsOnFrame: Boolean = frame.dependsOnFrame

  // Not memoised near the ends of the frame.
  override def testInFrame(symbol: Int, row: Long): Int =
    if (dependsOnFrame && frame.isLimited(symbol, row, limitFirst, limitEnd)) {
      val truth = shared.testWithin(idOf(symbol), row, limitFirst, limitEnd)
      if (truth == Truth.Failed) noteShared(symbol, row, limitFirst, limitEnd)
      truth
    } else testLocal(symbol, row)

  override def testLocal(symbol: Int, row: Long): Int = {
    val truth = shared.test(idOf(symbol), row)
    if (truth == Truth.Failed) noteShared(symbol, row, 0, Long.MaxValue)
    truth
  }

  /** An error says where the text has the condition, and equal ones are in several places. */
  private def noteShared(symbol: Int, row: Long, first: Long, end: Long): Unit = {
    var error = shared.failure
    val own = define.bySymbol(symbol).get
    if (own ne shared.condition(idOf(symbol))) {
      pointerRow.limit(first, end)
      pointAt(symbol, row)
      try own.expression.eval(pointerRow): Unit
      catch { case e: Throwable if ExpressionFailure.isOfExpression(e) => error = e }
    }
    note(error, symbol, row)
  }

  private def note(error: Throwable, symbol: Int, row: Long): Unit =
    lastFailure = ExpressionFailure(error) {
      FailurePlace.Condition(row, names(symbol).toString)
    }

  override def testLocals(symbols: Array[Int], row: Long): Long = {
    val known = if (isByRow) shared.known(symbols, idOf, row) else -1L
    if (known >= 0) known else super.testLocals(symbols, row)
  }

  override def truthWords(symbol: Int): TruthWords = shared.words(idOf(symbol))

  override def knownTruths(row: Long): Array[Byte] = shared.known(row)

  override def truthOf(symbol: Int): Int = idOf(symbol)

  override def truthCount: Int = shared.count

  override def hasNecessary(symbol: Int): Boolean =
    (local(symbol) || define.necessary(symbol).isDefined) && !frame.isDependent(symbol)

  override def testNecessary(symbol: Int, row: Long): Int =
    if (local(symbol)) testLocal(symbol, row)
    else {
      pointerRow.limit(0, Long.MaxValue)
      pointAt(names.length + symbol, row)
      evaluate(names.length + symbol, row)
    }

  private def pointAt(program: Int, row: Long): Unit = {
    pointerRow.isAhead = false
    pointerRow.pointFrom(pointers(program), row, row)
  }

  override def testPath(symbol: Int, path: Path): Int = {
    pointAlong(symbol, path)
    evaluate(symbol, path.row)
  }

  /**
   * What the condition of a symbol reads on a row, for a trace.
   *
   * @param path
   *   null if only the row-local parts of the condition are evaluated
   */
  def rowRead(symbol: Int, row: Long, path: Path): InternalRow = {
    if (path == null) {
      follow(null)
      pointAt(symbol, row)
    } else pointAlong(symbol, path)
    pointerRow
  }

  override def follow(path: Path): Unit = this.path = path

  private def pointAlong(symbol: Int, path: Path): Unit = {
    follow(path)
    pointerRow.isAhead = false
    pointerRow.limit(limitFirst, limitEnd)
    pointerRow.pointInMatch(pointers(symbol), path.start, path.row, path.row)
  }

  /** Truth of an anchored condition in an attempt that begins at `start`; only on a table. */
  def testAnchored(symbol: Int, start: Long, row: Long): Int = {
    pointerRow.pointFrom(pointers(symbol), start, row)
    evaluate(symbol, row)
  }

  private def evaluate(program: Int, row: Long): Int =
    if (isStream && pointerRow.isAhead) Truth.Undecided
    else
      try if (predicates(program).eval(pointerRow)) Truth.True else Truth.False
      catch {
        case e: Throwable if ExpressionFailure.isOfExpression(e) =>
          note(e, program % names.length, row)
          Truth.Failed
      }

  override def failure: Throwable = lastFailure

  override def aggregate(index: Int): Any = result(index, path.fold(index))

  override def register(number: Int, isFinal: Boolean): Long =
    if (path == null) -1L else path.rowRegister(number)

  override def label(row: Long): UTF8String = {
    // While an aggregate adds a row, only that row's label is read.
    val symbol = if (addedSymbol >= 0) addedSymbol else path.symbolOf(row)
    if (symbol < 0) null else names(symbol)
  }

  override def reserve(bytes: Long): Unit = store.reserve(bytes)

  override def tryReserve(bytes: Long): Boolean = store.tryReserve(bytes)

  override def release(bytes: Long): Unit = store.release(bytes)

  // In `System.nanoTime`, and in milliseconds; 0 if the time is not limited.
  private var endTime = 0L
  private var timeLimit = 0L

  /** Limits the time until the next call; 0 is no limit. */
  def limitTime(end: Long, millis: Long): Unit = {
    endTime = end
    timeLimit = millis
  }

  override def checkCancelled(): Unit = {
    resources.checkCancelled()
    if (timeLimit > 0 && System.nanoTime() - endTime > 0) throw new TimeLimitExceeded(timeLimit)
  }
}
