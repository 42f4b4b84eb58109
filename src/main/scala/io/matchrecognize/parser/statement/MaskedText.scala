package io.matchrecognize.parser.statement

import org.antlr.v4.runtime.CommonToken
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer

/**
 * The statement as Spark's parser sees it: a placeholder that parses as a table alias replaces each
 * group of clauses and the aliases around it.
 *
 * Spark's own parser gets `tokens`, so its plans and errors quote the user's text. Other parsers,
 * and a parser that replaces parameter markers, get `text`, the same statement with blanks in place
 * of the clauses: same length and same lines, so that every position is the user's.
 */
private[parser] final class MaskedText(statement: StatementText, groups: Seq[ClauseGroup]) {
  private val prefix: String =
    Iterator
      .from(0)
      .map(n => if (n == 0) "__mr_" else s"__mr${n}_")
      .find(p => !statement.text.toLowerCase(java.util.Locale.ROOT).contains(p))
      .get

  val placeholders: IndexedSeq[String] = groups.indices.map(i => s"$prefix${i}__")

  /** The first masked token, the word of the first clause, the last masked token. */
  private val regions: Seq[(CommonToken, CommonToken, CommonToken)] = groups.map { group =>
    val begin = group.inputAlias.map(_.first).getOrElse(group.first)
    (statement.tokens(begin), statement.tokens(group.first), statement.tokens(group.last))
  }

  lazy val text: String = {
    val result = statement.text.toCharArray
    regions.zipWithIndex.foreach { case ((begin, word, last), i) =>
      (begin.getStartIndex to last.getStopIndex).foreach { k =>
        if (result(k) != '\n' && result(k) != '\r') result(k) = ' '
      }
      val place = (if (groups(i).afterPipe) "AS " else "") + placeholders(i)
      place.indices.foreach(k => result(word.getStartIndex + k) = place.charAt(k))
    }
    new String(result)
  }

  def tokens: Seq[CommonToken] = {
    var rest: Seq[CommonToken] = statement.all
    val pieces = regions.zipWithIndex.map { case ((begin, word, last), i) =>
      val (before, after) = rest.span(_.getStartIndex < begin.getStartIndex)
      rest = after.dropWhile(_.getStartIndex <= last.getStopIndex)
      val as =
        if (groups(i).afterPipe) Seq(token(word, word, SqlBaseLexer.AS, "AS")) else Nil
      before.map(new CommonToken(_)) ++ as :+
        token(word, last, SqlBaseLexer.IDENTIFIER, placeholders(i))
    }
    pieces.flatten ++ rest.map(new CommonToken(_))
  }

  private def token(first: CommonToken, last: CommonToken, kind: Int, text: String) = {
    val result = new CommonToken(first)
    result.setStopIndex(last.getStopIndex)
    result.setType(kind)
    result.setText(text)
    result
  }

  /** Whether a string that Spark keeps contains a clause, as the user wrote it or masked. */
  def holds(string: String, i: Int): Boolean = string.contains(placeholders(i)) || {
    val (_, word, last) = regions(i)
    string.contains(statement.between(word, last))
  }

  def mentioned(string: String): Boolean = string.contains(prefix)

  /** A piece of this text as the user wrote it. */
  def restore(string: String): String =
    if (!mentioned(string)) string
    else {
      val at = text.indexOf(string)
      if (at < 0)
        throw new IllegalStateException(
          s"MATCH_RECOGNIZE: Spark keeps a text that is no piece of the statement: $string"
        )
      statement.slice(at, stop(at + string.length - 1))
    }

  /** The end of the clause that contains the index, else the index. */
  def stop(index: Int): Int = clauseAt(index).map(_._3.getStopIndex).getOrElse(index)

  /** Whether the index is inside a clause. */
  def insideClause(index: Int): Boolean = clauseAt(index).isDefined

  private def clauseAt(index: Int) = regions.find { case (_, word, last) =>
    word.getStartIndex <= index && index <= last.getStopIndex
  }
}
