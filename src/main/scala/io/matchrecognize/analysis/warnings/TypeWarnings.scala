package io.matchrecognize.analysis.warnings

import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import io.matchrecognize.analysis.typing.Constants
import io.matchrecognize.errors.{UserText, Wording}
import io.matchrecognize.expressions.Navigation
import io.matchrecognize.plans.PatternClause

/**
 * What the types of a clause tell without its data, so on streams too. It is read from the analysed
 * clause: the optimiser removes a comparison with NULL from a part of a condition.
 */
private[warnings] object TypeWarnings extends PredicateHelper {

  /**
   * @param hasData
   *   whether the data are read, which know better than a name whether texts are numbers
   */
  def of(clause: PatternClause, hasData: Boolean): Seq[String] = {
    val conditions = clause.conditions
    val keys = if (hasData) Nil else textKeys(clause) ++ fractionKeys(clause)
    (keys ++ conditions.flatMap(unequalFloats) ++ conditions.flatMap(insideNulls) ++
      clause.definitions.flatMap { case (variable, condition) => casts(variable, condition) } ++
      conditions.flatMap(digits)).distinct
  }

  private val NumberNames =
    Set(
      "seq",
      "sequence",
      "seqno",
      "seqnum",
      "num",
      "number",
      "nr",
      "index",
      "idx",
      "rank",
      "counter",
      "position",
      "pos",
      "offset",
      "epoch"
    )

  /** A text as a key that is used, or called, as a number. */
  private def textKeys(clause: PatternClause): Seq[String] =
    clause.orderSpec.map(_.child).collect {
      case key: Attribute if isText(key.dataType) && (isCast(clause, key) || isNamed(key)) =>
        val name = UserText.quotedIfNeeded(key.name)
        s"ORDER BY $name sorts by ${key.dataType.sql}: of numbers '10' is before '9'. If they are " +
          s"numbers, write ORDER BY CAST($name AS BIGINT)."
    }

  private def isText(dataType: DataType): Boolean =
    dataType.isInstanceOf[StringType] || dataType == BinaryType

  private def isNamed(key: Attribute): Boolean =
    key.name
      .replaceAll("([a-z])([A-Z])", "$1_$2")
      .toLowerCase(Locale.ROOT)
      .split("[^a-z]+")
      .lastOption
      .exists(NumberNames)

  private def isCast(clause: PatternClause, key: Attribute): Boolean =
    (clause.conditions ++ clause.measures).exists(_.exists {
      case Cast(Navigation(read, _), _: NumericType, _, _) => read.semanticEquals(key)
      case _ => false
    })

  private def fractionKeys(clause: PatternClause): Seq[String] =
    clause.partitionSpec.collect {
      case key if key.dataType == DoubleType || key.dataType == FloatType =>
        val name = ClauseRows.keyText(key)
        s"PARTITION BY $name is ${Words.article(key.dataType.sql)}: two results that differ in the " +
          s"last digit are two partitions. If it has fractions, write CAST($name AS DECIMAL(18, 6)), " +
          "or the scale that you mean."
    }

  /** `x = NULL`, `x NOT IN (1, NULL)`. */
  def comparesWithNull(condition: Expression): Boolean = nulls(condition).nonEmpty

  /** Without those that make the condition NULL, of which `ClauseWarnings` tells. */
  private def insideNulls(condition: Expression): Seq[String] =
    splitConjunctivePredicates(condition)
      .filter {
        case _: BinaryComparison | Not(_: BinaryComparison) => false
        case _ => true
      }
      .flatMap(nulls)

  private def nulls(condition: Expression): Seq[String] = condition.collect {
    case comparison: BinaryComparison
        if !comparison.isInstanceOf[EqualNullSafe] && comparison.children.exists(isNull) =>
      s"${Written.of(comparison)} is NULL for every row. Write IS NULL or IS NOT NULL."
    case not @ Not(In(value, values)) if values.exists(isNull) =>
      // The place of a column here is that of NOT IN.
      val written = text(value)
      val columns = value.references.toSeq.map(column => UserText.quotedIfNeeded(column.name))
      val name = if (written == text(not)) columns.mkString(", ") else written
      s"`$name ${text(not)}` is never true, because its list has NULL. Leave NULL out."
  }

  private def isNull(value: Expression): Boolean = value match {
    case Literal(null, _) => true
    case Cast(child, _, _, _) => isNull(child)
    case _ => false
  }

  /** Texts that Spark takes for numbers, and dates for times, without a word. */
  private def casts(variable: String, condition: Expression): Seq[String] = condition.collect {
    case comparison: BinaryComparison =>
      comparison.children.collectFirst {
        case cast @ Cast(read @ Navigation(value, _), to, _, _)
            if isImplicit(cast) && value.dataType.isInstanceOf[StringType] && isNumber(to) =>
          s"${Written.of(comparison)} in the condition of $variable compares a text, " +
            s"${Written.of(read)}, with a number. A text that is not a number is an error in ANSI " +
            s"mode, and NULL without it. Write TRY_CAST(${text(read)} AS ${to.sql})."
        case cast @ Cast(Navigation(value, _), TimestampType | TimestampNTZType, _, _)
            if isImplicit(cast) && value.dataType == DateType && isEquality(comparison) =>
          s"${Written.of(comparison)} in the condition of $variable compares a date with a time: it is " +
            s"true only at midnight. Write to_date of the time, or a range of times."
      }
  }.flatten

  private def text(read: Expression): String = Wording.oneLine(UserText.of(read))

  private def isEquality(comparison: Expression): Boolean =
    comparison.isInstanceOf[EqualTo] || comparison.isInstanceOf[EqualNullSafe]

  private def isNumber(dataType: DataType): Boolean = dataType.isInstanceOf[NumericType]

  private def isImplicit(cast: Cast): Boolean = cast.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty

  private val Digits = "[+-]?[0-9]+([.][0-9]+)?"

  /** A text that is compared by order with a constant of digits. */
  private def digits(condition: Expression): Seq[String] = condition.collect {
    case comparison @ (_: LessThan | _: LessThanOrEqual | _: GreaterThan | _: GreaterThanOrEqual) =>
      val constants = comparison.children.collect {
        case Literal(value, _: StringType) if value != null && value.toString.matches(Digits) =>
          value
      }
      val reads = comparison.children.collect { case read: Navigation => read }
      constants.zip(reads).map { case (constant, read) =>
        s"${Written.of(comparison)} compares texts: '10' is less than '9'. If they are numbers, write " +
          s"CAST(${text(read)} AS DOUBLE) and $constant without quotes."
      }
  }.flatten

  /** A FLOAT is compared as a DOUBLE, which 0.1 differs from. */
  private def unequalFloats(condition: Expression): Seq[String] = condition.collect {
    case comparison @ EqualTo(a, b) =>
      Seq(a -> b, b -> a).collectFirst {
        case (Cast(read: Navigation, DoubleType, _, _), constant)
            if read.dataType == FloatType && constant.foldable && isRounded(constant) =>
          s"${Written.of(comparison)} is never true: ${Written.of(read)} is a FLOAT, of which no value " +
            s"is ${text(constant)}. Write CAST(${text(constant)} " +
            "AS FLOAT)."
      }
  }.flatten

  /** Not of a constant whose evaluation fails, which is the query's to tell. */
  private def isRounded(constant: Expression): Boolean =
    Try(Constants.fold(constant)).toOption.flatten.exists {
      case Literal(value: Double, _) => value.toFloat.toDouble != value
      case _ => false
    }
}
