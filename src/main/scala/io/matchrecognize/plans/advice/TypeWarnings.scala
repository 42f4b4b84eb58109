package io.matchrecognize.plans.advice

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import io.matchrecognize.errors.{UserText, Wording}
import io.matchrecognize.expressions.ConditionShape.{Compared, Listed, Opposite}
import io.matchrecognize.expressions.{Comparison, ConditionShape, Floating, Navigation}
import io.matchrecognize.plans.PatternClause

/**
 * Warnings that follow from the types of a clause, on tables and streams. They are found in the
 * analysed clause: the optimiser removes a comparison with NULL from a part of a condition.
 */
object TypeWarnings {

  def of(clause: PatternClause): Seq[String] = {
    val conditions = clause.conditions
    (fractionKeys(clause) ++ conditions.flatMap(unequalFloats) ++ conditions.flatMap(nulls) ++
      clause.definitions.flatMap { case (variable, condition) =>
        casts(variable, condition)
      }).distinct
  }

  private def fractionKeys(clause: PatternClause): Seq[String] =
    clause.partitionSpec.collect {
      case key if Floating(key.dataType) =>
        val name = Wording.oneLine(UserText.keySql(key))
        s"PARTITION BY $name is a ${key.dataType.sql}: two results that differ in the last digit are " +
          s"two partitions. If it has fractions, write CAST($name AS DECIMAL(18, 6)), or the scale " +
          "that you mean."
    }

  /** `x = NULL`, `x NOT IN (1, NULL)`; `ClauseWarnings` has those that make the condition NULL. */
  private def nulls(condition: Expression): Seq[String] =
    ConditionShape
      .conjuncts(condition)
      .filter {
        case ConditionShape(_: Compared | Opposite(ConditionShape(_: Compared))) => false
        case _ => true
      }
      .flatMap(_.collect {
        case e @ ConditionShape(Compared(a, comparison, b))
            if !comparison.isNullSafe && (isNull(a) || isNull(b)) =>
          s"${code(e)} is NULL for every row. Write IS NULL or IS NOT NULL."
        case not @ ConditionShape(Opposite(ConditionShape(Listed(value, values))))
            if values.exists(isNull) =>
          // The place of a column here is that of NOT IN.
          val written = text(value)
          val columns = value.references.toSeq.map(column => UserText.quotedIfNeeded(column.name))
          val name = if (written == text(not)) columns.mkString(", ") else written
          s"`$name ${text(not)}` is never true, because its list has NULL. Leave NULL out."
      })

  private def isNull(value: Expression): Boolean = value match {
    case Literal(null, _) => true
    case Cast(child, _, _, _) => isNull(child)
    case _ => false
  }

  /** Texts that Spark takes for numbers, and dates for times, without a word. */
  private def casts(variable: String, condition: Expression): Seq[String] = condition.collect {
    case e @ ConditionShape(Compared(a, comparison, b)) =>
      Seq(a, b).collectFirst {
        case cast @ Cast(read @ Navigation(value, _), to: NumericType, _, _)
            if isImplicit(cast) && value.dataType.isInstanceOf[StringType] =>
          s"${code(e)} in the condition of $variable compares a text, ${code(read)}, with a " +
            "number. A text that is not a number is an error in ANSI mode, and NULL without it. Write " +
            s"TRY_CAST(${text(read)} AS ${to.sql})."
        case cast @ Cast(Navigation(value, _), TimestampType | TimestampNTZType, _, _)
            if isImplicit(cast) && value.dataType == DateType && comparison == Comparison.Equal =>
          s"${code(e)} in the condition of $variable compares a date with a time: it is true " +
            "only at midnight. Write to_date of the time, or a range of times."
      }
  }.flatten

  private def isImplicit(cast: Cast): Boolean = cast.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty

  /**
   * A FLOAT is compared as a DOUBLE, which 0.1 differs from. The text of the constant is not known:
   * the place of one that Spark has converted is that of the whole comparison.
   */
  private def unequalFloats(condition: Expression): Seq[String] = condition.collect {
    case e @ ConditionShape(Compared(a, Comparison.Equal, b)) =>
      Seq(a -> b, b -> a).collectFirst {
        case (Cast(read: Navigation, DoubleType, _, _), constant)
            if read.dataType == FloatType && constant.foldable && isRounded(constant) =>
          s"${code(e)} is never true: ${code(read)} is a FLOAT, and the constant is a DOUBLE " +
            "that no FLOAT is equal to. Cast the constant: CAST(... AS FLOAT)."
      }
  }.flatten

  /** Not of a constant whose evaluation fails, which the query reports. */
  private def isRounded(constant: Expression): Boolean = Try(constant.eval()).toOption.exists {
    case value: Double => java.lang.Double.compare(value.toFloat.toDouble, value) != 0
    case _ => false
  }

  private def text(written: Expression): String = Wording.oneLine(UserText.of(written))

  private def code(written: Expression): String = Wording.code(text(written))
}
