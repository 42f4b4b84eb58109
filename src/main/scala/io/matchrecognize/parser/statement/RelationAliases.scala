package io.matchrecognize.parser.statement

import org.apache.spark.sql.catalyst.parser.{SqlBaseLexer => L}

import io.matchrecognize.parser.statement.StatementText._

/**
 * Reads the aliases before and after the clauses of a statement.
 *
 * @param mayBeClause
 *   whether a token may begin a clause, so that it is not an alias
 */
private[statement] final class RelationAliases(
    statement: StatementText,
    mayBeClause: Int => Boolean
) {
  import RelationAliases._

  private val tokens = statement.tokens

  /**
   * What precedes a clause, if its last tokens tell: a name that is not a keyword, or parentheses,
   * after FROM or JOIN; and such a name after those, with or without AS. None if only Spark's
   * grammar can tell, as for `(k)`, which may be the columns of an alias or the end of a join.
   */
  def evident(clause: Int): Option[Surrounding] = {
    val last = clause - 1
    val end = if (isAs(last - 1)) last - 2 else last - 1
    def surrounding(alias: Option[Int]) = Surrounding(alias, sampled = false, watermarked = false)
    if (isRelation(last)) Some(surrounding(None))
    else if (isPlainName(last) && isRelation(end))
      Some(surrounding(Some(tokens(end + 1).getStartIndex)))
    else None
  }

  /** Whether a name or a pair of parentheses ends at a token and follows FROM or JOIN. */
  private def isRelation(last: Int): Boolean =
    if (statement.typeOf(last) == L.RIGHT_PAREN)
      statement.partner.get(last).exists(open => !statement.listsNames(open) && isRead(open - 1))
    else {
      var first = last
      while (statement.typeOf(first - 1) == L.DOT) first -= 2
      isPlainName(first) && isPlainName(last) && isRead(first - 1)
    }

  /** Whether a token is FROM or JOIN and not a name: what precedes it has ended. */
  private def isRead(i: Int): Boolean = i >= 0 && {
    val before = statement.typeOf(i - 1)
    def ends = i > 0 && PatternWord.endsOperand(tokens(i - 1)) &&
      !NoRelation(word(tokens(i - 1)))
    word(tokens(i)) match {
      case "FROM" => i == 0 || before == L.LEFT_PAREN || isStar(i - 1) || ends
      case "JOIN" => ends
      case _ => false
    }
  }

  /** Whether a token is the `*` of a SELECT list, not that of a product. */
  private def isStar(i: Int): Boolean = statement.typeOf(i) == L.ASTERISK && i > 0 &&
    (Set(L.COMMA, L.DOT)(statement.typeOf(i - 1)) || BeforeStar(word(tokens(i - 1))))

  private def isPlainName(i: Int): Boolean =
    i >= 0 && isName(tokens(i)) &&
      (!statement.isKeyword(i) || isWord(tokens(i), BinaryPrefix))

  private def isAs(i: Int): Boolean = i >= 0 && isWord(tokens(i), "AS")

  /**
   * The alias from a place in the text to the token `last`. Spark takes `FROM t WHERE (a)` for an
   * alias with a column, which is not what anybody means: it is refused.
   */
  def from(place: Int, last: Int): RelationAlias = {
    val first = tokens.lastIndexWhere(_.getStartIndex == place, last)
    val as = isAs(first) && first < last && isName(tokens(first + 1))
    val nameAt = if (as) first + 1 else first
    val isPlain = nameAt == last ||
      statement.listsNames(nameAt + 1) && statement.partner(nameAt + 1) == last
    if (!isPlain || !as && AfterRelation(word(tokens(nameAt))))
      throw SyntaxErrors.unexpected(statement, tokens(last + 1), NotRead)
    alias(nameAt, first, last)
  }

  /** The alias of a clause's input in a statement that Spark's grammar does not read. */
  def before(clause: Int): Option[RelationAlias] = {
    val last = clause - 1
    val nameAt =
      if (statement.typeOf(last) != L.RIGHT_PAREN) last
      else statement.partner.get(last).filter(statement.listsNames).map(_ - 1).getOrElse(-1)
    if (nameAt < 1 || !isPlainName(nameAt)) None
    else if (isAs(nameAt - 1)) Some(alias(nameAt, nameAt - 1, last))
    else if (followsRelation(nameAt)) Some(alias(nameAt, nameAt, last))
    else None
  }

  /** Whether the name follows a relation; otherwise it is the relation, or a part of its name. */
  private def followsRelation(i: Int): Boolean =
    statement.typeOf(i - 1) == L.RIGHT_PAREN || isPlainName(i - 1)

  /** The alias of a clause that ends before a token. */
  def after(i: Int): Option[RelationAlias] = {
    val as = isAs(i)
    val at = if (as) i + 1 else i
    val named = at < tokens.length && isName(tokens(at)) &&
      (if (as) !statement.isKeyword(at) || Surroundings.readsAlias(statement, i, at)
       else isQuotedName(tokens(at)) || !continuesQuery(at))
    Option.when(named) {
      val hasColumns =
        statement.typeOf(at + 1) == L.LEFT_PAREN && statement.listsNames(at + 1)
      alias(at, i, if (hasColumns) statement.partner(at + 1) else at)
    }
  }

  /** Whether a word after a relation continues the query, so that it is not an alias. */
  private def continuesQuery(i: Int): Boolean = {
    val text = word(tokens(i))
    AfterRelation(text) || (text == "MATCH_RECOGNIZE" && mayBeClause(i)) ||
    statement.isKeyword(i) && !Surroundings.readsAlias(statement, i, i)
  }

  private def alias(nameAt: Int, first: Int, last: Int): RelationAlias = {
    val columns = (nameAt + 2 until last by 2).map(k => name(tokens(k)))
    RelationAlias(name(tokens(nameAt)), columns, first, last)
  }
}

private[parser] object RelationAliases {
  val NotRead = "MATCH_RECOGNIZE follows a table, view, subquery or table function that is read"

  /** Words that do not end a relation: a name or an operand follows them. */
  private[statement] val NoRelation = words(
    "SELECT DISTINCT ALL FROM JOIN WHERE AND OR NOT ON BY HAVING WHEN THEN ELSE " +
      "CASE IN BETWEEN LIKE ILIKE RLIKE AS FUNCTION TABLE VIEW INTO UPDATE USING " +
      "WITH SET RETURN CALL PROCEDURE IF EXISTS IS COLUMNS COLUMN DIV OVER VALUES " +
      "LATERAL LIMIT OFFSET STREAM OVERWRITE DESCRIBE DESC EXPLAIN DROP QUALIFY ANY " +
      "SOME UNION EXCEPT INTERSECT MINUS ELSEIF WHILE UNTIL DEFAULT RETURNS"
  )

  /** A keyword before a string only, as in X'0A', and a common alias. */
  private final val BinaryPrefix = "X"

  private val BeforeStar = words("SELECT ALL DISTINCT")

  /** Words that continue a query after a relation, so that they are not an alias without AS. */
  private val AfterRelation = words(
    "AS WHERE GROUP HAVING ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET UNION EXCEPT " +
      "MINUS SETMINUS INTERSECT JOIN INNER CROSS LEFT RIGHT FULL SEMI ANTI NATURAL " +
      "LATERAL ON USING PIVOT UNPIVOT SELECT INSERT TABLESAMPLE WINDOW DO THEN " +
      "QUALIFY WHEN WATERMARK ASOF NEAREST"
  )
}
