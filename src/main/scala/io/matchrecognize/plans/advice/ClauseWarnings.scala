package io.matchrecognize.plans.advice

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.{Expression, IsNull, Literal, NonNullLiteral}
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types.StringType

import io.matchrecognize.errors.UserText
import io.matchrecognize.expressions.ConditionShape.Compared
import io.matchrecognize.expressions.{ConditionShape, Navigation}
import io.matchrecognize.pattern.{RowPattern, RowPatternAnalysis}
import io.matchrecognize.plans.PatternClause

/**
 * What a clause is allowed to say and rarely means to: for EXPLAIN FORMATTED and the log. Read from
 * the optimised clause, in which a condition that compares with NULL has become NULL.
 */
object ClauseWarnings {
  def of(clause: PatternClause): Seq[String] =
    withoutOrder(clause).toSeq ++ constantKeys(clause) ++ undefinedNames(clause) ++
      permutationsOfOne(clause.pattern).distinct ++
      clause.definitions.flatMap { case (variable, condition) =>
        neverTrue(variable, condition).toSeq ++ withoutRow(clause, variable, condition)
      }

  private def withoutOrder(clause: PatternClause): Option[String] =
    Option.when(clause.orderSpec.isEmpty) {
      "There is no ORDER BY, so the result depends on the order in which the rows are read."
    }

  /** What Spark takes for a text or a number other systems take for a column or its position. */
  private def constantKeys(clause: PatternClause): Seq[String] = {
    val texts = clause.partitionSpec.collect { case NonNullLiteral(text, _: StringType) =>
      s"PARTITION BY '$text' is a constant and separates no rows. " + asColumn(text.toString)
    }
    val orders = clause.orderSpec.map(_.child).collect {
      case NonNullLiteral(text, _: StringType) =>
        s"ORDER BY '$text' is a constant and orders no rows. " + asColumn(text.toString)
      case key: Literal =>
        s"ORDER BY ${key.sql} is a constant and orders no rows. It is not the position of a column."
    }
    (texts ++ orders).distinct
  }

  private def asColumn(name: String): String =
    s"A column is written without quotes or in backticks, ${UserText.quoted(name)}."

  private def undefinedNames(clause: PatternClause): Seq[String] = {
    val defined = clause.definedVariables
    val undefined =
      RowPatternAnalysis.variables(clause.pattern, identity).filterNot(defined.toSet)
    val operators = for {
      name <- undefined
      instead <- Operators.get(name.toUpperCase(Locale.ROOT))
    } yield s"$name is a variable in PATTERN, has no definition and matches any row. $instead"
    operators ++ (for {
      name <- undefined.take(MaxCompared)
      near <- defined.find(d => isLong(name) && isLong(d) && UserText.isNear(name, d))
    } yield s"$name has no definition and matches any row. DEFINE has $near, which is spelled almost " +
      "the same.")
  }

  /** Names that are compared with all defined ones. */
  private final val MaxCompared = 100

  /** Words that look like operators of a pattern, and what to write. */
  private val Operators = Map(
    "PATTERN" -> "The word PATTERN is written once, as in PATTERN (A B+).",
    "PERMUTE" -> "For variables in any order write PERMUTE(A, B).",
    "AND" -> "Variables follow each other as in A B.",
    "THEN" -> "Variables follow each other as in A B.",
    "OR" -> "For one of several variables write A | B.",
    "NOT" -> "Define a variable by the opposite condition."
  )

  /** A short name in which two letters differ is not a misspelling but another name. */
  private def isLong(name: String): Boolean = name.length >= 4

  private def permutationsOfOne(pattern: RowPattern): Seq[String] = {
    val inside = pattern.children.flatMap(permutationsOfOne)
    pattern match {
      case RowPattern.Permutation(Seq(one)) =>
        s"PERMUTE(${one.sql}) has one element, so it has no effect. Separate elements by commas." +:
          inside
      case _ => inside
    }
  }

  /** Why a condition is never TRUE, if that shows. */
  def neverTrue(variable: String, condition: Expression): Option[String] = {
    val parts = ConditionShape.conjuncts(condition)
    // Spark makes `x IS NULL AND NULL` of a comparison with a constant that no value of x equals.
    val isUnequal = parts.exists(_.isInstanceOf[IsNull])
    parts
      .collectFirst {
        case Literal(null, _) if !isUnequal =>
          s"The condition of $variable is never true, because a part of it is NULL. Write IS NULL to " +
            "compare with NULL."
        case Literal(null | false, _) => s"The condition of $variable is never true."
      }
      .orElse(Option.when(isContradiction(parts)) {
        s"The condition of $variable is never true: two of its parts exclude each other."
      })
  }

  /** Whether bounds of a value have none between them, as BETWEEN with its ends exchanged. */
  private def isContradiction(parts: Seq[Expression]): Boolean = {
    val bounds = parts.collect {
      case ConditionShape(Compared(value, comparison, NonNullLiteral(bound, _))) =>
        (value.canonicalized, comparison, bound)
      case ConditionShape(Compared(NonNullLiteral(bound, _), comparison, value)) =>
        (value.canonicalized, comparison.mirrored, bound)
    }
    bounds.filter(_._1.deterministic).groupBy(_._1).exists { case (value, all) =>
      val ordering = TypeUtils.getInterpretedOrdering(value.dataType)
      val (upper, lower) = (all.filter(!_._2.above), all.filter(!_._2.below))
      upper.nonEmpty && lower.nonEmpty && {
        val (most, least) = (upper.map(_._3).min(ordering), lower.map(_._3).max(ordering))
        ordering.gt(least, most) || ordering.equiv(least, most) && all.exists {
          case (_, comparison, bound) => !comparison.equal && ordering.equiv(bound, most)
        }
      }
    }
  }

  private def withoutRow(
      clause: PatternClause,
      variable: String,
      condition: Expression
  ): Seq[String] = {
    val read = condition.collect { case Navigation(_, target) => target.variable }.flatten
    read.distinct
      .filterNot { name =>
        val members = clause.subsets.find(_.name == name).fold(Seq(name))(_.members)
        members.contains(variable) ||
        members.exists(RowPatternAnalysis.canPrecede(clause.pattern, _, variable))
      }
      .map { name =>
        s"The condition of $variable reads $name, which has no row yet where PATTERN has $variable: " +
          "what it reads is NULL."
      }
  }
}
