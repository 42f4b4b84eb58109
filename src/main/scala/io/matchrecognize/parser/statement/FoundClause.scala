package io.matchrecognize.parser.statement

/**
 * A name given to a relation, `[AS] name [(column, ...)]`, at tokens `first` to `last`.
 */
private[parser] final case class RelationAlias(
    name: String,
    columns: Seq[String],
    first: Int,
    last: Int
)

/**
 * One clause by its tokens: the word MATCH_RECOGNIZE, its parentheses and its alias; or a window
 * specification with a row pattern, which follows OVER or AS.
 */
private[parser] final case class FoundClause(
    word: Int,
    open: Int,
    close: Int,
    alias: Option[RelationAlias],
    isWindow: Boolean = false
) {
  def first: Int = if (isWindow) open else word
  def last: Int = alias.map(_.last).getOrElse(close)
}

/**
 * Clauses that follow each other on one input, each reading the one before.
 *
 * @param afterPipe
 *   the input is the query before `|>`
 * @param sampled
 *   the TABLESAMPLE of a table precedes the alias: Spark applies it to the aliased table, above the
 *   place of the clause
 * @param watermarked
 *   WATERMARK precedes the alias, likewise
 */
private[parser] final case class ClauseGroup(
    clauses: Seq[FoundClause],
    inputAlias: Option[RelationAlias],
    afterPipe: Boolean,
    sampled: Boolean,
    watermarked: Boolean
) {
  def first: Int = clauses.head.word
  def last: Int = clauses.last.last
}

/**
 * A measure that is called over a window, `name OVER w` or `name OVER (...)`.
 *
 * @param window
 *   the name of the window, or the number of the window specification that follows
 */
private[parser] final case class FoundMeasure(name: Int, last: Int, window: Either[String, Int])
