package io.matchrecognize.analysis.trace

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, Literal}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalLimit, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.types.{DataType, IntegerType, StringType}

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors, UserText}
import io.matchrecognize.plans.{ClauseResult, MatchRecognize, TraceMatchRecognize}

/**
 * The table function `match_recognize_trace`: analyses the text of a query and puts a
 * [[TraceMatchRecognize]] in place of its outermost clause; what the query does with the matches is
 * left out.
 */
object TraceFunction
    extends TextFunction(
      "match_recognize_trace",
      Seq("query", "partition", "max_rows"),
      "_FUNC_(query[, partition[, max_rows]]) - Returns the steps of the search that the " +
        "MATCH_RECOGNIZE of a query makes, in the partitions for which a condition holds."
    ) {
  private final val DefaultRows = 10000
  private final val MostRows = 1000000

  override protected def build(arguments: Seq[Expression]): LogicalPlan = {
    val origin = CurrentOrigin.get
    val values = named(arguments)(Errors.traceArgument(_, origin))
    val query = text(values.get("query"), origin).getOrElse {
      val call = s"${description._1.funcName}(${arguments.map(_.sql).mkString(", ")})"
      throw Errors.traceArgument(call, origin)
    }
    val condition = text(values.get("partition"), origin)
    val maxRows = rows(values.get("max_rows"), origin)
    val node = clauseOf(query, origin)
    val input = condition.fold(node.child)(partition(node, _, origin))
    val trace = TraceMatchRecognize(
      node.clause.copy(measures = Nil),
      maxRows,
      TraceMatchRecognize.newOutput,
      // One more than allowed, so that a large table is not read to its end.
      LocalLimit(Literal(maxRows + 1), input)
    )
    // Self-joins give the aliases new ids.
    ClauseResult(Project(trace.output.map(column => Alias(column, column.name)()), trace))
  }

  private def constant(argument: Expression, dataType: DataType, origin: Origin): Option[Any] =
    QueryText
      .constant(argument, dataType)
      .getOrElse(throw Errors.traceArgument(UserText.of(argument), origin))

  private def text(argument: Option[Expression], origin: Origin): Option[String] =
    argument.flatMap(constant(_, StringType, origin)).map(_.toString)

  private def rows(argument: Option[Expression], origin: Origin): Int =
    argument.flatMap(constant(_, IntegerType, origin)).fold(DefaultRows) {
      case count: Int if count >= 1 && count <= MostRows => count
      case other => throw Errors.traceArgument(s"max_rows = $other", origin)
    }

  private def clauseOf(query: String, origin: Origin): MatchRecognize = {
    val analyzed = QueryText.statement(query)
    // The input of a clause may refer to a WITH outside it.
    outermost(InlineCTE(alwaysInline = true)(analyzed)).distinctBy(_.canonicalized) match {
      case Seq(node) if node.isStreaming => throw Errors.traceOfStream(origin)
      case Seq(node) => node
      case Nil => throw Errors.traceWithoutClause(origin)
      case several => throw Errors.traceOfSeveral(several.length, origin)
    }
  }

  private def outermost(plan: LogicalPlan): Seq[MatchRecognize] = plan match {
    case node: MatchRecognize => Seq(node)
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
    if (other.nonEmpty) throw Errors.traceCondition(condition, keys, other.distinct, origin)
    rows
  }
}
