package io.matchrecognize.shims

import org.apache.spark.sql.catalyst.expressions.Expression

/** Values of the parameter markers of a statement, by name and by place. */
final case class StatementParameters(named: Map[String, Expression], positional: Seq[Expression]) {
  def isEmpty: Boolean = named.isEmpty && positional.isEmpty
}

object StatementParameters {
  val none: StatementParameters = StatementParameters(Map.empty, Nil)
}
