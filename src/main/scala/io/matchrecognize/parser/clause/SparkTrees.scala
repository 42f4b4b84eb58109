package io.matchrecognize.parser.clause

import org.apache.spark.sql.catalyst.parser.SqlBaseParser

import io.matchrecognize.parser.clause.ClauseGrammar.SparkTree
import io.matchrecognize.parser.statement._

/**
 * An expression as parsed by Spark's grammar.
 *
 * @param modifiers
 *   the words RUNNING and FINAL that were hidden from Spark
 * @param parser
 *   builds the expression of the tree
 * @param isShortInterval
 *   the word INTERVAL is left out
 */
private[clause] final case class SparkExpression(
    tree: SqlBaseParser.ExpressionContext,
    modifiers: Seq[RunningFinal],
    parser: TokenParser,
    isShortInterval: Boolean = false
) extends SparkTree

/** CURRENT or UNBOUNDED as the bound of a window frame. */
private[clause] final case class FrameKeyword(word: String) extends SparkTree
