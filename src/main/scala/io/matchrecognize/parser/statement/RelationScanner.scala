package io.matchrecognize.parser.statement

import org.antlr.v4.runtime.{CommonToken, Token}
import org.apache.spark.sql.catalyst.parser.{SqlBaseLexer => L}

import io.matchrecognize.parser.statement.StatementText._

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
 * Finds the clauses of a statement among its tokens, never in strings or comments.
 *
 * `match_recognize` is a clause if it follows a relation and its parentheses contain something
 * other than a list of names: `FROM t match_recognize (a, b)` is a table alias. After a keyword of
 * Spark's, which may be the name of a relation, it is a clause unless Spark's grammar reads it
 * where it is, as a function. A clause includes its input's alias and its own, because Spark's
 * grammar has only one alias there; the grammar also tells which words are the input's alias.
 */
private[parser] final class RelationScanner(statement: StatementText) {
  import RelationScanner._

  private val tokens = statement.tokens

  def groups: Seq[ClauseGroup] = {
    val found = chains(isClause)
    lazy val surroundings = without(found)
    found.map(group(_, surroundings))
  }

  /** Clauses that follow each other on one input. */
  private def chains(isClause: Int => Boolean): Seq[Vector[FoundClause]] = {
    val found = Seq.newBuilder[Vector[FoundClause]]
    var i = 0
    while (i < tokens.length)
      if (isClause(i)) {
        var chain = Vector(one(i))
        while (chain.last.last + 1 < tokens.length && isClause(chain.last.last + 1))
          chain :+= one(chain.last.last + 1)
        found += chain
        i = chain.last.last + 1
      } else i += 1
    found.result()
  }

  /** The statement without clauses and their aliases. */
  private def without(chains: Seq[Seq[FoundClause]]): Surroundings =
    new Surroundings(
      statement,
      statement.replaced(chains.map { chain =>
        val first = chain.head.word
        val instead = if (followsPipe(first)) nameOfQuery(tokens(first)) else Nil
        (first, chain.last.last, instead)
      })
    )

  /** `AS x`, because something must follow a pipe. */
  private def nameOfQuery(place: CommonToken): Seq[CommonToken] =
    Seq(L.AS -> "AS", L.IDENTIFIER -> "x").map { case (kind, text) =>
      val token = new CommonToken(place)
      token.setType(kind)
      token.setText(text)
      token
    }

  /** The words that begin nested clauses. */
  def within(clause: FoundClause): Seq[Int] =
    (clause.open + 1 until clause.close).filter { i =>
      mayBeClause(i) && !NoRelation(word(tokens(i - 1))) && !Operand(word(tokens(i - 1)))
    }

  private def isClause(i: Int): Boolean = mayBeClause(i) && !functions(i)

  private def mayBeClause(i: Int): Boolean =
    isWord(tokens(i), "MATCH_RECOGNIZE") && typeOf(i + 1) == L.LEFT_PAREN && i > 0 &&
      mayEndRelation(i - 1) && !listsNames(i + 1)

  private def mayEndRelation(i: Int): Boolean = tokens(i).getType match {
    case L.RIGHT_PAREN | L.RIGHT_BRACKET | L.OPERATOR_PIPE | L.QUESTION => true
    case L.PIPE => hasPattern(i + 2)
    case _ if isQuotedName(tokens(i)) || isString(tokens(i)) || isNumber(tokens(i)) => true
    case _ if isIdentifier(tokens(i)) =>
      typeOf(i - 1) == L.DOT || hasPattern(i + 2) || !isKeyword(i) && !Operand(word(tokens(i)))
    case _ => false
  }

  private def hasPattern(open: Int): Boolean = PatternWord.in(statement, open).nonEmpty

  private def isKeyword(i: Int): Boolean =
    isIdentifier(tokens(i)) && typeOf(i) != L.IDENTIFIER && typeOf(i - 1) != L.DOT

  private def isDoubtful(i: Int): Boolean = isKeyword(i - 1) || typeOf(i - 1) == L.PIPE

  /** The words MATCH_RECOGNIZE after a keyword that name a function. */
  private lazy val functions: Set[Int] = {
    val sure = chains(i => mayBeClause(i) && !isDoubtful(i))
    val doubtful = tokens.indices.filter { i =>
      mayBeClause(i) && isDoubtful(i) &&
      !sure.exists(chain => chain.head.word < i && i < chain.last.close)
    }
    def isRead(word: Int, tree: Surroundings) = tree.isRead(tokens(word).getStartIndex)
    def rest(word: Int) = without(sure ++ doubtful.filter(_ != word).map(i => Seq(one(i))))
    if (doubtful.isEmpty) Set.empty
    else {
      lazy val inPlace = without(sure)
      lazy val all = without(sure ++ doubtful.map(i => Seq(one(i))))
      def isMistake(word: Int) =
        NoRelation(StatementText.word(tokens(word - 1))) && !all.isReadable
      doubtful.filter { word =>
        isRead(word, inPlace) || !inPlace.isReadable && isRead(word, rest(word)) || isMistake(word)
      }.toSet
    }
  }

  private def listsNames(open: Int): Boolean = {
    val close = statement.partner.getOrElse(open, tokens.length)
    close > open + 1 && close < tokens.length && (open + 1 until close).forall { k =>
      if ((k - open) % 2 == 1) isName(tokens(k)) else tokens(k).getType == L.COMMA
    } && (close - open) % 2 == 0
  }

  private def group(clauses: Seq[FoundClause], surroundings: => Surroundings): ClauseGroup = {
    val first = clauses.head.word
    if (followsPipe(first)) ClauseGroup(clauses, None, afterPipe = true, false, false)
    else {
      val input = surroundings.endingAt(tokens(first - 1).getStartIndex)
      val alias = input match {
        case Some(read) => read.alias.map(aliasFrom(_, first - 1))
        case None => aliasBefore(first)
      }
      checkReads(alias.map(_.first).getOrElse(first) - 1)
      ClauseGroup(
        clauses,
        alias,
        afterPipe = false,
        sampled = input.exists(_.sampled),
        watermarked = input.exists(_.watermarked)
      )
    }
  }

  private def followsPipe(i: Int): Boolean =
    typeOf(i - 1) == L.OPERATOR_PIPE || typeOf(i - 1) == L.PIPE

  private def one(i: Int): FoundClause =
    statement.partner.get(i + 1) match {
      case Some(close) =>
        val clause = FoundClause(i, i + 1, close, aliasAfter(close + 1))
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
    val closed = lastClosed.filter(_ > open).map(tokens).map { t =>
      s", the last ) closes the ( at line ${t.getLine}, position ${t.getCharPositionInLine}"
    }
    SyntaxErrors.unclosed(tokens(open)) + closed.getOrElse("")
  }

  /** Refuses one `)` too many in a clause: a part of the clause follows its end. */
  private def checkEnd(clause: FoundClause): Unit = {
    val after = Seq(clause.close + 1, clause.last + 1).distinct
    after.find(i => beginsPart(i, afterAlias = i > clause.close + 1)).foreach { part =>
      val hint = s"this parenthesis closes the clause, and ${word(tokens(part))} follows it"
      throw SyntaxErrors.unexpected(statement, tokens(clause.close), hint)
    }
  }

  /** Whether words follow that only a clause has; `PATTERN (a)` may be an alias with a column. */
  private def beginsPart(i: Int, afterAlias: Boolean): Boolean = {
    def wordAt(k: Int) = if (k < tokens.length) word(tokens(k)) else ""
    (wordAt(i), wordAt(i + 1)) match {
      case ("PATTERN", _) => afterAlias && typeOf(i + 1) == L.LEFT_PAREN
      case ("DEFINE", name) => name.nonEmpty && wordAt(i + 2) == "AS"
      case ("AFTER", "MATCH") => wordAt(i + 2) == "SKIP"
      case ("ONE", "ROW") | ("ALL", "ROWS") => wordAt(i + 2) == "PER"
      case _ => false
    }
  }

  private def aliasAfter(i: Int): Option[RelationAlias] = {
    val as = isWord(tokens(i), "AS")
    val at = if (as) i + 1 else i
    val named = at < tokens.length && isName(tokens(at)) &&
      (if (as) !isKeyword(at) || Surroundings.readsAlias(statement, i, at)
       else isQuotedName(tokens(at)) || !continuesQuery(at))
    if (!named) None
    else {
      val columns =
        if (typeOf(at + 1) == L.LEFT_PAREN && listsNames(at + 1))
          (at + 2 until statement.partner(at + 1) by 2).map(k => name(tokens(k)))
        else Nil
      val last = if (columns.isEmpty) at else statement.partner(at + 1)
      Some(RelationAlias(name(tokens(at)), columns, i, last))
    }
  }

  /** Whether a word after a relation continues the query, so that it is not an alias. */
  private def continuesQuery(i: Int): Boolean = {
    val text = word(tokens(i))
    AfterRelation(text) || (text == "MATCH_RECOGNIZE" && mayBeClause(i)) ||
    isKeyword(i) && !Surroundings.readsAlias(statement, i, i)
  }

  /**
   * The alias from a place in the text to the token `last`. Spark takes `FROM t WHERE (a)` for an
   * alias with a column, which is not what anybody means: it is refused.
   */
  private def aliasFrom(place: Int, last: Int): RelationAlias = {
    val first = tokens.lastIndexWhere(_.getStartIndex == place, last)
    val as = isWord(tokens(first), "AS") && first < last && isName(tokens(first + 1))
    val nameAt = if (as) first + 1 else first
    val isPlain = nameAt == last || listsNames(nameAt + 1) && statement.partner(nameAt + 1) == last
    if (!isPlain || !as && AfterRelation(word(tokens(nameAt))))
      throw SyntaxErrors.unexpected(statement, tokens(last + 1), NotRead)
    alias(nameAt, first, last)
  }

  /** The alias of a clause's input in a statement that Spark's grammar does not read. */
  private def aliasBefore(clause: Int): Option[RelationAlias] = {
    val last = clause - 1
    val nameAt =
      if (typeOf(last) != L.RIGHT_PAREN) last
      else statement.partner.get(last).filter(listsNames).map(_ - 1).getOrElse(-1)
    if (nameAt < 1 || !isName(tokens(nameAt)) || isKeyword(nameAt)) None
    else if (isWord(tokens(nameAt - 1), "AS")) Some(alias(nameAt, nameAt - 1, last))
    else if (followsRelation(nameAt)) Some(alias(nameAt, nameAt, last))
    else None
  }

  private def alias(nameAt: Int, first: Int, last: Int): RelationAlias = {
    val columns = (nameAt + 2 until last by 2).map(k => name(tokens(k)))
    RelationAlias(name(tokens(nameAt)), columns, first, last)
  }

  /** Whether the name follows a relation; otherwise it is the relation, or a part of its name. */
  private def followsRelation(i: Int): Boolean =
    typeOf(i - 1) == L.RIGHT_PAREN || isQuotedName(tokens(i - 1)) ||
      isIdentifier(tokens(i - 1)) && !isKeyword(i - 1)

  /** The target of INSERT, UPDATE, DELETE and MERGE is written, not read. */
  private def checkReads(last: Int): Unit = {
    var i = last
    if (typeOf(i) == L.RIGHT_PAREN)
      statement.partner
        .get(i)
        .filter(open => open > 0 && isWord(tokens(open - 1), "IDENTIFIER"))
        .foreach(open => i = open - 1)
    while (typeOf(i - 1) == L.DOT) i -= 2
    val before = if (i > 0) word(tokens(i - 1)) else ""
    val target = before match {
      case "INTO" | "UPDATE" | "OVERWRITE" => true
      case "TABLE" => i > 1 && Set("INTO", "OVERWRITE")(word(tokens(i - 2)))
      case "FROM" => i > 1 && isWord(tokens(i - 2), "DELETE")
      case _ => false
    }
    if (target) throw SyntaxErrors.unexpected(statement, tokens(clauseAfter(last)), NotRead)
  }

  private def clauseAfter(i: Int): Int =
    (i until tokens.length).find(k => isWord(tokens(k), "MATCH_RECOGNIZE")).getOrElse(i)

  private def typeOf(i: Int): Int =
    if (i < 0 || i >= tokens.length) Token.EOF else tokens(i).getType
}

