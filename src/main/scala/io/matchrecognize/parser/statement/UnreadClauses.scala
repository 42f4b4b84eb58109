package io.matchrecognize.parser.statement

import java.util.Locale

import scala.util.Try

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.parser.{ParseException, SqlBaseLexer}

import io.matchrecognize.errors.UserText

/**
 * Hints for what looks like a clause and is not one, because of a misspelt keyword, a missing table
 * or missing parentheses. Spark's parser takes the keyword for an alias or a function and fails in
 * the middle of the clause.
 */
private[parser] object UnreadClauses {
  private val Keyword = "MATCH_RECOGNIZE"
  private val Parts = StatementText.words("PARTITION ORDER MEASURES ONE ALL AFTER PATTERN")

  def explained(e: ParseException, text: String): ParseException =
    if (
      e.getCondition != "PARSE_SYNTAX_ERROR" || !text.toUpperCase(Locale.ROOT).contains("PATTERN")
    ) e
    else Try(new StatementText(text)).toOption.fold(e)(explained(e, _, Set.empty))

  /** @param found the words of the clauses that were found */
  def explained(e: ParseException, statement: StatementText, found: Set[Int]): ParseException =
    if (e.getCondition != "PARSE_SYNTAX_ERROR") e
    else
      statement.tokens.indices
        .filterNot(found)
        .flatMap(i => hint(statement, i).filter(_ => holds(statement, i, e)).map(i -> _))
        .lastOption
        .fold(e) { case (i, hint) =>
          SyntaxErrors.unexpected(statement, statement.tokens(i), hint)
        }

  private def hint(statement: StatementText, i: Int): Option[String] = {
    val word = statement.wordAt(i)
    val isTwoWords = word == "MATCH" && UserText.isNear(statement.wordAt(i + 1), "RECOGNIZE")
    val isKeyword = word == Keyword || isTwoWords || word.nonEmpty && UserText.isNear(word, Keyword)
    if (!isKeyword || !hasPattern(statement, i)) None
    else if (word == Keyword && opens(statement, i + 1)) Some(RelationScanner.notRead(statement, i))
    else if (word == Keyword)
      Option.when(Parts(statement.wordAt(i + 1)))("the clause is in parentheses")
    else Some(s"the keyword is $Keyword")
  }

  private def opens(statement: StatementText, i: Int): Boolean =
    statement.typeOf(i) == SqlBaseLexer.LEFT_PAREN

  /** The last token of what may be a clause. */
  private def end(statement: StatementText, i: Int): Int =
    (i + 1 to i + 2)
      .find(opens(statement, _))
      .flatMap(statement.partner.get)
      .getOrElse(statement.tokens.length - 1)

  private def hasPattern(statement: StatementText, i: Int): Boolean =
    (i to end(statement, i)).exists { k =>
      statement.wordAt(k) == "PATTERN" && opens(statement, k + 1)
    }

  /** Whether Spark's parser failed in the clause. */
  private def holds(statement: StatementText, i: Int, e: ParseException): Boolean = {
    def isBefore(token: Token): Boolean =
      e.line.exists(_ > token.getLine) || e.line.contains(token.getLine) &&
        e.startPosition.exists(_ >= token.getCharPositionInLine)
    isBefore(statement.tokens(i)) && !statement.tokens
      .lift(end(statement, i) + 1)
      .exists(isBefore)
  }
}
