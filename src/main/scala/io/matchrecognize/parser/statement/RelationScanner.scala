package io.matchrecognize.parser.statement

import org.apache.spark.sql.catalyst.parser.{SqlBaseLexer => L}

import io.matchrecognize.parser.statement.StatementText._

/**
 * Finds the clauses of a statement among its tokens, never in strings or comments.
 *
 * `match_recognize` is a clause if it follows what may end a relation and its parentheses contain
 * something other than a list of names: `FROM t match_recognize (a, b)` is a table alias. After a
 * keyword of Spark's it is a clause only if it has the part PATTERN, which no function call has.
 *
 * A clause includes its input's alias and its own, because Spark's grammar has only one alias
 * there. An alias is a name after AS, or a name without AS that is not a keyword: most keywords are
 * names too, and only Spark's grammar could tell whether `using (k)` is an alias with a column. A
 * clause that does not follow a relation is found by Spark's parser, at the clause's placeholder.
 */
private[parser] final class RelationScanner(statement: StatementText) {
  import RelationScanner._
  import statement.{tokens, typeOf, wordAt}

  def groups: IndexedSeq[ClauseGroup] = IndexedSeq.unfold(0) { from =>
    (from until tokens.length).find(isClause).map { first =>
      val clauses = Iterator.unfold(first) { i =>
        Option.when(isClause(i))(one(i)).map(clause => clause -> (clause.last + 1))
      }
      val chain = clauses.take(MaxChain).toVector
      val next = chain.last.last + 1
      if (isClause(next)) throw SyntaxErrors.unexpected(statement, tokens(next), TooMany)
      group(chain) -> next
    }
  }

  /** The words that begin nested clauses. */
  def within(clause: FoundClause): Seq[Int] = (clause.open + 1 until clause.close).filter(isClause)

  private def isClause(i: Int): Boolean =
    i > 0 && isWord(tokens(i), "MATCH_RECOGNIZE") && typeOf(i + 1) == L.LEFT_PAREN &&
      mayEndRelation(i - 1) && !statement.listsNames(i + 1)

  private def mayEndRelation(i: Int): Boolean =
    if (!isIdentifier(tokens(i)))
      isPipe(i) && (typeOf(i) != L.PIPE || hasPattern(i + 2, sure = false)) || endsValue(i)
    else if (isKeyword(i)) !isAs(i) && hasPattern(i + 2, isTable(i))
    else !Operand(wordAt(i)) || typeOf(i - 1) == L.DOT || hasPattern(i + 2, isTable(i))

  /** @param sure no call can be here; in one PATTERN may be a function that is an argument */
  private def hasPattern(open: Int, sure: Boolean): Boolean =
    if (sure) PatternWord.in(statement, open).nonEmpty
    else PatternWord.ofWindow(statement, open).exists(_ > open + 1)

  /** Before a call `|` is an operator. */
  private def isPipe(i: Int): Boolean = typeOf(i) == L.OPERATOR_PIPE || typeOf(i) == L.PIPE

  private def endsValue(i: Int): Boolean =
    EndsValue(typeOf(i)) || isQuotedName(tokens(i)) || isString(tokens(i)) || isNumber(tokens(i))

  /** Whether a word, which may be a keyword, is the name of a table because of the word before. */
  private def isTable(i: Int): Boolean =
    BeforeTable(wordAt(i - 1)) && !KindOfTable(wordAt(i))

  /** The same also after a comma or a parenthesis, where an operand may follow as well. */
  private def isNamed(i: Int): Boolean = isTable(i) ||
    (typeOf(i - 1) == L.COMMA || typeOf(i - 1) == L.LEFT_PAREN) && !KindOfTable(wordAt(i))

  private def group(clauses: Vector[FoundClause]): ClauseGroup = {
    val first = clauses.head.word
    if (isPipe(first - 1))
      ClauseGroup(clauses, None, afterPipe = true, sampled = false, watermarked = false)
    else {
      val alias = before(first)
      val end = alias.fold(first)(_.first)
      val relation = outerTokens(end)
      val start = relation.lastOption.fold(end)(opening)
      if (isWritten(start - 1))
        throw SyntaxErrors.unexpected(statement, tokens(first), notRead(statement, first))
      val watermark = relation.find(i => i > start && isWord(tokens(i), "WATERMARK"))
      ClauseGroup(
        clauses,
        alias,
        afterPipe = false,
        sampled = typeOf(start) != L.LEFT_PAREN && endsSample(watermark.getOrElse(end) - 1),
        watermarked = watermark.isDefined
      )
    }
  }

  /**
   * The tokens of the relation that ends before a token, the last first, without those in
   * parentheses.
   */
  private def outerTokens(end: Int): Seq[Int] = {
    def precedes(i: Int) = BeforeRelation(typeOf(i)) ||
      statement.isKeyword(i) && BeforeName(wordAt(i)) && !isNamed(i)
    Iterator
      .iterate(end - 1)(opening(_) - 1)
      .takeWhile(i => i >= 0 && !precedes(i))
      .toSeq
  }

  private def opening(i: Int): Int = statement.partner.get(i).filter(_ < i).getOrElse(i)

  /** Whether a word precedes the target of INSERT, UPDATE, DELETE or MERGE, which is not read. */
  private def isWritten(i: Int): Boolean = wordAt(i) match {
    case "INTO" | "UPDATE" | "OVERWRITE" => true
    case "TABLE" => Set("INTO", "OVERWRITE")(wordAt(i - 1))
    case "FROM" => wordAt(i - 1) == "DELETE"
    case _ => false
  }

  /** Whether a TABLESAMPLE ends with a token. */
  private def endsSample(last: Int): Boolean = statement.partner.get(last).exists { open =>
    if (wordAt(open - 1) == "REPEATABLE") endsSample(open - 2)
    else Seq(open - 1, open - 2).exists(wordAt(_) == "TABLESAMPLE")
  }

  private def one(i: Int): FoundClause =
    statement.partner.get(i + 1) match {
      case Some(close) =>
        val clause = FoundClause(i, i + 1, close, after(close + 1))
        checkEnd(clause)
        clause
      case None =>
        statement.unclosedComment.foreach { comment =>
          throw SyntaxErrors.spark(statement, comment, "UNCLOSED_BRACKETED_COMMENT", Map.empty)
        }
        throw SyntaxErrors.unexpected(statement, tokens.last, unclosed(i + 1))
    }

  private def unclosed(open: Int): String = {
    val lastClosed = statement.partner.get(tokens.lastIndexWhere(_.getType == L.RIGHT_PAREN))
    def place(i: Int) = s"line ${tokens(i).getLine}, position ${tokens(i).getCharPositionInLine}"
    val closed = lastClosed.filter(_ > open).map(i => s", the last ) closes the ( at ${place(i)}")
    s"${tokens(open).getText} opened at ${place(open)} is not closed" + closed.getOrElse("")
  }

  /** Refuses one `)` too many in a clause: a part of the clause follows its end. */
  private def checkEnd(clause: FoundClause): Unit = {
    val after = Seq(clause.close + 1, clause.last + 1).distinct
    after.find(i => beginsPart(i, afterAlias = i > clause.close + 1)).foreach { part =>
      val hint = s"this parenthesis closes the clause, and ${wordAt(part)} follows it"
      throw SyntaxErrors.unexpected(statement, tokens(clause.close), hint)
    }
  }

  /** Whether words follow that only a clause has; `PATTERN (a)` may be an alias with a column. */
  private def beginsPart(i: Int, afterAlias: Boolean): Boolean =
    (wordAt(i), wordAt(i + 1)) match {
      case ("PATTERN", _) => afterAlias && typeOf(i + 1) == L.LEFT_PAREN
      case ("DEFINE", name) => name.nonEmpty && wordAt(i + 2) == "AS"
      case ("AFTER", "MATCH") => wordAt(i + 2) == "SKIP"
      case ("ONE", "ROW") | ("ALL", "ROWS") => wordAt(i + 2) == "PER"
      case _ => false
    }

  /** The alias that ends before a clause. */
  private def before(clause: Int): Option[RelationAlias] = {
    val last = clause - 1
    val at =
      if (typeOf(last) != L.RIGHT_PAREN) last
      else statement.partner.get(last).filter(statement.listsNames).fold(-1)(_ - 1)
    if (at < 1 || !isName(tokens(at))) None
    else if (isAs(at - 1)) Some(alias(at, at - 1, last))
    else Option.when(!isKeyword(at) && mayPrecedeAlias(at - 1))(alias(at, at, last))
  }

  /** Whether a relation may end with a token; else a name after it is the relation, or a value. */
  private def mayPrecedeAlias(i: Int): Boolean =
    if (!isIdentifier(tokens(i))) endsValue(i)
    else !isKeyword(i) || isNamed(i) || IntervalUnits(wordAt(i))

  /** The alias of a clause that ends before a token. */
  private def after(i: Int): Option[RelationAlias] = {
    val as = isAs(i)
    val at = if (as) i + 1 else i
    Option.when(isName(tokens(at)) && (as || !isKeyword(at) && !isClause(at))) {
      val hasColumns = typeOf(at + 1) == L.LEFT_PAREN && statement.listsNames(at + 1)
      alias(at, i, if (hasColumns) statement.partner(at + 1) else at)
    }
  }

  private def alias(nameAt: Int, first: Int, last: Int): RelationAlias = {
    val columns = (nameAt + 2 until last by 2).map(k => name(tokens(k)))
    RelationAlias(name(tokens(nameAt)), columns, first, last)
  }

  private def isAs(i: Int): Boolean = isWord(tokens(i), "AS")

  /** Whether a word is a keyword, except one before a string only, X'0A', and a common alias. */
  private def isKeyword(i: Int): Boolean = statement.isKeyword(i) && !isWord(tokens(i), "X")
}

