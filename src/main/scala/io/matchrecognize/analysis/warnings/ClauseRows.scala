package io.matchrecognize.analysis.warnings

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, LongType, StringType}

import io.matchrecognize.errors.{UserText, Wording}
import io.matchrecognize.expressions.AsText
import io.matchrecognize.plans.MatchRecognize

/**
 * The rows of a clause as its checks read them: the columns of the input, the keys, and values of
 * rows before and after a row in its partition.
 *
 * The plan is that of one query. Spark sorts the rows by the keys, as the clause does, and adds
 * them up in each partition, then over all; it returns one row, whose values become sentences.
 * Memory is bounded by Spark's own window and aggregation, which spill.
 */
private[warnings] final class ClauseRows(val node: MatchRecognize) {
  import ClauseRows._

  val partitionKeys: Seq[Alias] =
    node.clause.partitionSpec.zipWithIndex.map { case (key, i) => Alias(key, s"partition_$i")() }
  val orderKeys: Seq[Alias] =
    node.clause.orderSpec.zipWithIndex.map { case (key, i) => Alias(key.child, s"order_$i")() }

  /** Of what is read of other rows, the places in the order of the clause. */
  private val neighbours = ArrayBuffer.empty[(Expression, Int, Alias)]
  private val others = ArrayBuffer.empty[Alias]

  def hasOrder: Boolean = orderKeys.nonEmpty

  /** The value of an expression `offset` rows after a row of an ordered clause, NULL if none. */
  def neighbour(value: Expression, offset: Int): Attribute =
    neighbours
      .collectFirst {
        case (found, at, column) if at == offset && found.semanticEquals(value) => column
      }
      .getOrElse {
        val default = Literal(null, value.dataType)
        // It is evaluated for each row, also for those of which no condition would read it.
        val read = value match {
          case own: Attribute => own
          case other => Tried(other)
        }
        val function =
          if (offset < 0) Lag(read, Literal(-offset), default, ignoreNulls = false)
          else Lead(read, Literal(offset), default, ignoreNulls = false)
        val column = windowed(function, function.frame)
        neighbours += ((value, offset, column))
        column
      }
      .toAttribute

  /** The number of a row in its partition, from 1. */
  lazy val number: Attribute = {
    val function = new RowNumber()
    val column = windowed(function, function.frame)
    others += column
    column.toAttribute
  }

  private def orderSpec: Seq[SortOrder] =
    node.clause.orderSpec.zip(orderKeys).map { case (order, key) =>
      order.withNewChildren(key.toAttribute +: order.sameOrderExpressions).asInstanceOf[SortOrder]
    }

  private def windowed(function: Expression, frame: WindowFrame): Alias = {
    val spec = WindowSpecDefinition(partitionKeys.map(_.toAttribute), orderSpec, frame)
    Alias(WindowExpression(function, spec), s"window_${neighbours.length + others.length}")()
  }

  /** The number of rows of a partition. */
  val rows: Alias = aggregate(Count(Seq(Literal(1))), "rows")

  /** The keys of a partition as texts. */
  private val keyTexts: Alias = {
    val texts = partitionKeys.map(key => AsText(key.toAttribute))
    val none = Literal.create(Seq.empty[String], ArrayType(StringType))
    Alias(if (texts.isEmpty) none else CreateArray(texts), "partition")()
  }
  def partition: Attribute = keyTexts.toAttribute

  /** `symbol = A` for the texts of a partition's keys; empty without PARTITION BY. */
  val partitionNames: Seq[String] = node.clause.partitionSpec.map(keyText)
  val orderNames: Seq[String] = node.clause.orderSpec.map(order => keyText(order.child))

  /** The sentences of the checks: rows of one column. */
  def plan(checks: Seq[DataCheck]): LogicalPlan = {
    val columns = Project(node.child.output ++ partitionKeys ++ orderKeys, node.child)
    val windows = others.toSeq ++ neighbours.map(_._3)
    val keys = partitionKeys.map(_.toAttribute)
    val read =
      if (windows.isEmpty) columns else Window(windows, keys, orderSpec, columns, None)
    val partitions =
      Aggregate(keys, (rows +: keyTexts +: checks.flatMap(_.inPartition)) ++ keys, read, None)
    val all = Aggregate(Nil, checks.flatMap(_.overall), partitions, None)
    val sentences = Alias(WarningTexts.of(checks), "sentences")()
    val warning = AttributeReference("warning", StringType, nullable = false)()
    Project(
      Seq(warning),
      Generate(
        Explode(sentences.toAttribute),
        unrequiredChildIndex = Seq(0),
        outer = false,
        qualifier = None,
        Seq(warning),
        Project(Seq(sentences), all)
      )
    )
  }
}

private[warnings] object ClauseRows {
  def aggregate(function: AggregateFunction, name: String): Alias =
    Alias(function.toAggregateExpression(), name)()

  def countIf(condition: Expression, name: String): Alias =
    aggregate(Count(Seq(If(condition, Literal(1), Literal(null, Literal(1).dataType)))), name)

  /** The sum of a count of the partitions. */
  def total(count: Alias): Alias = aggregate(new Sum(count.toAttribute), count.name)

  def when(condition: Expression, value: Expression): Expression =
    If(condition, value, Literal(null, value.dataType))

  def cast(value: Expression, dataType: DataType): Expression =
    if (value.dataType == dataType) value
    else Cast(value, dataType, Some(SQLConf.get.sessionLocalTimeZone))

  def tryCast(value: Expression, dataType: DataType): Expression =
    Cast(value, dataType, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.TRY)

  val NoCount: Literal = Literal(0L, LongType)

  /** A key in a sentence. */
  def keyText(key: Expression): String = Wording.oneLine(UserText.keySql(key))

  /** `a = 1, b = 2`. */
  def equalities(names: Seq[String], values: Seq[String]): String =
    names.zip(values).map { case (name, value) => s"$name = $value" }.mkString(", ")
}
