package io.matchrecognize.parser

/**
 * The statement as Spark's parser gets it: each group of clauses, with the aliases around it, is
 * blank but for a placeholder that reads as a table alias. Same length in code points and same
 * lines, so that every other position is the user's.
 */
private[parser] final class PaddedText(statement: StatementText, groups: Seq[ClauseGroup]) {
  private val prefix: String =
    Iterator
      .from(0)
      .map(n => if (n == 0) "__mr_" else s"__mr${n}_")
      .find(p => !statement.text.toLowerCase(java.util.Locale.ROOT).contains(p))
      .get

  val placeholders: IndexedSeq[String] = groups.indices.map(i => s"$prefix${i}__")

  /**
   * First and last code point of what is blanked, group by group; the placeholder begins at `_2`.
   */
  private val regions: Seq[(Int, Int, Int)] = groups.map { group =>
    val begin = group.inputAlias.map(_.first).getOrElse(group.first)
    (
      statement.tokens(begin).getStartIndex,
      statement.tokens(group.first).getStartIndex,
      statement.tokens(group.last).getStopIndex
    )
  }

  val clauseRegions: Seq[(Int, Int)] = regions.map { case (_, from, to) => (from, to) }

  private val codePoints: Array[Int] = {
    val result = statement.codePoints.clone()
    regions.zipWithIndex.foreach { case ((begin, word, last), i) =>
      (begin to last).foreach { k =>
        if (result(k) != '\n' && result(k) != '\r') result(k) = ' '
      }
      val place = (if (groups(i).afterPipe) "AS " else "") + placeholders(i)
      place.indices.foreach(k => result(word + k) = place.charAt(k).toInt)
    }
    result
  }

  val text: String = new String(codePoints, 0, codePoints.length)

  def mentioned(string: String): Boolean = string.contains(prefix)

  /** A piece of this text, given back as the user wrote it. */
  def restore(string: String): String =
    if (!mentioned(string)) string
    else {
      val at = text.indexOf(string)
      if (at < 0)
        throw new IllegalStateException(
          s"MATCH_RECOGNIZE: Spark keeps a text that is no piece of the statement: $string"
        )
      val start = text.codePointCount(0, at)
      val end = start + string.codePointCount(0, string.length) - 1
      statement.slice(start, stop(end))
    }

  /** The end of the clause for a place inside it. */
  def stop(index: Int): Int =
    clauseRegions
      .collectFirst { case (from, to) if from <= index && index < to => to }
      .getOrElse(index)

  /** Whether a token stands inside a clause. */
  def insideClause(codePoint: Int): Boolean =
    clauseRegions.exists { case (from, to) => from <= codePoint && codePoint <= to }
}
