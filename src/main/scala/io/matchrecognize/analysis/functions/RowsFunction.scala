package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, Min}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.{MetadataBuilder, NumericType, StringType}

import io.matchrecognize.analysis.names.PatternVariables
import io.matchrecognize.errors.UserText
import io.matchrecognize.expressions.{
  AsText,
  Classifier,
  MatchNumber,
  Navigation,
  NavigationTarget,
  PatternAggregate
}
import io.matchrecognize.pattern.RowPattern
import io.matchrecognize.plans.{AllRowsMode, MatchRecognize, PatternClause, RowsPerMatch}

/**
 * The table function `match_recognize_rows`, which `report` of the Python package draws: all rows
 * that the outermost clause of a query searches, each with the variable and the match that it is
 * mapped to, once for each of its matches. The clause runs as in the query, in parallel and on the
 * engine that suits it; only its measures are others.
 *
 * Columns: `row_id` of the input row; `partition`, a number of its partition, which is that of all
 * rows whose keys are equal, whatever their texts are; `keys`, the texts of the PARTITION BY keys,
 * and `order_by`, the values of the ORDER BY keys, both structs, NULL without keys, the second one
 * with the directions as its comment; `numbers`, a struct of the numeric columns, those of the
 * conditions first, then those of the measures, keys last; `columns`, all columns as texts;
 * `match_number`, `match_row`, from 1, and `variable`, NULL in no match.
 */
object RowsFunction
    extends ClauseFunction(
      "match_recognize_rows",
      Seq("query", "partition"),
      "_FUNC_(query[, partition]) - Returns the rows that the MATCH_RECOGNIZE of a query " +
        "searches, with their variables and matches.",
      "(query STRING, partition STRING), both constant and the last one optional"
    ) {
  private final val Measures = Seq(
    "match_number" -> MatchNumber(),
    "match_row" -> PatternAggregate(Count(Literal(1)), isDistinct = false, None, None, false),
    "variable" -> Navigation(Classifier(None), NavigationTarget.LastRow)
  )

  override protected def node(
      clause: PatternClause,
      input: LogicalPlan,
      arguments: Map[String, Expression],
      origin: Origin
  ): LogicalPlan = {
    val id = Alias(MonotonicallyIncreasingID(), "row_id")()
    val output = Measures.map { case (name, value) =>
      AttributeReference(name, value.dataType)()
    }
    val rows = MatchRecognize(
      clause.copy(
        measures = Measures.map(_._2),
        rowsPerMatch = RowsPerMatch.AllRows(AllRowsMode.WithUnmatchedRows),
        pattern = withoutExclusions(clause.pattern),
        frameEnd = None
      ),
      output,
      Project(input.output :+ id, input)
    )
    val keys = clause.partitionSpec.map(key => UserText.keySql(key) -> AsText(key))
    val names = clause.orderSpec.map(key => UserText.keyName(key.child))
    val order = names.zip(clause.orderSpec).zipWithIndex.map { case ((name, key), i) =>
      // A field is read by its name, so that no two have the same.
      (if (names.count(_.equalsIgnoreCase(name)) > 1) s"$name (${i + 1})" else name) -> key.child
    }
    val directions = clause.orderSpec.map(k => s"${k.direction.sql} ${k.nullOrdering.sql}")
    val comment = new MetadataBuilder().putString("comment", directions.mkString(", ")).build()
    val columns = input.output.distinctBy(_.name).flatMap { column =>
      Seq(Literal(column.name), AsText(column))
    }
    val numberOfPartition = WindowExpression(
      Min(id.toAttribute).toAggregateExpression(),
      WindowSpecDefinition(clause.partitionSpec, Nil, UnspecifiedFrame)
    )
    val shown = Seq(
      "partition" -> numberOfPartition,
      "keys" -> struct(keys),
      "order_by" -> struct(order),
      "numbers" -> struct(numbers(clause, input.output)),
      "columns" -> (if (columns.isEmpty) nothing else CreateMap(columns))
    )
    Project(
      Seq(id.toAttribute) ++ shown.map { case (name, value) =>
        Alias(value, name)(explicitMetadata = Option.when(name == "order_by")(comment))
      } ++ output,
      rows
    )
  }

  /** The numeric columns, in the order in which a reader may want to see them. */
  private def numbers(clause: PatternClause, input: Seq[Attribute]): Seq[(String, Expression)] = {
    val keys = AttributeSet(clause.partitionSpec ++ clause.orderSpec.map(_.child))
    val present = AttributeSet(input)
    val read = (clause.conditions ++ clause.measures).flatMap(_.collect { case c: Attribute => c })
    val (ofKeys, others) = (read ++ input).partition(keys.contains)
    (others ++ ofKeys)
      .filter(column => column.dataType.isInstanceOf[NumericType] && present.contains(column))
      // A field is read by its name.
      .distinctBy(column => PatternVariables.canonical(column.name))
      .map(column => column.name -> column)
  }

  private def struct(fields: Seq[(String, Expression)]): Expression =
    if (fields.isEmpty) nothing
    else
      CreateNamedStruct(fields.flatMap { case (name, value) => Seq(Literal(name), value) })

  private def nothing: Expression = Literal(null, StringType)

  /** Rows in `{- -}` are rows of the match too. */
  private def withoutExclusions(pattern: RowPattern): RowPattern = pattern match {
    case RowPattern.Exclusion(element) => withoutExclusions(element)
    case other => other.mapChildren(withoutExclusions)
  }
}
