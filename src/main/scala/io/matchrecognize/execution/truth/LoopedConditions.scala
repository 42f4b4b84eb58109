package io.matchrecognize.execution.truth

import java.nio.ByteOrder

import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.types.DecimalType

import io.matchrecognize.execution.compile.RowConditions
import io.matchrecognize.execution.condition.RowExpression
import io.matchrecognize.execution.pointer.PointerField
import io.matchrecognize.matcher.MatchInput

/**
 * The conditions that a loop of [[TruthLoop]] evaluates, and where it finds what they read.
 *
 * @param conditions
 *   by id, those that the loop evaluates
 */
final case class LoopedConditions(conditions: Seq[(Int, RowExpression)], of: RowConditions) {
  def fields: Array[PointerField] = of.fields

  /** Of the truths. */
  def bytesPerRow: Int = MatchInput.truthBytes(of.byId.length)

  /** By pointer, how far the row that it reads is from the tested one. */
  val distances: Map[Int, Int] =
    conditions.flatMap(_._2.pointers.map(p => p.slot -> p.physical)).toMap

  /** How many rows before and after the tested one the conditions read. */
  val back: Int = distances.values.map(-_).maxOption.fold(0)(_.max(0))
  val ahead: Int = distances.values.maxOption.fold(0)(_.max(0))

  /** The fields that the conditions read. */
  def read: Seq[Int] = conditions.flatMap(_._2.fields).distinct
}

object LoopedConditions {
  // Beyond it, testing only what a search asks for costs less, and generated code becomes long.
  private final val MaxConditions = 16
  private final val MaxNodes = 300

  /** Conditions that cannot fail may be tested on rows that the search would not test. */
  def of(all: RowConditions): Option[LoopedConditions] = {
    val found = all.byId.toSeq.zipWithIndex.collect {
      case (c, id)
          if all.isRead(id) && !all.lookedUp(id) && !c.mayFail && isReadable(c, all.fields) =>
        id -> c
    }
    val nodes = found.map(_._2.expression.collect { case e => e }.length).sum
    val isUseful = found.nonEmpty && found.length <= MaxConditions &&
      nodes <= MaxNodes && ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN
    Option.when(isUseful)(LoopedConditions(found, all))
  }

  private def isReadable(condition: RowExpression, fields: Array[PointerField]): Boolean =
    condition.expression.deterministic &&
      condition.fields.map(fields).forall {
        case PointerField.Fixed(_, _, dataType) =>
          CodeGenerator.isPrimitiveType(dataType) || dataType.isInstanceOf[DecimalType]
        case _: PointerField.Variable | _: PointerField.Key | _: PointerField.Exists => true
        case _ => false
      }
}
