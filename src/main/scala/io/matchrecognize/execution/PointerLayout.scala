package io.matchrecognize.execution

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  BoundReference,
  ExprId,
  Expression,
  If,
  Literal,
  UnsafeRow
}
import org.apache.spark.sql.types.{BooleanType, DataType, LongType, StringType}

import io.matchrecognize.expressions.{Classifier, MatchNumber}

/**
 * One field of a [[PointerRow]]: where its value comes from.
 *
 * @param pointer
 *   for values of a row: the pointer that holds the row's number
 * @param index
 *   column of the store or of the row of keys, or aggregate
 */
final case class PointerField(kind: Int, pointer: Int, index: Int, dataType: DataType)

object PointerField {

  /** Fixed-width column of the store. */
  final val Fixed = 0

  /** Variable-length column of the store. */
  final val Variable = 1

  /** Column of the row of keys. */
  final val Key = 2

  /** Name of the variable that the pointer's row is mapped to. */
  final val Label = 3

  /** Number of the match. */
  final val Number = 4

  /** Result of an aggregate. */
  final val Aggregate = 5

  /** Whether the pointer's row exists: never NULL itself. */
  final val Exists = 6
}

/**
 * Gives the fields of a [[PointerRow]] out, one for each thing that the expressions of a clause
 * read, and binds the expressions to them. After binding an expression is an ordinary one of Spark,
 * for its code generation or interpretation.
 *
 * @param input
 *   the operator's input columns
 * @param keys
 *   columns that are read from the row of keys, and their ordinals in it
 */
final class PointerLayout(input: Seq[Attribute], keys: Map[ExprId, Int], schema: StoreSchema) {
  private val fields = mutable.ArrayBuffer.empty[PointerField]
  private val known = mutable.HashMap.empty[PointerField, Int]
  private val ordinals: Map[ExprId, Int] = input.map(_.exprId).zipWithIndex.toMap

  def result: Array[PointerField] = fields.toArray

  private def field(kind: Int, pointer: Int, index: Int, dataType: DataType): BoundReference = {
    val wanted = PointerField(kind, pointer, index, dataType)
    val ordinal = known.getOrElseUpdate(
      wanted, {
        fields += wanted
        fields.length - 1
      }
    )
    BoundReference(ordinal, dataType, nullable = kind != PointerField.Exists)
  }

  /** A column of the input on the pointer's row; NULL if there is no such row. */
  def column(attribute: Attribute, pointer: Int): BoundReference = {
    val ordinal = ordinals(attribute.exprId)
    val dataType = attribute.dataType
    if (keys.contains(attribute.exprId))
      field(PointerField.Key, pointer, keys(attribute.exprId), dataType)
    else if (UnsafeRow.isFixedLength(dataType))
      field(PointerField.Fixed, pointer, schema.fixed.indexOf(ordinal), dataType)
    else field(PointerField.Variable, pointer, schema.variable.indexOf(ordinal), dataType)
  }

  def aggregate(index: Int, dataType: DataType): BoundReference =
    field(PointerField.Aggregate, -1, index, dataType)

  /** MATCH_NUMBER(). */
  def number: BoundReference = field(PointerField.Number, -1, 0, LongType)

  /**
   * The value of a navigation's argument on the pointer's row, NULL if there is no such row.
   *
   * @param label
   *   what CLASSIFIER is, if it is known before the query runs
   */
  def navigation(argument: Expression, pointer: Int, label: Option[String]): Expression = {
    val value = row(argument, pointer, label)
    value match {
      case _: BoundReference => value
      case _ =>
        val exists = field(PointerField.Exists, pointer, 0, BooleanType)
        If(exists, value, Literal(null, value.dataType))
    }
  }

  /** `expression` read on an existing row. */
  def row(expression: Expression, pointer: Int, label: Option[String]): Expression =
    expression.transform {
      case attribute: AttributeReference => column(attribute, pointer)
      case _: Classifier =>
        label.map(Literal(_)).getOrElse(field(PointerField.Label, pointer, 0, StringType))
      case _: MatchNumber => number
    }
}
