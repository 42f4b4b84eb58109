package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Expression,
  LeafExpression,
  UnaryExpression,
  Unevaluable
}
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * Nodes in MEASURES and DEFINE between the resolution of names and the end of resolution, while
 * Spark's rules resolve functions and types around them.
 */
sealed trait ResolvingPatternExpression extends Expression with Unevaluable

/** One with the type of its child. */
sealed abstract class ResolvingUnaryExpression
    extends UnaryExpression
    with ResolvingPatternExpression {
  override def dataType: DataType = child.dataType
}

/** A column of the input, qualified by a variable or, if None, universal. */
final case class VariableColumn(variable: Option[String], child: Expression)
    extends ResolvingUnaryExpression {
  override def nullable: Boolean = true
  override def toString: String = variable.map(v => s"$v.$child").getOrElse(child.toString)
  override def sql: String = variable.map(v => s"$v.${child.sql}").getOrElse(child.sql)
  override protected def withNewChildInternal(newChild: Expression): VariableColumn =
    copy(child = newChild)
}

/** The rows of a variable as the argument of COUNT: `COUNT(A.*)`. Never NULL. */
final case class VariableRows(variable: String)
    extends LeafExpression
    with ResolvingPatternExpression {
  override def dataType: DataType = LongType
  override def nullable: Boolean = false
  override def toString: String = s"$variable.*"
  override def sql: String = toString
}

/**
 * PREV, NEXT, FIRST or LAST as written, with its offset not yet folded.
 *
 * @param function
 *   in upper case
 */
final case class NavigationCall(function: String, child: Expression, offset: Option[Expression])
    extends Expression
    with ResolvingPatternExpression {
  override def children: Seq[Expression] = child +: offset.toSeq
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = true
  override def toString: String = s"$function(${children.mkString(", ")})"
  override def sql: String = s"$function(${children.map(_.sql).mkString(", ")})"
  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): NavigationCall =
    copy(child = newChildren.head, offset = newChildren.drop(1).headOption)
}

/** MATCH_ROWTIME: the leading ORDER BY key `child` on the last row of the match or variable. */
final case class RowtimeCall(variable: Option[String], child: Expression)
    extends ResolvingUnaryExpression {
  override def nullable: Boolean = true
  override def toString: String = s"MATCH_ROWTIME(${variable.getOrElse("")})"
  override def sql: String = toString
  override protected def withNewChildInternal(newChild: Expression): RowtimeCall =
    copy(child = newChild)
}

/** RUNNING or FINAL before a call. */
final case class CallMode(isFinal: Boolean, child: Expression) extends ResolvingUnaryExpression {
  def keyword: String = if (isFinal) "FINAL" else "RUNNING"
  override def toString: String = s"$keyword $child"
  override def sql: String = s"$keyword ${child.sql}"
  override protected def withNewChildInternal(newChild: Expression): CallMode =
    copy(child = newChild)
}

/**
 * A name that is not a column of the input: a session variable, if Spark's own rules resolve
 * `child`, which they do before our rule sees it again.
 */
final case class SessionVariableOrNothing(child: Expression) extends ResolvingUnaryExpression {
  override lazy val resolved: Boolean = false
  override def toString: String = child.toString
  override protected def withNewChildInternal(newChild: Expression): SessionVariableOrNothing =
    copy(child = newChild)

  def isUnknown: Boolean = child.isInstanceOf[UnresolvedAttribute]
}

/**
 * A call of a SQL function while Spark's rules resolve it.
 *
 * @param parameters
 *   columns that represent `arguments` in `body`
 * @param body
 *   a scalar subquery with the function over `parameters`
 */
final case class SqlFunctionCall(
    name: String,
    arguments: Seq[Expression],
    parameters: Seq[AttributeReference],
    body: Expression
) extends Expression
    with ResolvingPatternExpression {
  override lazy val resolved: Boolean = false
  override def children: Seq[Expression] = arguments :+ body
  override def dataType: DataType = body.dataType
  override def nullable: Boolean = true
  override def toString: String = s"$name(${arguments.mkString(", ")})"
  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): SqlFunctionCall = copy(arguments = newChildren.init, body = newChildren.last)

  def argumentsResolved: Boolean = arguments.forall(_.resolved)
}
