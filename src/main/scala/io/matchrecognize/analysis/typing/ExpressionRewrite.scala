package io.matchrecognize.analysis.typing

import org.apache.spark.sql.catalyst.expressions.Literal.{FalseLiteral, TrueLiteral}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  CollectList,
  Complete,
  Count,
  Max
}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Distinct,
  GlobalLimit,
  LocalLimit,
  LogicalPlan
}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.types.BooleanType

import io.matchrecognize.expressions.InCollectedSet

/**
 * Rewrites expressions that Spark supports only in its own operators.
 *
 *   - Replaceable functions, and common expressions (as of BETWEEN): Spark would move a common
 *     expression into a Project below the operator, where navigation has no meaning.
 *   - EXISTS becomes a scalar subquery that counts at most one row; an uncorrelated IN becomes a
 *     subquery that collects the values, and a membership test with IN's rules for NULL.
 */
object ExpressionRewrite {
  def rewrite(expression: Expression): Expression = inOperator(plain(expression))

  /** Replaces functions; keeps common expressions only where they must be evaluated once. */
  def plain(expression: Expression): Expression = {
    val replaced = expression.transformUp { case e: RuntimeReplaceable =>
      CurrentOrigin.withOrigin(e.origin)(plain(e.replacement))
    }
    inlineCommon(replaced)(_.defs.forall(_.deterministic))
  }

  /** Completes [[plain]] for an expression that the operator itself evaluates. */
  def inOperator(expression: Expression): Expression =
    subqueries(inlineCommon(expression)(_ => true))

  /**
   * Rewrites the subqueries that are resolved and uncorrelated. A row with a Python function stays:
   * the rewrite would put it into a lambda, where Spark does not support it.
   */
  def subqueries(expression: Expression): Expression = expression.transformUp {
    case e: Exists if e.resolved && e.children.isEmpty =>
      CurrentOrigin.withOrigin(e.origin)(exists(e.plan))
    case e: InSubquery
        if e.resolved && e.query.children.isEmpty &&
          (e.values.length == 1 || !e.values.exists(_.exists(_.isInstanceOf[PythonUDF]))) =>
      CurrentOrigin.withOrigin(e.origin)(membership(e))
  }

  private def inlineCommon(expression: Expression)(wanted: With => Boolean): Expression =
    expression.transformUp {
      case common: With if wanted(common) =>
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
    ScalarSubquery(Aggregate(Nil, Seq(Alias(found, "found")()), limited, None))
  }

  /**
   * One subquery collects the values, and a hash set of them decides unless a NULL is compared.
   * `(a, b) IN ...` with a NULL compares with AND, which has the NULL rules of rows: FALSE if one
   * column differs, else UNKNOWN.
   */
  private def membership(in: InSubquery): Expression = {
    val columns = in.query.plan.output
    val isRow = columns.length > 1
    val element = if (isRow) CreateStruct(columns) else columns.head
    val hasNull = columns.map(IsNull(_): Expression).reduce(Or(_, _))
    val summary = CreateNamedStruct(
      Seq(
        Literal("count"),
        aggregate(Count(Seq(Literal(1)))),
        Literal("hasNull"),
        aggregate(Max(hasNull)),
        Literal("values"),
        aggregate(new CollectList(element))
      )
    )
    val subquery = ScalarSubquery(
      Aggregate(Nil, Seq(Alias(summary, "summary")()), Distinct(in.query.plan), None)
    )
    def field(index: Int): Expression = GetStructField(subquery, index, None)
    if (isRow) {
      val row = NamedLambdaVariable("row", element.dataType, nullable = false)
      val equal = in.values.zipWithIndex.map { case (value, i) =>
        EqualTo(GetStructField(row, i, None), value)
      }
      val isKnown = in.values.map(IsNotNull(_): Expression).reduce(And(_, _))
      CaseWhen(
        Seq(
          And(isKnown, InCollectedSet(field(2), CreateStruct(in.values))) -> TrueLiteral,
          And(isKnown, Not(field(1))) -> FalseLiteral
        ),
        Some(
          ArrayExists(field(2), LambdaFunction(equal.reduce[Expression](And(_, _)), Seq(row)), true)
        )
      )
    } else {
      val value = in.values.head
      val unknown = Literal(null, BooleanType)
      CaseWhen(
        Seq(
          EqualTo(field(0), Literal(0L)) -> FalseLiteral,
          IsNull(value) -> unknown,
          InCollectedSet(field(2), value) -> TrueLiteral,
          field(1) -> unknown
        ),
        Some(FalseLiteral)
      )
    }
  }
}
