package io.matchrecognize.errors

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.{ByteType, IntegerType, LongType, ShortType}

import io.matchrecognize.errors.UserText.quoted

/** Mistakes in the bounds of quantifiers. */
private[errors] trait QuantifierErrors {
  private def error(condition: String, origin: Origin, parameters: (String, String)*) =
    new MatchRecognizeException(
      s"MATCH_RECOGNIZE_INVALID_PATTERN.$condition",
      parameters.toMap,
      origin
    )

  /**
   * @param values
   *   the quantifier with the values of its bounds, if they are not literals
   */
  def quantifierBounds(
      quantifier: String,
      values: Option[String],
      element: String,
      origin: Origin
  ): Throwable = {
    val text = quoted(quantifier) + values.map(v => s" = ${quoted(v)}").mkString
    error("QUANTIFIER_BOUNDS", origin, "quantifier" -> text, "element" -> quoted(element))
  }

  /**
   * @param value
   *   of the bound, None if it is not constant
   */
  def quantifierValue(
      bound: String,
      quantifier: String,
      value: Option[Literal],
      origin: Origin
  ): Throwable = {
    val found = value.fold("not constant") {
      case Literal(null, _) => "NULL"
      case literal if isInteger(literal) => literal.value.toString
      case literal => s"of type \"${literal.dataType.sql}\""
    }
    error(
      "QUANTIFIER_VALUE",
      origin,
      "bound" -> quoted(bound),
      "quantifier" -> quoted(quantifier),
      "found" -> found
    )
  }

  private def isInteger(literal: Literal): Boolean = literal.dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }
}
