package io.matchrecognize.parser

/**
 * The positional parameter markers of a statement. A `?` inside the parentheses of PATTERN is a
 * quantifier and none of them.
 */
private[parser] final class ParameterMarkers(statement: StatementText, padded: PaddedText) {

  /** Code points of all markers. Asked for before the clauses are read. */
  val all: Seq[Int] = {
    val tokens = statement.tokens
    val patterns = tokens.indices.filter { i =>
      StatementText.isWord(tokens(i), "PATTERN") && padded.insideClause(tokens(i).getStartIndex) &&
      tokens(i + 1).getType == MatchRecognizeLexer.LEFT_PAREN
    }
    tokens.indices
      .filter(i => tokens(i).getType == MatchRecognizeLexer.QUESTION)
      .filterNot(i => patterns.exists(p => p < i && statement.partner.get(p + 1).exists(_ > i)))
      .map(tokens(_).getStartIndex)
  }

  /** Which of the markers stand outside all clauses. */
  val outside: Seq[Int] = all.indices.filterNot(i => padded.insideClause(all(i)))
}
