package io.matchrecognize.parser.statement

import org.antlr.v4.runtime.CommonToken
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

/**
 * A piece of a statement that Spark's parser does not see.
 *
 * @param first
 *   its first token
 * @param word
 *   the token that errors name
 * @param last
 *   its last token
 * @param place
 *   the token where the placeholder begins
 * @param instead
 *   what Spark's parser sees instead: token types and words; the last is the placeholder
 */
private[parser] final case class Mask(
    first: Int,
    word: Int,
    last: Int,
    place: Int,
    instead: Seq[(Int, String)]
) {
  def placeholder: String = instead.last._2
}

/**
 * The statement as Spark's parser sees it: a placeholder that parses as a table alias replaces each
 * group of clauses and the aliases around it, one that parses as a PARTITION BY key each row
 * pattern window, and one that parses as a column each measure called over a window.
 *
 * Spark's own parser gets `tokens`, so its plans and errors quote the user's text. Other parsers,
 * and a parser that replaces parameter markers, get `text`, the same statement with blanks in place
 * of the clauses: same length and same lines, so that every position is the user's.
 */
private[parser] final class MaskedText(
    val statement: StatementText,
    val groups: IndexedSeq[ClauseGroup],
    val windows: IndexedSeq[FoundClause],
    val measures: IndexedSeq[FoundMeasure]
) {

  /** All clauses and row pattern windows. */
  val clauses: Seq[FoundClause] = groups.flatMap(_.clauses) ++ windows

  private val prefix: String =
    Iterator
      .from(0)
      .map(n => if (n == 0) "__mr_" else s"__mr${n}_")
      .find(p => !statement.text.toLowerCase(java.util.Locale.ROOT).contains(p))
      .get

  private val groupMasks: IndexedSeq[Mask] = groups.zipWithIndex.map { case (group, i) =>
    val as = Option.when(group.afterPipe)(SqlBaseLexer.AS -> "AS")
    val place = SqlBaseLexer.IDENTIFIER -> s"$prefix${i}__"
    val first = group.inputAlias.map(_.first).getOrElse(group.first)
    Mask(first, group.first, group.last, group.first, as.toSeq :+ place)
  }

  val windowMasks: IndexedSeq[Mask] = windows.zipWithIndex.map { case (window, i) =>
    val by = Seq(SqlBaseLexer.PARTITION -> "PARTITION", SqlBaseLexer.BY -> "BY")
    val place = SqlBaseLexer.IDENTIFIER -> s"${prefix}w${i}_"
    Mask(window.open + 1, window.open + 1, window.close - 1, window.open + 1, by :+ place)
  }

  val measureMasks: IndexedSeq[Mask] = measures.zipWithIndex.map { case (measure, i) =>
    // Short, because `m OVER w` is.
    val place = SqlBaseLexer.IDENTIFIER -> s"${prefix}m${Integer.toString(i, 36)}"
    Mask(measure.name, measure.name + 1, measure.last, measure.name, Seq(place))
  }

  /** The masks by what is masked: groups, windows, measures. */
  val all: IndexedSeq[Mask] = groupMasks ++ windowMasks ++ measureMasks

  // A window whose only calls are measures is inside their masks.
  private val masks: Seq[Mask] = all
    .filterNot(m => all.exists(o => (o ne m) && o.first <= m.first && m.last <= o.last))
    .sortBy(_.first)

  /** Whether a token is the last of a clause or of its alias. */
  def endsClause(i: Int): Boolean = groupMasks.exists(_.last == i)

  /** Whether a query may be one of WITH RECURSIVE, which Spark finds by its tree of unions. */
  lazy val mayBeRecursive: Boolean = StatementText.contains(statement.text, "recursive")

  /** Whether Spark's parser sees the placeholder of a mask. */
  def isRead(mask: Mask): Boolean = masks.exists(_ eq mask)

  // The tokens from its place to its last one, which the placeholder replaces.
  private def region(mask: Mask) = (statement.tokens(mask.place), statement.tokens(mask.last))

  private val regions: Seq[(CommonToken, CommonToken)] = masks.map(region)

  lazy val text: String = {
    val result = statement.text.toCharArray
    regions.zip(masks).foreach { case ((at, last), mask) =>
      (statement.tokens(mask.first).getStartIndex to last.getStopIndex).foreach { k =>
        if (result(k) != '\n' && result(k) != '\r') result(k) = ' '
      }
      place(result, mask.instead.map(_._2), at.getStartIndex, last.getStopIndex)
    }
    new String(result)
  }

  /** Writes words over blanks, each on one line if the lines are long enough. */
  private def place(text: Array[Char], words: Seq[String], from: Int, last: Int): Unit = {
    def isFree(k: Int, length: Int) =
      k + length <= last + 1 && (k until k + length).forall(text(_) == ' ')
    val places = words
      .scanLeft(Option((from, 0))) { (before, word) =>
        before.flatMap { case (at, length) =>
          val least = if (length == 0) at else at + length + 1
          (least to last).find(isFree(_, word.length)).map(_ -> word.length)
        }
      }
      .tail
    val placed =
      if (places.forall(_.isDefined)) words.zip(places.flatten.map(_._1))
      else Seq(words.mkString(" ") -> from)
    placed.foreach { case (word, at) => word.getChars(0, word.length, text, at) }
  }

  def tokens: Seq[CommonToken] =
    statement.replaced(regions.zip(masks).map { case ((from, last), mask) =>
      val instead = mask.instead.init.map { case (kind, text) => token(from, from, kind, text) } :+
        token(from, last, mask.instead.last._1, mask.placeholder)
      (mask.first, mask.last, instead)
    })

  private def token(first: CommonToken, last: CommonToken, kind: Int, text: String) = {
    val result = new CommonToken(first)
    result.setStopIndex(last.getStopIndex)
    result.setType(kind)
    result.setText(text)
    result
  }

  /** The place in the statement of a place in `text`, which Spark counts in code points. */
  def index(codePoints: Int): Int =
    text.offsetByCodePoints(0, math.min(codePoints, text.codePointCount(0, text.length)))

  /** Whether a string that Spark keeps may contain a clause; most strings are names. */
  def mayHold(string: String): Boolean = mentioned(string) || string.length >= shortest

  private lazy val shortest = all
    .map(region)
    .map { case (from, last) => last.getStopIndex - from.getStartIndex + 1 }
    .minOption
    .getOrElse(Int.MaxValue)

  /** Whether it contains a clause, as the user wrote it or masked. */
  def holds(string: String, mask: Mask): Boolean = string.contains(mask.placeholder) || {
    val (from, last) = region(mask)
    string.contains(statement.between(from, last))
  }

  /** The mask whose placeholder a piece of Spark's error shows. */
  def shownIn(string: String): Option[Mask] =
    all.find(mask => string == s"'${mask.placeholder}'")

  def mentioned(string: String): Boolean = string.contains(prefix)

  /** A piece of this text as the user wrote it. */
  def restore(string: String): String =
    if (!mentioned(string)) string
    else {
      val at = text.indexOf(string)
      if (at < 0)
        throw new IllegalStateException(
          s"MATCH_RECOGNIZE: Spark keeps a text that is not part of the statement: $string"
        )
      statement.slice(at, stop(at + string.length - 1))
    }

  /** The end of the clause that contains the index, else the index. */
  def stop(index: Int): Int = clauseAt(index).map(_.getStopIndex).getOrElse(index)

  def insideClause(index: Int): Boolean = clauseAt(index).isDefined

  private def clauseAt(index: Int) = regions.collectFirst {
    case (from, last) if from.getStartIndex <= index && index <= last.getStopIndex => last
  }
}
