package io.matchrecognize.execution.truth

import java.util.{Arrays, HashMap}

import scala.collection.mutable

import org.apache.spark.sql.types.{ByteType, DateType, IntegerType, ShortType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.execution.compile.{LookedUpConditions, RowConditions}
import io.matchrecognize.execution.condition.Ordinals
import io.matchrecognize.execution.pointer.{PointerField, PointerRow}
import io.matchrecognize.execution.rows.{RowChunk, Rows}
import io.matchrecognize.matcher.MatchInput

/**
 * Finds by [[LookedUpConditions]] for all rows of a block on which of them conditions may be TRUE:
 * those where the column has a constant of theirs, or is on its side. Conditions with other
 * conjuncts are tested on these rows once they are asked for.
 *
 * @param test
 *   whether a condition is TRUE on a row
 * @param row
 *   over the store
 */
private[truth] final class ConstantLookups(
    conditions: RowConditions,
    test: (Int, Long) => Boolean,
    row: PointerRow,
    store: Rows
) {
  import conditions.byRow

  private val lookups = conditions.lookups.map(new ConstantLookup(_, row, store)).toArray
  private val found = new Array[Boolean](conditions.byId.length)
  private val isWhole: Array[Boolean] =
    found.indices.map(id => conditions.lookups.exists(_.whole(id))).toArray
  // Of the conditions from `byRow` on.
  private val words = new ConditionWords(found.length - byRow, store.reserve)
  // Of those before it, the truths of a row whose columns have none of the constants.
  private val bytesPerRow = MatchInput.truthBytes(byRow)
  private val template: Array[Byte] = {
    val bytes = new Array[Byte](bytesPerRow)
    conditions.lookedUp
      .filter(_ < byRow)
      .foreach(id => bytes(id >> 2) = (bytes(id >> 2) | 1 << (id & 3) * 2).toByte)
    bytes
  }
  private val isByRow = template.exists(_ != 0)

  /** Begins a partition. */
  def reset(): Unit = {
    Arrays.fill(found, false)
    words.reset(store.length)
  }

  /** Whether a condition may be TRUE on a row for which truths were found. */
  def isFound(id: Int): Boolean = found(id)

  /** The truths of a condition on 64 rows of a block for which they were found. */
  def word(id: Int, number: Int): Long = {
    val word = words.get(id - byRow, number)
    if (word == 0 || isWhole(id) || !words.isFirst(id - byRow, number)) word
    else {
      var rest = word
      var truths = word
      while (rest != 0) {
        val bit = java.lang.Long.lowestOneBit(rest)
        if (!test(id, number * 64L + java.lang.Long.numberOfTrailingZeros(bit))) truths ^= bit
        rest ^= bit
      }
      words.set(id - byRow, number, truths)
      truths
    }
  }

  /**
   * Finds the truths on the rows of a block from `first` to before `end`.
   *
   * @param truths
   *   by row; those where a condition with other conjuncts may be TRUE are left open
   */
  def find(first: Long, end: Long, truths: Array[Byte]): Unit = {
    val at = first.toInt & RowChunk.Mask
    val rows = (end - first).toInt
    if (isByRow) fill(truths, at * bytesPerRow, (at + rows) * bytesPerRow)
    words.clear(first >>> RowChunk.Shift, rows)
    lookups.foreach { lookup =>
      var i = 0
      while (i < rows) {
        if (lookup.take(first + i)) {
          mark(lookup.equal, lookup.equal.length, first + i, truths)
          mark(lookup.small, lookup.smallCount, first + i, truths)
          mark(lookup.large, lookup.largeCount, first + i, truths)
          mark(lookup.set, lookup.setCount, first + i, truths)
        }
        i += 1
      }
    }
  }

  private def fill(truths: Array[Byte], from: Int, end: Int): Unit = {
    System.arraycopy(template, 0, truths, from, bytesPerRow)
    var filled = from + bytesPerRow
    while (filled < end) {
      val copied = math.min(filled - from, end - filled)
      System.arraycopy(truths, from, truths, filled, copied)
      filled += copied
    }
  }

  private def mark(hits: Array[Int], count: Int, row: Long, truths: Array[Byte]): Unit = {
    var i = 0
    while (i < count) {
      val id = hits(i)
      found(id) = true
      if (id >= byRow) {
        val number = (row >>> 6).toInt
        words.set(id - byRow, number, words.get(id - byRow, number) | 1L << row)
      } else {
        val byte = (row.toInt & RowChunk.Mask) * bytesPerRow + (id >> 2)
        val bits = 3 << (id & 3) * 2
        truths(byte) = (if (isWhole(id)) truths(byte) | bits else truths(byte) & ~bits).toByte
      }
      i += 1
    }
  }
}

/**
 * For each of some conditions a bit for each row, 64 rows to a word. The words of all conditions
 * for the same rows are adjacent, so that those of a short partition are cleared at once.
 */
private final class ConditionWords(conditions: Int, reserve: Long => Unit) {
  import ConditionWords._

  private val blockWords = BlockRows * conditions
  // By block, and which of the words `isFirst` was asked for.
  private var words = new Array[Array[Long]](0)
  private var asked = new Array[Array[Long]](0)

  /** Makes room for the rows of a partition. */
  def reset(rows: Long): Unit = {
    val needed = ((rows + RowChunk.Mask) >>> RowChunk.Shift).toInt
    if (conditions > 0 && needed > words.length) {
      val had = words.length
      reserve((needed - had) * (blockWords + flagWords(blockWords)) * 8L)
      words = Arrays.copyOf(words, needed)
      asked = Arrays.copyOf(asked, needed)
      (had until needed).foreach { block =>
        words(block) = new Array[Long](blockWords)
        asked(block) = new Array[Long](flagWords(blockWords))
      }
    }
  }

  /** Sets all truths on the first rows of a block to FALSE. */
  def clear(block: Long, rows: Int): Unit = if (conditions > 0) {
    val used = ((rows + 63) >>> 6) * conditions
    Arrays.fill(words(block.toInt), 0, used, 0L)
    Arrays.fill(asked(block.toInt), 0, flagWords(used), 0L)
  }

  def get(condition: Int, number: Int): Long = words(number / BlockRows)(place(condition, number))

  def set(condition: Int, number: Int, word: Long): Unit =
    words(number / BlockRows)(place(condition, number)) = word

  /** Whether it is asked for the first time. */
  def isFirst(condition: Int, number: Int): Boolean = {
    val flags = asked(number / BlockRows)
    val at = place(condition, number)
    val isFirst = (flags(at >> 6) >>> at & 1L) == 0
    flags(at >> 6) |= 1L << at
    isFirst
  }

  private def place(condition: Int, number: Int) = (number % BlockRows) * conditions + condition

  private def flagWords(words: Int) = (words + 63) >>> 6
}

private object ConditionWords {
  // Words for the rows of a block.
  private final val BlockRows = RowChunk.MaxRows / 64
}

/** One lookup. */
private final class ConstantLookup(program: LookedUpConditions, row: PointerRow, store: Rows) {
  private val (ordinal, field) = program.field
  private val texts = new HashMap[UTF8String, Array[Int]]
  private val numbers = mutable.LongMap.empty[Array[Int]]
  program.byValue.foreach {
    case (text: UTF8String, ids) => texts.put(text, ids)
    case (number, ids) => numbers(number.asInstanceOf[Number].longValue) = ids
  }
  private val least = program.byLeast.map(_._1)
  // ~ turns the order round.
  private val most = program.byMost.map(pair => ~pair._1)
  private val bits = program.byBit.map(_._1)
  // The store's column, if it is looked up by order or by bits.
  private val column = field match {
    case PointerField.Fixed(_, column, _) if program.byValue.isEmpty => column
    case _ => -1
  }

  /** The conditions that the row's value may make TRUE: those with the value. */
  var equal: Array[Int] = ConstantLookup.NoIds

  /** Those that need a large value; the first ones of them. */
  val large: Array[Int] = program.byLeast.map(_._2)
  var largeCount = 0

  /** Those that need a small value; the first ones of them. */
  val small: Array[Int] = program.byMost.map(_._2)
  var smallCount = 0

  /** Those that have a bit of the value; the first ones of them. */
  val set = new Array[Int](bits.length)
  var setCount = 0

  /** Sets the conditions for a row; false if its value is NULL. Boxes no number. */
  def take(number: Long): Boolean = {
    row.pointers(field.pointer) = number
    !row.isNullAt(ordinal) && {
      if (bits.nonEmpty) takeBits(store.fixed(column, number))
      else if (column >= 0) takeOrdered(store.fixed(column, number))
      else {
        val ids = field.dataType match {
          case StringType => texts.get(row.getUTF8String(ordinal))
          case ByteType => numbers.getOrNull(row.getByte(ordinal).toLong)
          case ShortType => numbers.getOrNull(row.getShort(ordinal).toLong)
          case IntegerType | DateType => numbers.getOrNull(row.getInt(ordinal).toLong)
          case _ => numbers.getOrNull(row.getLong(ordinal))
        }
        equal = if (ids == null) ConstantLookup.NoIds else ids
      }
      true
    }
  }

  private def takeOrdered(raw: Long): Unit = {
    val value = Ordinals.ofRaw(raw, field.dataType)
    largeCount = countAtMost(value, least)
    smallCount = countAtMost(~value, most)
  }

  private def takeBits(value: Long): Unit = {
    setCount = 0
    var i = 0
    while (value != 0 && i < bits.length) {
      if ((value & bits(i)) != 0) {
        set(setCount) = program.byBit(i)._2
        setCount += 1
      }
      i += 1
    }
  }

  /** How many of the sorted numbers are at most a value. */
  private def countAtMost(value: Long, sorted: Array[Long]): Int = {
    var low = 0
    var high = sorted.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (sorted(middle) <= value) low = middle + 1 else high = middle
    }
    low
  }
}

private object ConstantLookup {
  private val NoIds = new Array[Int](0)
}