private[parser] object RelationScanner {
  val NotRead = "MATCH_RECOGNIZE follows a table, view, subquery or table function that is read"

  def mentions(text: String): Boolean = {
    val word = "match_recognize"
    (0 to text.length - word.length).exists(i => text.regionMatches(true, i, word, 0, word.length))
  }

  /** Words that do not end a relation: a name or an operand follows them. */
  private val NoRelation = words(
    "SELECT DISTINCT ALL FROM JOIN WHERE AND OR NOT ON BY HAVING WHEN THEN ELSE " +
      "CASE IN BETWEEN LIKE ILIKE RLIKE AS FUNCTION TABLE VIEW INTO UPDATE USING " +
      "WITH SET RETURN CALL PROCEDURE IF EXISTS IS COLUMNS COLUMN DIV OVER VALUES " +
      "LATERAL LIMIT OFFSET STREAM OVERWRITE DESCRIBE DESC EXPLAIN DROP QUALIFY ANY " +
      "SOME UNION EXCEPT INTERSECT MINUS ELSEIF WHILE UNTIL DEFAULT RETURNS"
  )

  /** Words that continue a query after a relation, so that they are not an alias without AS. */
  private val AfterRelation = words(
    "AS WHERE GROUP HAVING ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET UNION EXCEPT " +
      "MINUS SETMINUS INTERSECT JOIN INNER CROSS LEFT RIGHT FULL SEMI ANTI NATURAL " +
      "LATERAL ON USING PIVOT UNPIVOT SELECT INSERT TABLESAMPLE WINDOW DO THEN " +
      "QUALIFY WHEN WATERMARK ASOF NEAREST"
  )

  /** Words of the clause that an operand follows. */
  private val Operand = words("MEASURES RUNNING FINAL")
}
