package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, Literal}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{Command, Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.types.{DataType, StringType}

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, UserText}
import io.matchrecognize.plans.{ClauseResult, MatchRecognize, PatternClause}

/**
 * A table function that searches the partitions of a query's outermost clause: it analyses the text
 * of the query and puts a node of its own in place of the clause; what the query does with the
 * matches is left out. The first two parameters are the query and the condition of the partitions.
 *
 * @param signature
 *   its parameters as errors show them
 */
private[functions] abstract class ClauseFunction(
    name: String,
    parameters: Seq[String],
    usage: String,
    signature: String
) extends TextFunction(name, parameters, usage) {
  protected final def wrongArgument(argument: String, origin: Origin): Throwable =
    Errors.callArgument(name, signature, argument, origin)

  /** What takes the place of a clause. */
  protected def node(
      clause: PatternClause,
      input: LogicalPlan,
      arguments: Map[String, Expression],
      origin: Origin
  ): LogicalPlan

  override protected def build(arguments: Seq[Expression]): LogicalPlan = {
    val origin = CurrentOrigin.get
    val values = named(arguments)(wrongArgument(_, origin))
    val query = text(values.get("query"), origin).getOrElse {
      throw wrongArgument(s"$name(${arguments.map(_.sql).mkString(", ")})", origin)
    }
    val condition = text(values.get("partition"), origin)
    val found = clauseOf(query, origin)
    val input = condition.fold(found.child)(partition(found, _, origin))
    val result = node(found.clause, input, values, origin)
    // Self-joins give the aliases new ids.
    ClauseResult(Project(result.output.map(column => Alias(column, column.name)()), result))
  }

  protected final def constant(
      argument: Expression,
      dataType: DataType,
      origin: Origin
  ): Option[Any] =
    QueryText
      .constant(argument, dataType)
      .getOrElse(throw wrongArgument(UserText.of(argument), origin))

  private def text(argument: Option[Expression], origin: Origin): Option[String] =
    argument.flatMap(constant(_, StringType, origin)).map(_.toString)

  private def clauseOf(query: String, origin: Origin): MatchRecognize = {
    val analyzed = QueryText.statement(query)
    // The input of a clause may refer to a WITH outside it.
    outermost(InlineCTE(alwaysInline = true)(analyzed)).distinctBy(_.canonicalized) match {
      case Seq(node) if node.isStreaming => throw Errors.callOfStream(name, origin)
      case Seq(node) => node
      case Nil if analyzed.isInstanceOf[Command] => throw Errors.callOfStatement(name, origin)
      case Nil =>
        throw ForeignText
          .withClause(analyzed)
          .fold(Errors.callWithoutClause(name, origin))(Errors.callOfText(name, _, origin))
      case several => throw Errors.callOfSeveral(name, several.length, origin)
    }
  }

  private def outermost(plan: LogicalPlan): Seq[MatchRecognize] = plan match {
    case node: MatchRecognize => Seq(node)
    case part if ForeignText.isOpened(part) => Nil
    case other => other.children.flatMap(outermost)
  }

  /** The rows of the partitions for which the condition holds. */
  private def partition(node: MatchRecognize, condition: String, origin: Origin): LogicalPlan = {
    val rows = QueryText.analyzed(parser => Filter(parser.parseExpression(condition), node.child))
    val keys = node.clause.partitionSpec
    val other = rows.expressions.flatMap { e =>
      e.transform {
        case key if keys.exists(_.semanticEquals(key)) =>
          Literal.create(null, key.dataType)
      }.collect { case column: Attribute => column.name }
    }
    if (other.nonEmpty) throw Errors.callPartition(name, condition, keys, other.distinct, origin)
    rows
  }
}
