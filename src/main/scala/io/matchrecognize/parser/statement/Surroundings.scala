package io.matchrecognize.parser.statement

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.antlr.v4.runtime.atn.PredictionMode
import org.antlr.v4.runtime.tree.{ParseTree, TerminalNode}
import org.antlr.v4.runtime.{CommonToken, ParserRuleContext, Token}
import org.apache.spark.sql.catalyst.parser.SqlBaseParser

/**
 * What Spark's grammar reads just before a clause.
 *
 * @param alias
 *   the place in the text where the relation's alias begins
 * @param sampled
 *   the relation is a table with TABLESAMPLE, which Spark applies to the aliased table
 * @param watermarked
 *   the relation has a WATERMARK, which Spark applies to the aliased relation
 */
private[statement] final case class Surrounding(
    alias: Option[Int],
    sampled: Boolean,
    watermarked: Boolean
)

/**
 * A statement as Spark's grammar reads it without its clauses. Most keywords of Spark's grammar are
 * names too, so that only the grammar knows whether `using (k)` is an alias with a column or the
 * end of a join, and what a TABLESAMPLE belongs to.
 */
private[statement] final class Surroundings(tokens: Seq[CommonToken]) {
  import Surroundings._

  private val tree: Option[ParserRuleContext] = {
    def read(rule: SqlBaseParser => ParserRuleContext): Try[ParserRuleContext] =
      Try(TokenParser(tokens.map(new CommonToken(_))).read("")(rule))
    val asStatement = read(_.compoundOrSingleStatement()).toOption
    // As an expression, `SELECT * FORM t` is a product with a name.
    val isStatement = tokens.find(_.getChannel == Token.DEFAULT_CHANNEL).exists { first =>
      Set("SELECT", "FROM", "WITH")(StatementText.word(first))
    }
    if (asStatement.isDefined || isStatement) asStatement
    else read(_.singleExpression()).toOption
  }

  def isReadable: Boolean = tree.isDefined

  /** What ends with the token at a place, None if Spark's grammar cannot read the statement. */
  def endingAt(place: Int): Option[Surrounding] = tree.map { root =>
    val path = pathTo(root, place)
    val alias = path.find(isAlias(_, path))
    val relation = path.find(context => Relations(ruleOf(context)) && endsAt(context, place))
    def has(rule: String) = relation.exists(childrenOf(_).exists(ruleOf(_) == rule))
    Surrounding(
      alias.map(firstOf),
      sampled = has("sample") && !relation.exists(_.start.getText == "("),
      watermarked = has("watermarkClause")
    )
  }

  /** Whether the grammar has a rule for the word at a place; Spark keeps some texts unread. */
  def isRead(place: Int): Boolean = tree.exists { root =>
    !Unread(ruleOf(pathTo(root, place).head))
  }

  /** The contexts that contain the token at a place, the innermost first. */
  private def pathTo(root: ParserRuleContext, place: Int): List[ParserRuleContext] = {
    def below(context: ParserRuleContext): Option[ParserRuleContext] =
      childrenOf(context).collectFirst {
        case child: ParserRuleContext if covers(child, place) => child
      }
    Iterator.unfold(Option(root))(_.map(context => (context, below(context)))).toList.reverse
  }

  private def covers(context: ParserRuleContext, place: Int): Boolean =
    context.start != null && context.stop != null && context.start.getStartIndex <= place &&
      context.stop.getStartIndex >= place

  private def endsAt(context: ParserRuleContext, place: Int): Boolean =
    context.stop.getStartIndex == place

  /** The alias of a relation, or of a PIVOT and the like, which has no rule of its own. */
  private def isAlias(context: ParserRuleContext, path: Seq[ParserRuleContext]): Boolean =
    ruleOf(context) == "tableAlias" ||
      ruleOf(context) == "errorCapturingIdentifier" && path.exists { outer =>
        ExtensionsWithAlias(ruleOf(outer)) && childrenOf(outer).lastOption.contains(context)
      }

  /** Where an alias begins: with its AS. */
  private def firstOf(alias: ParserRuleContext): Int = {
    val siblings = childrenOf(alias.getParent)
    siblings.lift(siblings.indexOf(alias) - 1) match {
      case Some(as: TerminalNode) if as.getText.equalsIgnoreCase("AS") =>
        as.getSymbol.getStartIndex
      case _ => alias.start.getStartIndex
    }
  }
}

private object Surroundings {
  // By names, because not every Spark minor has all of these rules.
  private val Relations =
    Set("relationPrimary", "streamRelationPrimary", "tableFunctionCallWithTrailingClauses")
  private val ExtensionsWithAlias = Set("pivotClause", "unpivotClause", "binByClause")

  // SET and some other commands take any text.
  private val Unread = Set("statement", "setResetStatement")

  /**
   * Whether Spark's grammar takes the words from one token to another, which follow a relation, for
   * its alias. It looks as far ahead as it has to, here at what may follow a relation anywhere in a
   * statement.
   */
  def readsAlias(statement: StatementText, first: Int, last: Int): Boolean = {
    val places = Seq(first, last).map(statement.tokens(_).getStartIndex)
    val rest = statement.all.dropWhile(_.getStartIndex < places.head).map(new CommonToken(_))
    Try(TokenParser(rest).read("") { parser =>
      parser.getInterpreter.setPredictionMode(PredictionMode.SLL)
      parser.tableAlias().strictIdentifier()
    }).toOption.exists { name =>
      name != null && name.exception == null && name.start.getStartIndex == places.last
    }
  }

  /**
   * Whether Spark's grammar reads a word and the parentheses after it as a call.
   *
   * @param clauses
   *   those in the parentheses, which the grammar does not know: their first and last tokens
   */
  def readsCall(statement: StatementText, word: Int, clauses: Seq[(Int, Int)]): Boolean =
    statement.partner.get(word + 1).exists { close =>
      val places = statement.tokens(word).getStartIndex to statement.tokens(close).getStartIndex
      val without = statement.replaced(clauses.map { case (first, last) => (first, last, Nil) })
      val call = without.filter(token => places.contains(token.getStartIndex))
      def reads(rule: SqlBaseParser => ParserRuleContext): Boolean =
        Try(TokenParser(call.map(new CommonToken(_))).read("") { parser =>
          rule(parser)
          parser.getCurrentToken.getType == Token.EOF
        }).getOrElse(false)
      reads(_.expression()) || reads(_.relationPrimary())
    }

  private def ruleOf(tree: ParseTree): String = tree match {
    case context: ParserRuleContext => SqlBaseParser.ruleNames(context.getRuleIndex)
    case _ => ""
  }

  private def childrenOf(context: ParserRuleContext): Seq[ParseTree] =
    Option(context.children).map(_.asScala.toSeq).getOrElse(Nil)
}
