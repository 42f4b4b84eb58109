package io.matchrecognize.analysis

import org.apache.spark.sql.catalyst.expressions.Literal.{FalseLiteral, TrueLiteral}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  CollectSet,
  Complete,
  Count,
  Max
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, GlobalLimit, LocalLimit, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.types.BooleanType

import io.matchrecognize.errors.{MatchRecognizeErrors => Errors}
import io.matchrecognize.shims.SubqueryShims

/**
 * Rewrites what Spark supports in its own operators only.
 *
 *   - Functions that stand for others, and common expressions (BETWEEN makes them): Spark would
 *     move a common expression into a Project below the operator, where navigation has no meaning.
 *   - EXISTS becomes a scalar subquery that counts at most one row; an uncorrelated IN becomes one
 *     that collects the values, and a test of membership with IN's rules for NULL.
 */
object ExpressionRewrite {
  def rewrite(expression: Expression): Expression = {
    val replaced = expression.transformUp { case e: RuntimeReplaceable =>
      CurrentOrigin.withOrigin(e.origin)(rewrite(e.replacement))
    }
    inlineCommon(replaced).transformUp {
      case e: Exists => CurrentOrigin.withOrigin(e.origin)(exists(e.plan))
      case e: InSubquery => CurrentOrigin.withOrigin(e.origin)(membership(e))
    }
  }

  private def inlineCommon(expression: Expression): Expression = expression.transformUp {
    case common: With =>
      val definitions = common.defs.map(d => d.id -> d.child).toMap
      common.child.transformUp {
        case reference: CommonExpressionRef if definitions.contains(reference.id) =>
          definitions(reference.id)
      }
  }

  private def aggregate(function: AggregateFunction): Expression =
    AggregateExpression(function, Complete, isDistinct = false, None, NamedExpression.newExprId)

  private def exists(plan: LogicalPlan): Expression = {
    val one = Literal(1)
    val limited = GlobalLimit(one, LocalLimit(one, plan))
    val found = GreaterThan(aggregate(Count(Seq(one))), Literal(0L))
    SubqueryShims.scalar(Aggregate(Nil, Seq(Alias(found, "found")()), limited, None))
  }

  private def membership(in: InSubquery): Expression = (in.values, in.query.plan.output) match {
    case (Seq(value), Seq(column)) =>
      val summary = CreateNamedStruct(
        Seq(
          Literal("count"),
          aggregate(Count(Seq(Literal(1)))),
          Literal("hasNull"),
          aggregate(Max(IsNull(column))),
          Literal("values"),
          aggregate(CollectSet(column))
        )
      )
      val subquery = SubqueryShims.scalar(
        Aggregate(Nil, Seq(Alias(summary, "summary")()), in.query.plan, None)
      )
      def field(index: Int): Expression = GetStructField(subquery, index, None)
      val unknown = Literal(null, BooleanType)
      CaseWhen(
        Seq(
          EqualTo(field(0), Literal(0L)) -> FalseLiteral,
          IsNull(value) -> unknown,
          ArrayContains(field(2), value) -> TrueLiteral,
          field(1) -> unknown
        ),
        Some(FalseLiteral)
      )
    case _ => throw Errors.notYet("IN over several columns with a subquery", in.origin)
  }
}
