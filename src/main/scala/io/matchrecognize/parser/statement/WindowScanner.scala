package io.matchrecognize.parser.statement

import org.apache.spark.sql.catalyst.parser.{SqlBaseLexer => L}

import io.matchrecognize.parser.statement.StatementText._

/**
 * Finds the row pattern windows of a statement among its tokens, and the measures called over
 * windows, for which Spark's grammar has no place.
 *
 * A window specification follows OVER, or `name AS` in a WINDOW clause. It is a row pattern window
 * if it has the part PATTERN. After a keyword of Spark's, PATTERN as the first word is a function
 * that is an argument of a function `over`.
 *
 * @param groups
 *   clauses of the same statement: what is inside them is read with them
 */
private[parser] final class WindowScanner(statement: StatementText, groups: Seq[ClauseGroup]) {
  import statement.{tokens, typeOf, wordAt}

  lazy val windows: IndexedSeq[FoundClause] = {
    val found = IndexedSeq.newBuilder[FoundClause]
    var i = 0
    while (i < tokens.length) {
      if (isOver(i) && isPattern(i + 1) && !(mayBeCall(i) && isWord(tokens(i + 2), "PATTERN"))) {
        found += window(i)
        i = statement.partner(i + 1)
      } else
        WindowDefinitions
          .from(statement, i)
          .filter(as => isPattern(as + 1))
          .foreach(found += window(_))
      i += 1
    }
    found
      .result()
      .distinctBy(_.word)
      .filterNot(w =>
        groups.exists(g => g.clauses.exists(c => c.open < w.word && w.word < c.close))
      )
  }

  private def isOver(i: Int): Boolean = isWord(tokens(i), "OVER")

  /** Whether OVER may be a function: what has a window ends with a parenthesis or a name. */
  private def mayBeCall(over: Int): Boolean =
    typeOf(over - 1) != L.RIGHT_PAREN && typeOf(over - 1) != L.IDENTIFIER &&
      !tokens.lift(over - 1).exists(isQuotedName)

  /** Calls of measures; `name OVER name` may be anything else unless a window has the name. */
  lazy val measures: IndexedSeq[FoundMeasure] = {
    def isCall(i: Int) = isOver(i) && i > 0 && isName(tokens(i - 1)) &&
      typeOf(i - 2) != L.DOT && !isNullTreatment(i - 1) &&
      !windows.exists(w => w.open < i && i < w.close)
    def call(i: Int) =
      if (typeOf(i + 1) == L.LEFT_PAREN)
        windows.indexWhere(_.open == i + 1) match {
          case -1 if isName(tokens(i + 2)) && typeOf(i + 3) == L.RIGHT_PAREN =>
            Some(FoundMeasure(i - 1, i + 3, Left(name(tokens(i + 2)))))
          case -1 => None
          case number => Some(FoundMeasure(i - 1, windows(number).close, Right(number)))
        }
      else if (isName(tokens(i + 1)) && !isWord(tokens(i + 1), "FROM"))
        Some(FoundMeasure(i - 1, i + 1, Left(name(tokens(i + 1)))))
      else None
    if (windows.isEmpty) IndexedSeq.empty
    else tokens.indices.filter(isCall).flatMap(call).filter(_.window.fold(defined, _ => true))
  }

  /** The names of all windows of WINDOW clauses. */
  private lazy val defined: Set[String] =
    WindowDefinitions.in(statement).map(as => name(tokens(as - 1))).toSet

  /** `first_value(x) IGNORE NULLS OVER w`. */
  private def isNullTreatment(i: Int): Boolean =
    wordAt(i) == "NULLS" && Set("IGNORE", "RESPECT")(wordAt(i - 1))

  private def window(word: Int): FoundClause =
    FoundClause(word, word + 1, statement.partner(word + 1), None, isWindow = true)

  private def isPattern(open: Int): Boolean =
    typeOf(open) == L.LEFT_PAREN && statement.partner.contains(open) &&
      PatternWord.ofWindow(statement, open).nonEmpty
}

private[parser] object WindowScanner {
  val MeasureCall = "a measure is called as an expression, name OVER window"

  /** Whether a text may contain a row pattern window: its words occur. */
  def mentions(text: String): Boolean =
    contains(text, "pattern") && (contains(text, "over") || contains(text, "window"))
}

/** The WINDOW clauses of a statement, `WINDOW name AS (...), name AS (...)`. */
private object WindowDefinitions {

  /** Where the definitions have their AS; none if no WINDOW clause begins at the token. */
  def from(statement: StatementText, window: Int): Seq[Int] = {
    import statement.{tokens, typeOf}
    def isNamed(i: Int) =
      i + 1 < tokens.length && isName(tokens(i)) && isWord(tokens(i + 1), "AS")
    if (!isWord(tokens(window), "WINDOW")) Nil
    else
      Iterator
        .unfold(window + 1) { first =>
          Option.when(isNamed(first)) {
            val as = first + 1
            val last =
              if (typeOf(as + 1) == L.LEFT_PAREN)
                statement.partner.getOrElse(as + 1, tokens.length)
              else as + 1
            (as, if (typeOf(last + 1) == L.COMMA) last + 2 else tokens.length)
          }
        }
        .toSeq
  }

  /** Those of all WINDOW clauses. */
  def in(statement: StatementText): Seq[Int] = statement.tokens.indices.flatMap(from(statement, _))
}
