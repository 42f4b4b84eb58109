package io.matchrecognize.parser.statement

import org.apache.spark.sql.catalyst.parser.{SqlBaseLexer => L}

import io.matchrecognize.parser.statement.StatementText._

/**
 * Finds the row pattern windows of a statement among its tokens, and the measures called over
 * windows, for which Spark's grammar has no place.
 *
 * A window specification follows OVER, or `name AS` in a WINDOW clause. It is a row pattern window
 * if it has the part PATTERN. After a keyword of Spark's it is not one if Spark's grammar reads it
 * as the arguments of a function `over`.
 *
 * @param groups
 *   clauses of the same statement: what is inside them is read with them
 */
private[parser] final class WindowScanner(statement: StatementText, groups: Seq[ClauseGroup]) {
  private val tokens = statement.tokens

  lazy val windows: IndexedSeq[FoundClause] = {
    val (doubtful, sure) = candidates.partition(w => isOver(w.word) && isDoubtful(w.word - 1))
    lazy val inPlace = surroundings(sure, calls(sure))
    candidates.filterNot { w =>
      doubtful.contains(w) && inPlace.isRead(tokens(w.word).getStartIndex)
    }
  }

  lazy val measures: Seq[FoundMeasure] = {
    val all = calls(windows)
    val sure = all.filter(isDefined)
    if (sure.length == all.length || surroundings(windows, sure).isReadable) sure else all
  }

  /**
   * The tokens that Spark's grammar does not read, first and last: all that may be row pattern
   * windows, and calls of measures over windows.
   */
  def unread: Seq[(Int, Int)] = {
    val found = candidates
    val within = groups.flatMap(_.clauses)
    val called =
      calls(found).filterNot(m => within.exists(c => c.open < m.name && m.name < c.close))
    val all = found.map(w => (w.open + 1, w.close - 1)) ++ called.map(m => (m.name + 1, m.last))
    all.filterNot { case span @ (first, last) =>
      all.exists(o => o != span && o._1 <= first && last <= o._2)
    }
  }

  private def candidates: IndexedSeq[FoundClause] = {
    val found = IndexedSeq.newBuilder[FoundClause]
    var i = 0
    while (i < tokens.length) {
      if (isOver(i) && isPattern(i + 1)) {
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

  /** Whether a function `over` may follow; a call or the name of a measure ends differently. */
  private def isDoubtful(i: Int): Boolean =
    typeOf(i) != L.RIGHT_PAREN && typeOf(i) != L.IDENTIFIER &&
      !tokens.lift(i).exists(isQuotedName)

  private def surroundings(
      windows: IndexedSeq[FoundClause],
      measures: Seq[FoundMeasure]
  ): Surroundings =
    new Surroundings(new MaskedText(statement, groups, windows, measures).tokens)

  /** Calls of measures, if there are measures: `name OVER name` may be anything else as well. */
  private def calls(windows: IndexedSeq[FoundClause]): Seq[FoundMeasure] = {
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
    if (windows.isEmpty) Nil else tokens.indices.filter(isCall).flatMap(call)
  }

  private def isDefined(measure: FoundMeasure): Boolean = measure.window.fold(defined, _ => true)

  /** The names of all windows of WINDOW clauses. */
  private lazy val defined: Set[String] =
    WindowDefinitions.in(statement).map(as => name(tokens(as - 1))).toSet

  /** `first_value(x) IGNORE NULLS OVER w`. */
  private def isNullTreatment(i: Int): Boolean =
    isWord(tokens(i), "NULLS") && i > 0 &&
      (isWord(tokens(i - 1), "IGNORE") || isWord(tokens(i - 1), "RESPECT"))

  private def window(word: Int): FoundClause =
    FoundClause(word, word + 1, statement.partner(word + 1), None, isWindow = true)

  private def isPattern(open: Int): Boolean =
    typeOf(open) == L.LEFT_PAREN && statement.partner.contains(open) &&
      PatternWord.ofWindow(statement, open).nonEmpty

  private def typeOf(i: Int): Int = statement.typeOf(i)
}

private[parser] object WindowScanner {
  val MeasureCall = "a measure is called as an expression, name OVER window"

  /** Whether a text may contain a row pattern window: its words occur. */
  def mentions(text: String): Boolean =
    contains(text, "pattern") && (contains(text, "over") || contains(text, "window"))

  private def contains(text: String, word: String): Boolean =
    (0 to text.length - word.length).exists(i => text.regionMatches(true, i, word, 0, word.length))
}