private[parser] object RelationScanner {
  private val NotRead =
    "MATCH_RECOGNIZE follows a table, view, subquery or table function that is read"

  /** Parts of a query that follow FROM, by their first words. */
  private val AfterFrom = Map(
    "WHERE" -> "SELECT * FROM t WHERE",
    "LATERAL" -> "SELECT * FROM t LATERAL VIEW",
    "GROUP" -> "SELECT ... FROM t GROUP BY",
    "HAVING" -> "SELECT ... FROM t GROUP BY ... HAVING",
    "ORDER" -> "SELECT * FROM t ORDER BY",
    "LIMIT" -> "SELECT * FROM t LIMIT"
  )

  /** Why there is no clause at a token, and what to write if a part of the query precedes it. */
  def notRead(statement: StatementText, clause: Int): String = {
    val before = Iterator
      .iterate(clause - 1)(i => statement.partner.get(i).filter(_ < i).getOrElse(i) - 1)
      .takeWhile(i => i >= 0 && statement.typeOf(i) != L.LEFT_PAREN)
      .map(statement.wordAt)
    val (after, from) = before.toSeq.span(_ != "FROM")
    // UPDATE and DELETE cannot write to a subquery.
    val isRead = from.nonEmpty && !from.lift(1).contains("DELETE")
    after.flatMap(AfterFrom.get).headOption.filter(_ => isRead).fold(NotRead) { query =>
      s"$NotRead; write FROM ($query ...) MATCH_RECOGNIZE (...)"
    }
  }

  // Spark's rules call themselves for each node of a plan, and each clause is above the one before.
  private final val MaxChain = 100
  private val TooMany =
    s"at most $MaxChain clauses follow one another; store the result of these in a table"

  def mentions(text: String): Boolean = contains(text, "match_recognize")

  private val EndsValue = Set(L.RIGHT_PAREN, L.RIGHT_BRACKET, L.QUESTION)

  /** Words of the clause that an operand follows. */
  private val Operand = words("MEASURES RUNNING FINAL")

  private val BeforeTable = words("FROM JOIN USING")

  /** Words before a name that are not a table themselves. */
  private val KindOfTable = words("STREAM LATERAL FROM TABLE SELECT")

  /** What precedes a relation, or ends the one before. */
  private val BeforeRelation = Set(L.COMMA, L.LEFT_PAREN, L.OPERATOR_PIPE, L.PIPE, L.SEMICOLON)
  private val BeforeName =
    BeforeTable ++ words("INTO UPDATE OVERWRITE TABLE PIVOT UNPIVOT BIN VIEW")
}
