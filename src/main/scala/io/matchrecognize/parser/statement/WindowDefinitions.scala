package io.matchrecognize.parser.statement

import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.parser.{SqlBaseLexer => L}

import io.matchrecognize.parser.statement.StatementText._

/** The WINDOW clauses of a statement, `WINDOW name AS (...), name AS (...)`. */
private[statement] object WindowDefinitions {

  /** Where the definitions have their AS; none if no WINDOW clause begins at the token. */
  def from(statement: StatementText, window: Int): Seq[Int] = {
    val tokens = statement.tokens
    def typeOf(i: Int) = if (i < tokens.length) tokens(i).getType else Token.EOF
    def isNamed(i: Int) =
      i + 1 < tokens.length && isName(tokens(i)) && isWord(tokens(i + 1), "AS")
    if (!isWord(tokens(window), "WINDOW")) Nil
    else
      Iterator
        .unfold(window + 1) { first =>
          Option.when(isNamed(first)) {
            val as = first + 1
            val last =
              if (typeOf(as + 1) == L.LEFT_PAREN)
                statement.partner.getOrElse(as + 1, tokens.length)
              else as + 1
            (as, if (typeOf(last + 1) == L.COMMA) last + 2 else tokens.length)
          }
        }
        .toSeq
  }

  /** Those of all WINDOW clauses. */
  def in(statement: StatementText): Seq[Int] = statement.tokens.indices.flatMap(from(statement, _))
}
