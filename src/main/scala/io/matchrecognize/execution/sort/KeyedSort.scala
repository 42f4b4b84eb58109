package io.matchrecognize.execution.sort

/** Compares two items whose packed keys are equal. */
trait ItemOrder {
  def compare(a: Int, b: Int): Int
}

/**
 * A stable sort of items by their packed keys, which are moved along with them: nothing for a range
 * that is sorted already, insertion for a short one, else a radix sort from the least significant
 * byte that leaves out bytes that are equal in all keys. Items of equal keys are then sorted by
 * comparisons, unless the keys are exact.
 *
 * @param checkCancelled
 *   called before each pass over a range; the comparisons of items see to themselves
 */
final class KeyedSort(checkCancelled: () => Unit) {
  import KeyedSort._

  private var otherKeys = new Array[Long](0)
  private var otherItems = new Array[Int](0)
  private val counts = new Array[Int](256)
  private var keys: Array[Long] = _
  private var items: Array[Int] = _
  private var ties: ItemOrder = _

  /**
   * Sorts `from until to`.
   *
   * @param order
   *   of items with equal keys; null if their order does not matter
   */
  def sort(
      keyArray: Array[Long],
      itemArray: Array[Int],
      from: Int,
      to: Int,
      order: ItemOrder
  ): Unit = {
    keys = keyArray
    items = itemArray
    ties = order
    var i = from + 1
    while (i < to && !isAfter(i - 1, keys(i), items(i))) i += 1
    if (i < to) {
      if (to - from <= ShortRange) insert(from, to, i)
      else {
        radixSort(from, to)
        if (ties != null) sortTies(from, to)
      }
    }
  }

  /** Insertion sort of a range that is sorted before `first`. */
  private def insert(from: Int, to: Int, first: Int): Unit = {
    var i = first
    while (i < to) {
      val key = keys(i)
      val item = items(i)
      var j = i - 1
      while (j >= from && isAfter(j, key, item)) {
        keys(j + 1) = keys(j)
        items(j + 1) = items(j)
        j -= 1
      }
      keys(j + 1) = key
      items(j + 1) = item
      i += 1
    }
  }

  private def isAfter(i: Int, key: Long, item: Int): Boolean =
    keys(i) > key || (keys(i) == key && ties != null && ties.compare(items(i), item) > 0)

  private def radixSort(from: Int, to: Int): Unit = {
    val n = to - from
    ensureScratch(n)
    var differing = 0L
    var i = from
    while (i < to) {
      differing |= keys(i) ^ keys(from)
      i += 1
    }
    var inPlace = true
    var shift = 0
    while (shift < 64) {
      if (((differing >>> shift) & 0xff) != 0) {
        checkCancelled()
        if (inPlace) pass(keys, items, from, otherKeys, otherItems, 0, n, shift)
        else pass(otherKeys, otherItems, 0, keys, items, from, n, shift)
        inPlace = !inPlace
      }
      shift += 8
    }
    if (!inPlace) {
      System.arraycopy(otherKeys, 0, keys, from, n)
      System.arraycopy(otherItems, 0, items, from, n)
    }
  }

  private def pass(
      fromKeys: Array[Long],
      fromItems: Array[Int],
      from: Int,
      toKeys: Array[Long],
      toItems: Array[Int],
      to: Int,
      n: Int,
      shift: Int
  ): Unit = {
    java.util.Arrays.fill(counts, 0)
    // The sign bit is flipped, as bytes are ordered without sign.
    val flip = if (shift == 56) 0x80 else 0
    var i = from
    while (i < from + n) {
      counts(((fromKeys(i) >>> shift).toInt & 0xff) ^ flip) += 1
      i += 1
    }
    var at = to
    var d = 0
    while (d < 256) {
      val count = counts(d)
      counts(d) = at
      at += count
      d += 1
    }
    i = from
    while (i < from + n) {
      val key = fromKeys(i)
      val digit = ((key >>> shift).toInt & 0xff) ^ flip
      val place = counts(digit)
      counts(digit) = place + 1
      toKeys(place) = key
      toItems(place) = fromItems(i)
      i += 1
    }
  }

  private def sortTies(from: Int, to: Int): Unit = {
    var begin = from
    while (begin < to) {
      var end = begin + 1
      while (end < to && keys(end) == keys(begin)) end += 1
      if (end - begin > 1) mergeSort(begin, end)
      begin = end
    }
  }

  /** Top-down merge sort of items with equal keys. */
  private def mergeSort(from: Int, to: Int): Unit =
    if (to - from <= MergedRange) insert(from, to, from + 1)
    else {
      val middle = (from + to) >>> 1
      mergeSort(from, middle)
      mergeSort(middle, to)
      if (ties.compare(items(middle - 1), items(middle)) > 0) {
        val left = middle - from
        System.arraycopy(items, from, otherItems, 0, left)
        var i = 0
        var j = middle
        var at = from
        while (i < left) {
          if (j < to && ties.compare(otherItems(i), items(j)) > 0) {
            items(at) = items(j)
            j += 1
          } else {
            items(at) = otherItems(i)
            i += 1
          }
          at += 1
        }
      }
    }

  private def ensureScratch(n: Int): Unit = if (otherKeys.length < n) {
    // Released first: their bytes were reserved once.
    otherKeys = null
    otherItems = null
    otherKeys = new Array[Long](n)
    otherItems = new Array[Int](n)
  }
}

object KeyedSort {

  /** Bytes of an entry in the arrays given to `sort`, and once more in its own. */
  final val EntryBytes: Long = 12L

  // Longest ranges that are sorted by insertion.
  private final val ShortRange = 40
  private final val MergedRange = 8
}
