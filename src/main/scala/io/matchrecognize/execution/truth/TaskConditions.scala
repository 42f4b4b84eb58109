package io.matchrecognize.execution.truth

import java.util.BitSet

import org.apache.spark.sql.catalyst.expressions.{BasePredicate, UnsafeRow}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.compile.RowConditions
import io.matchrecognize.execution.condition.RowExpression
import io.matchrecognize.execution.pointer.{ExpressionFailure, PointerRow, PointerSource}
import io.matchrecognize.execution.rows.{RowChunk, Rows}
import io.matchrecognize.expressions.ConditionPredicate
import io.matchrecognize.matcher.{Truth, TruthWords}

/**
 * The truths of row-local conditions on the rows of one partition, for all searches of a task.
 *
 * They are evaluated only when a search asks, so that no error is raised that the search would not
 * meet; at most once per row, unless the evaluation fails or the row is an older one of a stream.
 *
 * @param isStream
 *   whether rows still arrive and a condition that reads beyond the last row is undecided
 */
final class TaskConditions(conditions: RowConditions, store: Rows, val isStream: Boolean)
    extends PointerSource {
  private val pointerRow = new PointerRow(conditions.fields, conditions.pointerCount, store, this)
  // Generated when first evaluated: of many conditions most may be looked up.
  private val predicates = new Array[BasePredicate](conditions.byId.length)
  private val pointers = conditions.byId.map(_.pointers)
  private val truths =
    if (predicates.isEmpty) null else new TruthBits(conditions.byRow, store.reserve)
  private val lookups =
    if (truths == null || conditions.lookups.isEmpty) null
    else new ConstantLookups(conditions, evaluate(_, _) == Truth.True, pointerRow, store)
  private val chunkTruths =
    if (isStream || truths == null) null else ChunkTruths(conditions, store).orNull
  // The blocks of rows whose truths were found by these.
  private val done = new BitSet
  // Truths are kept on the rows from the first one to before the second one.
  private var first = 0L
  private var end = 0L
  private var lastFailure: Throwable = _

  var keys: UnsafeRow = _

  /** Begins a partition whose rows are in the store. */
  def reset(): Unit = {
    begin(0)
    if (truths != null) truths.add(0, store.length)
    end = store.length
  }

  /** Begins a partition; on a stream truths are kept from `row` on. */
  def begin(row: Long): Unit = {
    if (truths != null) truths.reset(row)
    if (lookups != null) lookups.reset()
    done.clear()
    first = row
    end = row
  }

  /** Takes the rows of a stream that were added to the store. */
  def extend(): Unit = if (truths != null) {
    truths.add(end, store.length)
    while (lookups != null && end < store.length) {
      val next = store.length.min((end | RowChunk.Mask) + 1)
      lookups.find(end, next, truths.ofRow(end))
      end = next
    }
    end = store.length
  }

  /** Whether a row of the partition may meet one of the conditions of each group. */
  def mayMeet(groups: Array[Array[Int]]): Boolean = {
    if (lookups != null && groups.length > 0) findAll()
    var i = 0
    while (i < groups.length && isFound(groups(i))) i += 1
    i == groups.length
  }

  /** Whether one of some conditions, which are looked up, may be TRUE on a row so far. */
  def isFound(ids: Array[Int]): Boolean = {
    var i = 0
    while (i < ids.length && !lookups.isFound(ids(i))) i += 1
    i < ids.length
  }

  private def findAll(): Unit = {
    val blocks = ((store.length + RowChunk.Mask) >>> RowChunk.Shift).toInt
    var block = done.nextClearBit(0)
    while (block < blocks) {
      findBlock(block)
      block = done.nextClearBit(block)
    }
  }

  /** Finds what can be found for all rows of a block at once; before any of them is tested. */
  private def findBlock(block: Int): Unit = {
    store.checkCancelled()
    val row = block.toLong << RowChunk.Shift
    val known = truths.ofRow(row)
    done.set(block)
    if (lookups != null) lookups.find(row, store.length.min(row + RowChunk.MaxRows), known)
    if (chunkTruths != null) chunkTruths.find(block, keys, known)
  }

  /** How many have their truths kept by row; see `RowConditions.byRow`. */
  def count: Int = conditions.byRow

  /** The truths that are kept by condition; null for another condition. */
  def words(id: Int): TruthWords = if (isByRow(id)) null else word(id, _)

  private def isByRow(id: Int): Boolean = lookups == null || id < conditions.byRow

  private def word(id: Int, number: Int): Long = {
    val block = number >> (RowChunk.Shift - 6)
    if (!done.get(block)) findBlock(block)
    lookups.word(id, number)
  }

  def condition(id: Int): RowExpression = conditions.byId(id)

  /** Truth of a condition on a row. */
  def test(id: Int, row: Long): Int =
    if (truths == null || row < first) evaluate(id, row)
    else if (!isByRow(id)) {
      if ((word(id, (row >>> 6).toInt) >>> row & 1L) != 0) Truth.True else Truth.False
    } else {
      var known = truths.get(id, row)
      val block = (row >>> RowChunk.Shift).toInt
      if (known == 0 && !isStream && !done.get(block)) {
        findBlock(block)
        known = truths.get(id, row)
      }
      if (known != 0) known >> 1
      else {
        val truth = evaluate(id, row)
        if (truth <= Truth.True) truths.set(id, row, truth == Truth.True)
        truth
      }
    }

  /** The same where no rows exist but those from `first` to before `end`. */
  def testWithin(id: Int, row: Long, first: Long, end: Long): Int = {
    pointerRow.limit(first, end)
    try evaluate(id, row)
    finally pointerRow.limit(0, Long.MaxValue)
  }

  /**
   * Bit i is set iff the condition of `symbols(i)` is TRUE; negative if one of them is not known.
   */
  def known(symbols: Array[Int], idOf: Array[Int], row: Long): Long =
    if (truths == null || row < first) -1L else truths.all(symbols, idOf, row)

  /** As `MatchInput.knownTruths`. */
  def known(row: Long): Array[Byte] =
    if (truths == null || row < first) null else truths.ofRow(row)

  /** The error of the last test that failed. */
  def failure: Throwable = lastFailure

  private def predicate(id: Int): BasePredicate = {
    if (predicates(id) == null) predicates(id) = ConditionPredicate(condition(id).expression)
    predicates(id)
  }

  private def evaluate(id: Int, row: Long): Int = {
    pointerRow.isAhead = false
    pointerRow.pointFrom(pointers(id), row, row)
    if (isStream && pointerRow.isAhead) Truth.Undecided
    else
      try if (predicate(id).eval(pointerRow)) Truth.True else Truth.False
      catch {
        case e: Throwable if ExpressionFailure.isOfExpression(e) =>
          lastFailure = e
          Truth.Failed
      }
  }

  // Of a match nothing is read.
  override def matchNumber: Long = 0L
  override def label(row: Long): UTF8String = null
  override def aggregate(index: Int): Any = null
  override def register(number: Int, isFinal: Boolean): Long = -1L
}
