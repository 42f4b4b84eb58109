package io.matchrecognize.parser.statement

import scala.collection.mutable

import org.antlr.v4.runtime.CommonToken
import org.apache.spark.sql.catalyst.parser.{SqlBaseLexer => L}

import io.matchrecognize.parser.statement.StatementText._

/**
 * Finds the clauses of a statement among its tokens, never in strings or comments.
 *
 * `match_recognize` is a clause if it follows a relation and its parentheses contain something
 * other than a list of names: `FROM t match_recognize (a, b)` is a table alias. After a keyword of
 * Spark's, which may be the name of a relation, it is a clause unless Spark's grammar reads it
 * where it is, as a function. A clause includes its input's alias and its own, because Spark's
 * grammar has only one alias there; where the words leave a doubt, the grammar also tells which of
 * them are the input's alias.
 *
 * @param read
 *   reads the tokens of a statement without clauses by Spark's grammar, which costs as much as to
 *   parse the statement
 */
private[parser] final class RelationScanner(
    statement: StatementText,
    read: Seq[CommonToken] => Surroundings = new Surroundings(_)
) {
  import RelationAliases._
  import RelationScanner._

  private val tokens = statement.tokens
  private val aliases = new RelationAliases(statement, mayBeClause)

  def groups: Seq[ClauseGroup] = {
    val found = chains(isClause)
    found.map(group(_, without(found)))
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

  private val surroundings = mutable.Map.empty[Set[(Int, Int)], Surroundings]

  /**
   * The statement without clauses and their aliases, and without row patterns in windows if there
   * are any.
   */
  private def without(chains: Seq[Seq[FoundClause]]): Surroundings = {
    val places = chains.map(chain => (chain.head.word, chain.last.last))
    def withoutPlaces: Surroundings = {
      val clauses = places.map { case (first, last) =>
        (first, last, if (followsPipe(first)) nameOfQuery(tokens(first)) else Nil)
      }
      val found = read(statement.replaced(clauses))
      if (found.isReadable || !WindowScanner.mentions(statement.text)) found
      else read(statement.replaced(clauses ++ windows(chains)))
    }
    surroundings.getOrElseUpdate(places.toSet, withoutPlaces)
  }

  private def windows(chains: Seq[Seq[FoundClause]]): Seq[(Int, Int, Seq[CommonToken])] = {
    val groups = chains.map(ClauseGroup(_, None, afterPipe = false, false, false))
    new WindowScanner(statement, groups).unread.map { case (first, last) => (first, last, Nil) }
  }

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
      mayEndRelation(i - 1) && !statement.listsNames(i + 1)

  private def mayEndRelation(i: Int): Boolean = tokens(i).getType match {
    case L.RIGHT_PAREN | L.RIGHT_BRACKET | L.OPERATOR_PIPE | L.QUESTION => true
    case L.PIPE => hasPattern(i + 2)
    case _ if isQuotedName(tokens(i)) || isString(tokens(i)) || isNumber(tokens(i)) => true
    case _ if isIdentifier(tokens(i)) =>
      typeOf(i - 1) == L.DOT || hasPattern(i + 2) ||
      !statement.isKeyword(i) && !Operand(word(tokens(i)))
    case _ => false
  }

  private def hasPattern(open: Int): Boolean = PatternWord.in(statement, open).nonEmpty

  /** Whether a keyword precedes the word, and it may be the name of a function or a mistake. */
  private lazy val isDoubtful: Set[Int] = tokens.indices.filter { i =>
    mayBeClause(i) && (statement.isKeyword(i - 1) || typeOf(i - 1) == L.PIPE) &&
    (NoRelation(word(tokens(i - 1))) || Surroundings.readsCall(statement, i, clausesIn(i)))
  }.toSet

  /** The clauses in the parentheses after a word: their first and last tokens. */
  private def clausesIn(i: Int): Seq[(Int, Int)] = {
    val inside = i + 2 until statement.partner.getOrElse(i + 1, i)
    chains(k => inside.contains(k) && mayBeClause(k) && !statement.isKeyword(k - 1))
      .map(chain => (chain.head.word, chain.last.last))
  }

  /** The words MATCH_RECOGNIZE after a keyword that name a function. */
  private lazy val functions: Set[Int] = {
    val sure = chains(i => mayBeClause(i) && !isDoubtful(i))
    val doubtful = tokens.indices.filter { i =>
      isDoubtful(i) && !sure.exists(chain => chain.head.word < i && i < chain.last.close)
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

  private def group(clauses: Seq[FoundClause], surroundings: => Surroundings): ClauseGroup = {
    val first = clauses.head.word
    if (followsPipe(first)) ClauseGroup(clauses, None, afterPipe = true, false, false)
    else {
      val input = aliases
        .evident(first)
        .orElse(surroundings.endingAt(tokens(first - 1).getStartIndex))
      val alias = input match {
        case Some(found) => found.alias.map(aliases.from(_, first - 1))
        case None => aliases.before(first)
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
        val clause = FoundClause(i, i + 1, close, aliases.after(close + 1))
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

  private def typeOf(i: Int): Int = statement.typeOf(i)
}

private[parser] object RelationScanner {
  def mentions(text: String): Boolean = {
    val word = "match_recognize"
    (0 to text.length - word.length).exists(i => text.regionMatches(true, i, word, 0, word.length))
  }

  /** Words of the clause that an operand follows. */
  private val Operand = words("MEASURES RUNNING FINAL")
}
