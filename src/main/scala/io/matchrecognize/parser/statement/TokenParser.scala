package io.matchrecognize.parser.statement

import scala.jdk.CollectionConverters._

import org.antlr.v4.runtime.{CommonToken, CommonTokenStream, ListTokenSource, Token}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.SqlBaseParser
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.ExpressionContext
import org.apache.spark.sql.execution.SparkSqlParser

/**
 * Spark's parser on tokens that are already there instead of a text: with its settings, its caches
 * and its two attempts, fast prediction first. The text that it is called with is never lexed; trees
 * and errors quote it.
 */
private[parser] final class TokenParser(val tokens: CommonTokenStream) extends SparkSqlParser {
  override protected def parse[T](text: String)(read: SqlBaseParser => T): T =
    super.parse(text) { parser =>
      tokens.seek(0)
      parser.setTokenStream(tokens)
      read(parser)
    }

  /** Reads a piece of the tokens. */
  def read[T](text: String)(read: SqlBaseParser => T): T = parse(text)(read)

  /** Makes the expression of a tree; its nodes have their place in `text` from the beginning. */
  def build(tree: ExpressionContext, text: String): Expression = parse(text) { _ =>
    withErrorHandling(tree, Some(text))(astBuilder.visit(tree).asInstanceOf[Expression])
  }
}

private[parser] object TokenParser {
  def apply(tokens: Seq[CommonToken]): TokenParser = {
    val stream = new CommonTokenStream(new ListTokenSource(tokens.map(t => t: Token).asJava))
    // Numbers the tokens.
    stream.fill()
    new TokenParser(stream)
  }
}
