package io.matchrecognize.execution.pointer

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BooleanType, DataType, LongType, StringType}

import io.matchrecognize.execution.rows.StoreSchema
import io.matchrecognize.expressions.{Classifier, Fallible, LiteralTexts, MatchNumber}

/** How a pointer finds its row: a base row, then `physical` rows further within the partition. */
final case class PointerProgram(slot: Int, base: PointerBase, physical: Int) {

  /** Whether that is the row under test. */
  def isTested: Boolean = base == PointerBase.Current && physical == 0
}

/**
 * A row of the match so far, whose last row is the one under test or for which measures are
 * evaluated; with `isFinal`, of the whole match.
 */
sealed trait PointerBase

object PointerBase {

  /** `offset` rows before the last row, not before the match. */
  final case class BeforeLast(offset: Int, isFinal: Boolean) extends PointerBase

  /** `offset` rows after the first row, not after the last one. */
  final case class AfterFirst(offset: Int, isFinal: Boolean) extends PointerBase

  /** The row that a register holds at the last row. */
  final case class Register(number: Int, isFinal: Boolean) extends PointerBase

  val Current: PointerBase = BeforeLast(0, isFinal = false)
}

/** One field of a [[PointerRow]]: where its value comes from. */
sealed trait PointerField {
  def dataType: DataType

  /** For values of a row: the pointer that holds the row's number. */
  def pointer: Int = -1
}

object PointerField {

  /** The fields that a bound expression reads. */
  def readBy(e: Expression, fields: Array[PointerField]): Seq[PointerField] =
    e.collect { case r: BoundReference => fields(r.ordinal) }

  /** Fixed-width column of the store. */
  final case class Fixed(override val pointer: Int, column: Int, dataType: DataType)
      extends PointerField

  /** Variable-length column of the store. */
  final case class Variable(override val pointer: Int, column: Int, dataType: DataType)
      extends PointerField

  /** Column of the row of keys. */
  final case class Key(override val pointer: Int, column: Int, dataType: DataType)
      extends PointerField

  /** Name of the variable that the pointer's row is mapped to. */
  final case class Label(override val pointer: Int) extends PointerField {
    override def dataType: DataType = StringType
  }

  /** Number of the match. */
  case object Number extends PointerField {
    override def dataType: DataType = LongType
  }

  /** Result of an aggregate. */
  final case class Aggregate(index: Int, dataType: DataType) extends PointerField

  /** Whether the pointer's row exists: never NULL itself. */
  final case class Exists(override val pointer: Int) extends PointerField {
    override def dataType: DataType = BooleanType
  }
}

/**
 * Allocates the fields of a [[PointerRow]], one for each distinct input of a clause's expressions,
 * with the pointers that they read through, and binds the expressions to them. A bound expression
 * is an ordinary one of Spark, for its code generation or interpretation.
 *
 * @param input
 *   the operator's input columns
 * @param keys
 *   columns that are read from the row of keys, and their ordinals in it
 * @param shared
 *   by all layouts of a task
 */
final class PointerLayout(
    input: Seq[Attribute],
    keys: Map[ExprId, Int],
    schema: StoreSchema,
    val shared: SharedExpressions
) {
  private val known = mutable.LinkedHashMap.empty[PointerField, Int]
  private val slots = mutable.LinkedHashMap.empty[(PointerBase, Int), Int]
  private val ordinals: Map[ExprId, Int] = input.map(_.exprId).zipWithIndex.toMap

  def result: Array[PointerField] = known.keys.toArray

  /** Slot of a pointer to the row `physical` rows after a base row. */
  def slot(base: PointerBase, physical: Int): Int =
    slots.getOrElseUpdate((base, physical), pointerCount)

  /** All but [[PointerBindings.Row]], which the evaluator sets. */
  def pointers: Array[PointerProgram] = slots.map { case ((base, physical), slot) =>
    PointerProgram(slot, base, physical)
  }.toArray

  def pointerCount: Int = slots.size + 1

  private def field(wanted: PointerField): BoundReference = {
    val ordinal = known.getOrElseUpdate(wanted, known.size)
    val isNullable = !wanted.isInstanceOf[PointerField.Exists]
    shared(BoundReference(ordinal, wanted.dataType, isNullable))
  }

  /** A column of the input on the pointer's row; NULL if there is no such row. */
  def column(attribute: Attribute, pointer: Int): BoundReference = {
    val ordinal = ordinals(attribute.exprId)
    val dataType = attribute.dataType
    field(
      if (keys.contains(attribute.exprId))
        PointerField.Key(pointer, keys(attribute.exprId), dataType)
      else if (UnsafeRow.isFixedLength(dataType))
        PointerField.Fixed(pointer, schema.fixed.indexOf(ordinal), dataType)
      else PointerField.Variable(pointer, schema.variable.indexOf(ordinal), dataType)
    )
  }

  def aggregate(index: Int, dataType: DataType): BoundReference =
    field(PointerField.Aggregate(index, dataType))

  /** MATCH_NUMBER(). */
  def number: BoundReference = field(PointerField.Number)

  /**
   * The value of a navigation's argument on the pointer's row, NULL if there is no such row.
   *
   * @param label
   *   the value of CLASSIFIER, if it is known before the query runs
   */
  def navigation(argument: Expression, pointer: Int, label: Option[String]): Expression = {
    val value = row(argument, pointer, label)
    value match {
      case _: BoundReference => value
      case _ =>
        If(field(PointerField.Exists(pointer)), value, Literal(null, value.dataType))
    }
  }

  /** `expression` on a row that exists. */
  def row(expression: Expression, pointer: Int, label: Option[String]): Expression =
    expression.transform {
      case attribute: AttributeReference => column(attribute, pointer)
      case _: Classifier =>
        label.map(Literal(_)).getOrElse(field(PointerField.Label(pointer)))
      case _: MatchNumber => number
    }
}

/** Expressions of a task; equal ones are sent once. */
final class SharedExpressions {
  private val first = mutable.Map.empty[Expression, Expression]

  /**
   * The first of equal ones, unless they may differ: in a constant, or in where an error points.
   */
  def apply[E <: Expression](e: E): E =
    if (Fallible(e) || LiteralTexts(e).nonEmpty) e
    else first.getOrElseUpdate(e, e).asInstanceOf[E]
}
