package io.matchrecognize.parser

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.expressions.Expression

import io.matchrecognize.shims.StatementParameters

/**
 * A statement whose text Spark keeps, as that of a view: the text outlives the values of parameter
 * markers, so the values are put into it, as Spark does where it replaces the markers itself.
 *
 * @param positions
 *   code points of the positional markers in their order
 */
private[parser] final class KeptText(
    statement: StatementText,
    parameters: StatementParameters,
    positions: Seq[Int]
) {
  private val tokens = statement.tokens
  private val byPosition = positions.zip(parameters.positional).toMap

  /** First and last code point of the markers, with their values. */
  private val replaced: Seq[(Int, Int, Expression)] = tokens.indices.flatMap { i =>
    val start = tokens(i).getStartIndex
    if (byPosition.contains(start)) Some((start, start, byPosition(start)))
    else if (isNamed(i))
      parameters.named
        .get(StatementText.name(tokens(i + 1)))
        .map((start, tokens(i + 1).getStopIndex, _))
    else None
  }

  val text: String = {
    val result = new StringBuilder
    val end = replaced.foldLeft(0) { case (from, (start, stop, value)) =>
      // Blanks, because a sign may stand on either side.
      result.append(piece(from, start)).append(' ').append(value.sql).append(' ')
      stop + 1
    }
    result.append(piece(end, statement.codePoints.length)).toString
  }

  private def piece(from: Int, until: Int): String =
    new String(statement.codePoints, from, until - from)

  /** `:name`, but not the path of `column:name`. */
  private def isNamed(i: Int): Boolean = tokens(i).getType == MatchRecognizeLexer.COLON &&
    tokens.isDefinedAt(i + 1) && StatementText.isName(tokens(i + 1)) &&
    (i == 0 || !endsOperand(tokens(i - 1)) ||
      tokens(i - 1).getStopIndex + 1 < tokens(i).getStartIndex)

  private def endsOperand(token: Token): Boolean =
    StatementText.isName(token) || token.getType == MatchRecognizeLexer.RIGHT_PAREN ||
      token.getType == MatchRecognizeLexer.RIGHT_BRACKET
}

private[parser] object KeptText {
  def isKept(statement: StatementText): Boolean =
    statement.tokens.headOption.exists(first => Keeping(StatementText.word(first)))

  private val Keeping = Set("CREATE", "ALTER", "CACHE")
}
