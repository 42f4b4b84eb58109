package io.matchrecognize.matcher.liveness

import io.matchrecognize.matcher.MatchInput

/**
 * The truths of all conditions on a row as one number below 256, read from
 * `MatchInput.knownTruths`.
 *
 * @param isTested
 *   for each symbol whether it has a condition that is tested; at most `MaxSymbols`
 */
private[liveness] final class TruthCodes(isTested: Array[Boolean]) {
  private val hasTwoBytes = MatchInput.truthBytes(isTested.length) > 1
  private val low = codesOfByte(0)
  private val high = codesOfByte(1)

  /** Bit s is set iff the condition of symbol s is TRUE; negative if some truth is unknown. */
  def apply(known: Array[Byte], index: Int): Int =
    if (hasTwoBytes) low(known(index * 2) & 0xff) | high(known(index * 2 + 1) & 0xff)
    else low(known(index) & 0xff)

  private def codesOfByte(number: Int): Array[Int] = Array.tabulate(256) { byte =>
    isTested.indices.slice(number * 4, number * 4 + 4).filter(isTested).foldLeft(0) { (code, s) =>
      val bits = byte >> ((s & 3) * 2)
      if ((bits & 1) == 0) -1 else code | (bits >> 1 & 1) << s
    }
  }
}

private[liveness] object TruthCodes {
  final val MaxSymbols = 8
}
