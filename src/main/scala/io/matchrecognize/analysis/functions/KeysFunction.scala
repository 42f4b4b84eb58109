package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.{MetadataBuilder, StringType}

import io.matchrecognize.errors.{UserText, Wording}
import io.matchrecognize.expressions.{AsText, ConditionShape, Navigation}
import io.matchrecognize.plans.PatternClause

/**
 * The table function `match_recognize_keys`, over whose rows `lint` of the Python package counts:
 * one for each row of the input of the outermost clause of a query. Nothing is searched.
 *
 * Columns: `partition_1`, ... and `order_1`, ..., the values of the keys; `text_1`, ..., the texts
 * that ORDER BY sorts or a condition compares by `<`, `<=`, `>` or `>=`. The comment of a column is
 * the key as the user wrote it, so that no name of the data is needed to read the columns.
 */
object KeysFunction
    extends ClauseFunction(
      "match_recognize_keys",
      Seq("query"),
      "_FUNC_(query) - Returns the keys of the rows that the MATCH_RECOGNIZE of a query reads.",
      "(query STRING), constant"
    ) {
  override protected def node(
      clause: PatternClause,
      input: LogicalPlan,
      arguments: Map[String, Expression],
      origin: Origin
  ): LogicalPlan = {
    val order = clause.orderSpec.map(_.child)
    val texts = (order ++ clause.conditions.flatMap(compared)).filter {
      _.dataType.isInstanceOf[StringType]
    }
    Project(
      columns("partition", clause.partitionSpec)(identity) ++ columns("order", order)(identity) ++
        columns("text", texts.distinctBy(_.canonicalized))(AsText(_)),
      input
    )
  }

  private def columns(name: String, keys: Seq[Expression])(
      value: Expression => Expression
  ): Seq[Alias] = keys.zipWithIndex.map { case (key, i) =>
    val written = Wording.oneLine(UserText.keySql(key))
    val comment = new MetadataBuilder().putString("comment", written).build()
    Alias(value(key), s"${name}_${i + 1}")(explicitMetadata = Some(comment))
  }

  private def compared(condition: Expression): Seq[Expression] = condition.collect {
    case e @ ConditionShape(ConditionShape.Ordered(_, _, _)) =>
      e.children.collect { case Navigation(column: Attribute, _) => column }
  }.flatten
}
