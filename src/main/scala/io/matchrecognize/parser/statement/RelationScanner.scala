package io.matchrecognize.parser.statement

import org.antlr.v4.runtime.Token
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
 * @param overTable
 *   WATERMARK, or the TABLESAMPLE of a table, precedes the alias: Spark applies them to the aliased
 *   input, above the place of the clause
 */
private[parser] final case class ClauseGroup(
    clauses: Seq[FoundClause],
    inputAlias: Option[RelationAlias],
    afterPipe: Boolean,
    overTable: Boolean
) {
  def first: Int = clauses.head.word
  def last: Int = clauses.last.last
}

/**
 * Finds the clauses of a statement among its tokens, never in strings or comments.
 *
 * `match_recognize` is a clause if it follows a relation and its parentheses contain something
 * other than a list of names: `FROM t match_recognize (a, b)` is a table alias,
 * `match_recognize(x)` after an operator, a comma or a keyword is a function; both are left to
 * Spark. A clause includes its input's alias and its own, because Spark's grammar has only one
 * alias there.
 */
private[parser] final class RelationScanner(statement: StatementText) {
  import RelationScanner._

  private val tokens = statement.tokens

  def groups: Seq[ClauseGroup] = {
    val found = Seq.newBuilder[ClauseGroup]
    var i = 0
    while (i < tokens.length)
      if (isClause(i)) {
        val group = read(i)
        found += group
        i = group.last + 1
      } else i += 1
    found.result()
  }

  /** The words that begin nested clauses. */
  def within(clause: FoundClause): Seq[Int] =
    (clause.open + 1 until clause.close).filter(isClause)

  private def isClause(i: Int): Boolean =
    isWord(tokens(i), "MATCH_RECOGNIZE") && typeOf(i + 1) == L.LEFT_PAREN && i > 0 &&
      endsRelation(i - 1) && !listsNames(i + 1)

  private def endsRelation(i: Int): Boolean = tokens(i).getType match {
    case L.RIGHT_PAREN | L.OPERATOR_PIPE | L.INTEGER_VALUE => true
    case _ if isQuotedName(tokens(i)) || isString(tokens(i)) => true
    case _ =>
      isIdentifier(tokens(i)) && (typeOf(i - 1) == L.DOT || !NoRelation(word(tokens(i))))
  }

  private def listsNames(open: Int): Boolean = {
    val close = statement.partner.getOrElse(open, tokens.length)
    close > open + 1 && close < tokens.length && (open + 1 until close).forall { k =>
      if ((k - open) % 2 == 1) isName(tokens(k)) else tokens(k).getType == L.COMMA
    } && (close - open) % 2 == 0
  }

  private def read(first: Int): ClauseGroup = {
    var clauses = Vector(one(first))
    while (clauses.last.last + 1 < tokens.length && isClause(clauses.last.last + 1))
      clauses :+= one(clauses.last.last + 1)
    val alias = aliasBefore(first)
    val before = alias.map(_.first).getOrElse(first) - 1
    checkReads(before)
    ClauseGroup(clauses, alias, typeOf(before) == L.OPERATOR_PIPE, overTable(before))
  }

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
      (as || isQuotedName(tokens(at)) || !continuesQuery(at))
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
    AfterRelation(text) || FollowedBy.get(text).exists { next =>
      i + 1 < tokens.length && isWord(tokens(i + 1), next)
    } || (text == "MATCH_RECOGNIZE" && isClause(i))
  }

  /** The alias of a clause's input, read backwards from the clause. */
  private def aliasBefore(clause: Int): Option[RelationAlias] = {
    val last = clause - 1
    val nameAt =
      if (typeOf(last) != L.RIGHT_PAREN) last
      else statement.partner.get(last).filter(listsNames).map(_ - 1).getOrElse(-1)
    if (nameAt < 1 || !isName(tokens(nameAt)) || insideInterval(nameAt)) None
    else if (isWord(tokens(nameAt - 1), "AS")) Some(alias(nameAt, nameAt - 1, last))
    else if (beginsAlias(nameAt)) Some(alias(nameAt, nameAt, last))
    else None
  }

  private def alias(nameAt: Int, first: Int, last: Int): RelationAlias = {
    val columns = (nameAt + 2 until last by 2).map(k => name(tokens(k)))
    RelationAlias(name(tokens(nameAt)), columns, first, last)
  }

  /** Whether the name follows a relation; otherwise it is the relation, or a part of its name. */
  private def beginsAlias(i: Int): Boolean = tokens(i - 1).getType match {
    case L.RIGHT_PAREN =>
      !isWord(tokens(i), "REPEATABLE")
    case _ if isIdentifier(tokens(i - 1)) =>
      typeOf(i - 2) == L.DOT || !BeforeTable(word(tokens(i - 1)))
    case _ => (isQuotedName(tokens(i - 1)) || isLiteral(i - 1)) && !TableWords(word(tokens(i)))
  }

  /** The unit at the end of `WATERMARK ts DELAY OF INTERVAL 10 MINUTES`. */
  private def insideInterval(i: Int): Boolean =
    IntervalUnits(word(tokens(i))) && i > 2 &&
      (isLiteral(i - 1) || isWord(tokens(i - 1), "TO")) && delayBefore(i)

  private def isLiteral(i: Int): Boolean = isString(tokens(i)) || isNumber(tokens(i))

  private def delayBefore(i: Int): Boolean =
    (math.max(1, i - 12) until i).exists { k =>
      isWord(tokens(k), "OF") && isWord(tokens(k - 1), "DELAY")
    }

  private def overTable(last: Int): Boolean = {
    val sample = (math.max(1, last - 40) to last).reverse.find { k =>
      isWord(tokens(k), "TABLESAMPLE") && typeOf(k + 1) == L.LEFT_PAREN &&
      statement.partner.get(k + 1).exists(close => close == last || repeats(close, last))
    }
    sample.exists(k => !isSubquery(k - 1)) || delayBefore(last + 1)
  }

  private def repeats(close: Int, last: Int): Boolean =
    close + 1 < last && isWord(tokens(close + 1), "REPEATABLE") && typeOf(last) == L.RIGHT_PAREN

  /** Whether token `i` closes the parentheses of a query or a join. */
  private def isSubquery(i: Int): Boolean =
    typeOf(i) == L.RIGHT_PAREN && statement.partner.get(i).exists { open =>
      typeOf(open - 1) match {
        case L.COMMA | L.LEFT_PAREN => true
        case Token.EOF => false
        case _ => BeforeTable(word(tokens(open - 1)))
      }
    }

  /** The target of INSERT, UPDATE, DELETE and MERGE is written, not read. */
  private def checkReads(last: Int): Unit = {
    var i = last
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

  /** Words that a table, a join or a subquery follows. */
  private val BeforeTable = words(
    "FROM JOIN LATERAL STREAM USING TABLE INTO UPDATE OVERWRITE OF APPLY VALUES " +
      "AS IN EXISTS TABLESAMPLE WITH"
  )

  private val TableWords = Set("TABLESAMPLE", "WITH")

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
    "WHERE GROUP HAVING ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET UNION EXCEPT " +
      "MINUS SETMINUS INTERSECT JOIN INNER CROSS LEFT RIGHT FULL SEMI ANTI NATURAL " +
      "LATERAL ON USING PIVOT UNPIVOT SELECT INSERT TABLESAMPLE WINDOW DO THEN " +
      "QUALIFY WHEN WATERMARK ASOF NEAREST"
  )

  /** Words that are an alias unless a certain word follows. */
  private val FollowedBy =
    Map("BIN" -> "BY", "FROM" -> "SELECT", "APPROX" -> "NEAREST", "EXACT" -> "NEAREST")
}
