package io.matchrecognize.parser.clause

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, Generator}
import org.apache.spark.sql.catalyst.parser.{ParseException, SqlBaseParser}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.matchrecognize.expressions.MalformedBound
import io.matchrecognize.parser.clause.ClauseGrammar.{BoundContext, ExpressionContext, SparkTree}
import io.matchrecognize.parser.statement._
import io.matchrecognize.shims.MinorClass

/** Builds the expressions of a clause from Spark's parse trees inside the clause's parse tree. */
private[clause] final class ClauseExpressions(statement: StatementText) {

  /** An expression of PARTITION BY or ORDER BY, as Spark parses it. */
  def plain(context: ExpressionContext): Expression = {
    val built = build(context.tree)(inClause)
    new PatternExpressions(statement).checkLambdas(built)
    built
  }

  /** An expression of MEASURES or DEFINE. */
  def inMatch(context: ExpressionContext): Expression = {
    val built = build(context.tree)(inClause)
    val converted = new PatternExpressions(statement).convert(built)
    sparks(context.tree).modifiers.foldRight(converted)(_.put(_))
  }

  /** The bound of WITHIN. */
  def bound(context: BoundContext): Expression =
    try {
      val built = build(context.tree)(e => if (SparkErrors.isLegacy(e)) e else inClause(e))
      new PatternExpressions(statement).checkLambdas(built)
      if (isPath(built) && context.start.getText.equalsIgnoreCase("INTERVAL")) {
        // Without a unit, Spark takes `INTERVAL :w` for a field of a column.
        val colon = statement.tokenAt(context.start.getStopIndex + 1)
        throw SyntaxErrors.unexpected(statement, colon, SyntaxHints.Bound)
      }
      built
    } catch {
      case e: ParseException if isShort(context) || SparkErrors.isLegacy(e) =>
        val whole = statement.origin(context)
        CurrentOrigin.withOrigin(whole) {
          MalformedBound(statement.between(context.start, context.stop))
        }
    }

  private def isPath(e: Expression): Boolean = MinorClass.SemiStructuredExtract.isClassOf(e)

  private def isShort(context: BoundContext): Boolean = sparks(context.tree).isShortInterval

  private def sparks(tree: SparkTree): SparkExpression = tree.asInstanceOf[SparkExpression]

  private def inClause(e: ParseException): ParseException = SparkErrors.inClause(e, statement)

  private def build(tree: SparkTree)(failure: ParseException => ParseException): Expression = {
    val expression = sparks(tree)
    val built =
      try expression.parser.build(expression.tree, statement.text)
      catch { case e: ParseException => throw failure(e) }
    Generators.refuse(built, statement)
    built.transformDown {
      // Spark names a path such as `column:field` by itself.
      case a: Alias if isPath(a.child) => a.child
    }
  }
}

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

/**
 * Refuses calls of Spark's generators (explode, inline, stack ...) in the expressions of a clause.
 * In analysis, Spark would report the plan instead of the call.
 */
private object Generators {
  def refuse(expression: Expression, statement: StatementText): Unit = expression.foreach {
    case call: UnresolvedFunction if isGenerator(call) =>
      val token = statement.tokenAt(call.origin.startIndex.getOrElse(0))
      val plan = Map("plan" -> "MATCH_RECOGNIZE")
      throw SyntaxErrors.spark(statement, token, "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT", plan)
    case _ =>
  }

  private def isGenerator(call: UnresolvedFunction): Boolean = call.nameParts match {
    case Seq(name) =>
      FunctionRegistry.builtin.lookupFunction(FunctionIdentifier(name)).exists { info =>
        info.getGroup == "generator_funcs" || isGenerator(info.getClassName)
      }
    case _ => false
  }

  private def isGenerator(className: String): Boolean = {
    val loader = classOf[Generator].getClassLoader
    classOf[Generator].isAssignableFrom(Class.forName(className, false, loader))
  }
}
