package io.matchrecognize.parser

import org.antlr.v4.runtime.CommonToken

import io.matchrecognize.parser.StatementText.{isName, isWord, word}
import io.matchrecognize.parser.{MatchRecognizeLexer => L}

/**
 * Finds the keywords of one clause: gives each of its tokens the type that the grammar expects.
 *
 * Every word is an ordinary name unless it stands where its part of the clause can begin: an
 * operand has just ended, outside all parentheses, and the words that must follow do follow. So
 * `MEASURES 4 AS pattern, define + 1 AS x PATTERN (MATCH ONE ROW)` has two keywords. After an
 * operator, a comma, AS, AND, NOT, WHEN ... a word is an operand. The tokens of expressions become
 * EXPRESSION_TOKEN. A token in no place is left as it is: the grammar reports it.
 *
 * @param tokens
 *   what stands between the parentheses of the clause
 */
private[parser] final class ClauseWords(tokens: IndexedSeq[CommonToken]) {
  import ClauseWords._

  private val end = tokens.length

  def assign(): Unit = {
    var i = 0
    while (i < end) i = part(i)
  }

  private def part(i: Int): Int = begins(i) match {
    case "PARTITION" =>
      mark(i, L.PARTITION, L.BY)
      list(i + 2, Expressions)((_, until) => until)
    case "ORDER" =>
      mark(i, L.ORDER, L.BY)
      list(i + 2, Expressions)(sortItem)
    case "MEASURES" =>
      mark(i, L.MEASURES)
      list(i + 1, Measures)(measure)
    case "ONE" | "ALL" => rowsPerMatch(i)
    case "AFTER" => afterMatch(i)
    case "INITIAL" => mark(i, L.INITIAL)
    case "SEEK" => mark(i, L.SEEK)
    case "PATTERN" => pattern(i)
    case "WITHIN" =>
      mark(i, L.WITHIN)
      list(i + 1, Bound)((_, until) => until)
    case "SUBSET" =>
      mark(i, L.SUBSET)
      // The first token is a name, whatever it says.
      skipUntilKeyword(math.min(i + 2, end))
    case "DEFINE" =>
      mark(i, L.DEFINE)
      define(i + 1)
    case _ => i + 1
  }

  private def mark(i: Int, types: Int*): Int = {
    types.zipWithIndex.foreach { case (kind, k) => if (i + k < end) tokens(i + k).setType(kind) }
    i + types.length
  }

  /**
   * Reads items up to the next keyword. `item` is told where each begins and ends, marks what is no
   * expression there and returns the end of the expression.
   */
  private def list(from: Int, place: Place)(item: (Int, Int) => Int): Int = {
    var i = from
    var begin = from
    var named = false
    def close(until: Int): Unit =
      (begin until item(begin, until)).foreach(k => tokens(k).setType(L.EXPRESSION_TOKEN))
    val operands = new Operands(tokens)
    while (i < end && !(operands.ended && keyword(i, place, named).nonEmpty))
      if (tokens(i).getType == L.COMMA && place != Bound) {
        close(i)
        begin = i + 1
        named = false
        operands.reset()
        i += 1
      } else if (place == Measures && isWord(tokens(i), "AS") && i + 1 < end) {
        named = true
        operands.ended = true
        i += 2
      } else i = operands.read(i)
    close(i)
    i
  }

  private def sortItem(from: Int, until: Int): Int = {
    var last = until
    if (last - from > 2 && textIs(last - 2, "NULLS") && textIs(last - 1, "FIRST", "LAST")) {
      mark(last - 2, L.NULLS, if (textIs(last - 1, "FIRST")) L.FIRST else L.LAST)
      last -= 2
    }
    if (last - from > 1 && textIs(last - 1, "ASC", "DESC")) {
      mark(last - 1, if (textIs(last - 1, "ASC")) L.ASC else L.DESC)
      last -= 1
    }
    last
  }

  /** `expression [AS] name`: what follows the name is left to be reported. */
  private def measure(from: Int, until: Int): Int =
    topLevel(from, until).find(textIs(_, "AS")) match {
      case Some(as) =>
        mark(as, L.AS)
        as
      case None if until - from > 1 && namesWithoutAs(from, until - 1) => until - 1
      case None => until
    }

  private def topLevel(from: Int, until: Int): Iterator[Int] = {
    var depth = 0
    (from until until).iterator.filter { k =>
      val text = tokens(k).getText
      if (text == "(" || text == "[") depth += 1
      if (text == ")" || text == "]") depth -= 1
      depth == 0
    }
  }

  /** Whether token `last` can be a name that follows an expression without AS. */
  private def namesWithoutAs(from: Int, last: Int): Boolean = {
    val operands = new Operands(tokens)
    var i = from
    while (i < last) i = operands.read(i)
    val cases = topLevel(from, last).count(textIs(_, "CASE"))
    val ends = topLevel(from, last).count(textIs(_, "END"))
    i == last && operands.ended && isName(tokens(last)) && !tokens(last).getText.head.isDigit &&
    !Operands.OperatorWords(word(tokens(last))) && !textIs(last - 1, "IGNORE", "RESPECT") &&
    !(textIs(last, "END") && cases > ends) &&
    !(Operands.IntervalUnits(word(tokens(last))) && textIs(last - 2, "INTERVAL"))
  }

  private def textIs(i: Int, words: String*): Boolean =
    i >= 0 && i < end && words.exists(_.equalsIgnoreCase(tokens(i).getText))

  private def rowsPerMatch(from: Int): Int = {
    var i = from
    do {
      RowsWords.get(word(tokens(i))).foreach(tokens(i).setType)
      i += 1
    } while (i < end && begins(i).isEmpty)
    i
  }

  private def afterMatch(from: Int): Int = {
    mark(from, L.AFTER, L.MATCH)
    var i = from + 2
    if (i < end && isWord(tokens(i), "SKIP")) i = mark(i, L.SKIP_KW)
    if (i < end && isWord(tokens(i), "PAST")) {
      i = mark(i, L.PAST)
      if (textIs(i, "LAST")) i = mark(i, L.LAST)
      if (textIs(i, "ROW")) i = mark(i, L.ROW)
    } else if (i < end && isWord(tokens(i), "TO")) {
      i = mark(i, L.TO)
      if (textIs(i, "NEXT") && textIs(i + 1, "ROW")) i = mark(i, L.NEXT, L.ROW)
      else {
        val named = i + 1 < end && isName(tokens(i + 1)) && begins(i + 1).isEmpty
        if (named && textIs(i, "FIRST")) i = mark(i, L.FIRST)
        else if (named && textIs(i, "LAST")) i = mark(i, L.LAST)
        i += 1
      }
    }
    skipUntilKeyword(i)
  }

  private def skipUntilKeyword(from: Int): Int = {
    var i = from
    var depth = 0
    while (i < end && !(depth == 0 && begins(i).nonEmpty && tokens(i - 1).getText != ",")) {
      if (tokens(i).getType == L.LEFT_PAREN) depth += 1
      if (tokens(i).getType == L.RIGHT_PAREN) depth -= 1
      i += 1
    }
    math.min(i, end)
  }

  private def pattern(from: Int): Int = {
    mark(from, L.PATTERN)
    var i = from + 1
    var depth = 0
    do {
      val kind = tokens(i).getType
      if (kind == L.LEFT_PAREN) depth += 1
      if (kind == L.RIGHT_PAREN) depth -= 1
      if (isWord(tokens(i), "PERMUTE") && i + 1 < end && tokens(i + 1).getType == L.LEFT_PAREN)
        tokens(i).setType(L.PERMUTE)
      i += 1
    } while (i < end && depth > 0)
    i
  }

  private def define(from: Int): Int = {
    var i = from
    var more = true
    while (more) {
      if (i + 1 < end && isName(tokens(i)) && isWord(tokens(i + 1), "AS")) {
        mark(i + 1, L.AS)
        i = oneCondition(i + 2)
      }
      more = i < end && tokens(i).getType == L.COMMA
      if (more) i += 1
    }
    if (i < end && begins(i).isEmpty) skipUntilKeyword(i + 1) else i
  }

  private def oneCondition(from: Int): Int = {
    val operands = new Operands(tokens)
    var i = from
    while (
      i < end && tokens(i).getType != L.COMMA &&
      !(operands.ended && keyword(i, Expressions, named = true).nonEmpty)
    ) i = operands.read(i)
    (from until i).foreach(k => tokens(k).setType(L.EXPRESSION_TOKEN))
    i
  }

  private def begins(i: Int): String = keyword(i, Boundary, named = true)

  /**
   * The part of the clause that begins at token `i`, "" if none does.
   *
   * @param named
   *   the measure before has its name, so that this word cannot be it
   */
  private def keyword(i: Int, place: Place, named: Boolean): String = {
    val text = word(tokens(i))
    if (!PartWords(text)) ""
    else {
      val next = if (i + 1 < end) Some(tokens(i + 1)) else None
      def follows(words: String*): Boolean = next.exists(t => words.exists(isWord(t, _)))
      val fits = text match {
        case "PARTITION" | "ORDER" => follows("BY")
        case "ONE" => follows("ROW")
        case "ALL" => follows("ROWS")
        case "AFTER" => follows("MATCH")
        case "PATTERN" => next.exists(_.getType == L.LEFT_PAREN)
        case "INITIAL" | "SEEK" =>
          place == Boundary ||
          (named || place != Measures) && (i + 1 == end || begins(i + 1).nonEmpty)
        case "WITHIN" =>
          place == Boundary || (!follows("GROUP") && beginsOperand(i + 1))
        // Only after a measure without AS can it be a name.
        case "MEASURES" => place != Measures || beginsOperand(i + 1)
        case "SUBSET" =>
          place == Boundary || place == Bound ||
          next.exists(isName) && i + 2 < end && tokens(i + 2).getType == L.EQUAL
        case _ =>
          place == Boundary || place == Bound && next.exists(isName) ||
          next.exists(isName) && i + 2 < end && isWord(tokens(i + 2), "AS")
      }
      if (fits) text else ""
    }
  }

  private def beginsOperand(i: Int): Boolean = i < end && (tokens(i).getType match {
    case L.IDENTIFIER =>
      // `MEASURES define AS x` begins with a column.
      keyword(i, Expressions, named = true).isEmpty &&
      (!Operands.OperatorWords(word(tokens(i))) || PrefixWords(word(tokens(i))))
    case L.BACKQUOTED_IDENTIFIER | L.STRING | L.INTEGER | L.NUMBER | L.LEFT_PAREN | L.PLUS |
        L.MINUS | L.QUESTION | L.COLON =>
      true
    case _ => tokens(i).getText == "~"
  })
}

private[parser] object ClauseWords {
  sealed private trait Place
  private case object Boundary extends Place
  private case object Expressions extends Place
  private case object Measures extends Place
  private case object Bound extends Place

  private val PartWords = Operands.words(
    "PARTITION ORDER MEASURES ONE ALL AFTER INITIAL SEEK PATTERN WITHIN SUBSET " +
      "DEFINE"
  )

  private val RowsWords = Map(
    "ONE" -> L.ONE,
    "ALL" -> L.ALL,
    "ROW" -> L.ROW,
    "ROWS" -> L.ROWS,
    "PER" -> L.PER,
    "MATCH" -> L.MATCH,
    "SHOW" -> L.SHOW,
    "OMIT" -> L.OMIT,
    "EMPTY" -> L.EMPTY,
    "TIMEOUT" -> L.TIMEOUT,
    "MATCHES" -> L.MATCHES,
    "WITH" -> L.WITH,
    "UNMATCHED" -> L.UNMATCHED
  )

  /** Operator words that can begin an operand. */
  private val PrefixWords = Set("NOT", "CASE")
}
