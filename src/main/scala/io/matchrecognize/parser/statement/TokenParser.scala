package io.matchrecognize.parser.statement

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.{CharStreams, CommonToken, CommonTokenStream, ListTokenSource, Token}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.ExpressionContext
import org.apache.spark.sql.catalyst.parser.{ParseException, SqlBaseLexer, SqlBaseParser}
import org.apache.spark.sql.execution.SparkSqlParser

/**
 * Spark's parser over existing tokens instead of a text, with its settings, its caches and its two
 * prediction modes, the fast one first. The text that it is called with is never lexed, nor copied
 * for each expression; trees and errors quote it.
 */
private[parser] final class TokenParser(val tokens: WatchedTokens) extends SparkSqlParser {

  /** Parses a piece of the tokens. */
  override def parse[T](text: String)(read: SqlBaseParser => T): T =
    try
      super.parse(TokenParser.Unread) { parser =>
        tokens.seek(0)
        parser.setTokenStream(tokens)
        read(parser)
      }
    catch {
      case e: ParseException if e.command.contains(TokenParser.Unread) => throw e.withCommand(text)
    }

  /** Builds the expression of a tree; the origins of its nodes are in `text`. */
  def build(tree: ExpressionContext, text: String): Expression = parse(text) { _ =>
    withErrorHandling(tree, Some(text))(astBuilder.visit(tree).asInstanceOf[Expression])
  }
}

private[parser] object TokenParser {
  private final val Unread = "tokens"

  def apply(tokens: Seq[CommonToken]): TokenParser = {
    val stream = new WatchedTokens(tokens)
    // Numbers the tokens.
    stream.fill()
    new TokenParser(stream)
  }
}

/** Tokens that record how far the parser has looked: up to the one that fits no alternative. */
private[parser] final class WatchedTokens(tokens: Seq[CommonToken])
    extends CommonTokenStream(new ListedTokens(tokens)) {
  private var last = 0

  /** The index of the last token that was looked at since the restart. */
  def farthest: Int = last

  def restart(place: Int): Unit = {
    last = place
    seek(place)
  }

  override def LT(k: Int): Token = {
    val token = super.LT(k)
    if (token != null && token.getTokenIndex > last) last = token.getTokenIndex
    token
  }
}

/**
 * Existing tokens as a lexer: where Spark's grammar reads the type `STRUCT<>`, it takes the source
 * of its tokens for one.
 */
private final class ListedTokens(tokens: Seq[CommonToken])
    extends SqlBaseLexer(CharStreams.fromString("")) {
  private val source = new ListTokenSource(tokens.map(t => t: Token).asJava)

  override def nextToken(): Token = source.nextToken()
}
