package io.matchrecognize.analysis.warnings

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, Max, Min}
import org.apache.spark.sql.types.{IntegerType, StringType}

import io.matchrecognize.expressions.AsText

/**
 * Checks of the conditions of DEFINE that read only the row that they test and rows at a fixed
 * distance from it: those that no row satisfies, and those that compare numbers as texts.
 */
private[warnings] object ConditionDataChecks {
  import ClauseRows._

  def of(rows: ClauseRows): Seq[DataCheck] = {
    val clause = rows.node.clause
    clause.definitions.flatMap { case (variable, condition) =>
      val parts = RowConditions.of(rows, variable, condition)
      val isWhole = parts.exists(_.written eq condition)
      parts.map(unsatisfied(rows, variable, _, isWhole)) ++
        Option.when(parts.length > 1)(unsatisfiedTogether(variable, parts))
    } ++ clause.definitions.flatMap { case (_, condition) =>
      RowConditions.textComparisons(condition).map(comparedTexts)
    }
  }

  private def isTrue(part: RowCondition): Expression = part.truth

  private def unsatisfied(
      rows: ClauseRows,
      variable: String,
      part: RowCondition,
      isOnly: Boolean
  ): DataCheck = {
    val satisfied = countIf(isTrue(part), "satisfied")
    val unknown = countIf(IsNull(part.truth), "unknown")
    val hint = Hint.of(part)
    val (text, advice) = (part.text, hint.map(_.sentence))
    DataCheck(
      Seq(satisfied, unknown) ++ hint.map(_.inPartition).toSeq.flatten,
      Seq(total(rows.rows), total(satisfied), total(unknown)) ++ hint.map(_.overall).toSeq.flatten,
      facts => {
        val all = facts.count(0)
        if (all == 0 || facts.count(1) > 0) Nil
        else if (facts.count(2) == all)
          Seq(
            s"No row satisfies $text, ${ofVariable(variable, isOnly)}: it is NULL in all " +
              s"${Words.rows(all)}, so $variable matches no row."
          )
        else
          Seq(
            s"No row satisfies $text, ${ofVariable(variable, isOnly)}, so $variable matches none of " +
              s"${Words.rows(all)}.${advice.flatMap(_(facts)).fold("")(" " + _)}"
          )
      }
    )
  }

  private def ofVariable(variable: String, isOnly: Boolean): String =
    if (isOnly) s"the condition of $variable" else s"a part of the condition of $variable"

  private def unsatisfiedTogether(variable: String, parts: Seq[RowCondition]): DataCheck = {
    val each = parts.map(part => countIf(isTrue(part), "satisfied"))
    val together = countIf(parts.map(isTrue).reduce(And(_, _)), "together")
    val texts = parts.map(_.text)
    DataCheck(
      each :+ together,
      each.map(total) :+ total(together),
      facts => {
        val counts = texts.indices.map(facts.count)
        if (counts.contains(0L) || facts.count(texts.length) > 0) Nil
        else {
          val listed = texts.zip(counts).map { case (text, count) =>
            s"${Words.rows(count)} satisf${if (count == 1) "ies" else "y"} $text"
          }
          Seq(
            s"No row satisfies the condition of $variable: ${listed.mkString(", ")}, but no row all " +
              s"of them, so $variable matches no row."
          )
        }
      }
    )
  }

  private val Number = "^[+-]?[0-9]+([.][0-9]+)?$"

  private def comparedTexts(found: TextComparison): DataCheck = {
    val text = StringTrim(AsText(found.value))
    val (texts, numbers) =
      (aggregate(Count(Seq(text)), "texts"), countIf(RLike(text, Literal(Number)), "numbers"))
    val shortest = aggregate(Min(Length(text)), "shortest")
    val longest = aggregate(Max(Length(text)), "longest")
    val (comparison, value) = (found.text, found.name)
    DataCheck(
      Seq(texts, numbers, shortest, longest),
      Seq(
        total(texts),
        total(numbers),
        aggregate(Min(shortest.toAttribute), "shortest"),
        aggregate(Max(longest.toAttribute), "longest")
      ),
      facts => {
        val areNumbers = facts.count(0) > 0 && facts.count(0) == facts.count(1)
        if (!areNumbers || facts.count(2) == facts.count(3)) Nil
        else
          Seq(
            s"$comparison compares texts, and all values of $value are numbers: as texts, '10' is " +
              s"less than '9'. Write CAST($value AS DOUBLE) on both sides."
          )
      }
    )
  }
}

/** What the data say about a comparison with a constant that no row satisfies. */
private[warnings] final case class Hint(
    inPartition: Seq[Alias],
    overall: Seq[Alias],
    sentence: Facts => Option[String]
)

private[warnings] object Hint {
  import ClauseRows._

  // After the counts of the check.
  private final val First = 3

  def of(part: RowCondition): Option[Hint] = part.condition match {
    case BinaryComparison(value, constant) if constant.foldable && !value.foldable =>
      of(part, value, constant, part.written.children.head)
    case BinaryComparison(constant, value) if constant.foldable && !value.foldable =>
      of(part, value, constant, part.written.children.last)
    case _ => None
  }

  private def of(
      part: RowCondition,
      value: Expression,
      constant: Expression,
      written: Expression
  ): Option[Hint] = value.dataType match {
    case _: StringType =>
      Option.when(part.condition.isInstanceOf[EqualTo])(
        nearest(part, value, constant, Written.of(written))
      )
    case other =>
      Option.when(RowOrdering.isOrderable(other))(range(value, Written.of(written)))
  }

  private def nearest(
      part: RowCondition,
      value: Expression,
      text: Expression,
      name: String
  ): Hint = {
    val plain = Tried(AsText(value))
    val (short, meant) =
      (plainForm(plain), plainForm(AsText(text)))
    val distance = Levenshtein(short, meant)
    val ranked = when(IsNotNull(plain), CreateStruct(Seq(distance, plain)))
    // Distances are slow to count, and are read only if no row satisfies the condition.
    val best = aggregate(Min(UntilTrue(part.truth, ranked)), "nearest")
    Hint(
      Seq(best),
      Seq(aggregate(Min(best.toAttribute), "nearest")),
      facts =>
        if (facts.isNull(First)) None
        else {
          val found = facts.struct(First, IntegerType, StringType)
          val differs =
            if (found.count(0) == 0) ", which differs in case or blanks" else ""
          Some(s"The nearest value of $name is '${found.text(1)}'$differs.")
        }
    )
  }

  /** Without case and blanks, at most 64 characters, whose distance is soon counted. */
  private def plainForm(text: Expression): Expression =
    Substring(Lower(StringTrim(text)), Literal(1), Literal(64))

  private def range(value: Expression, name: String): Hint = {
    val tried = Tried(value)
    val (least, most) = (aggregate(Min(tried), "least"), aggregate(Max(tried), "most"))
    val ends = Seq(
      Alias(AsText(Min(least.toAttribute).toAggregateExpression()), "least")(),
      Alias(AsText(Max(most.toAttribute).toAggregateExpression()), "most")()
    )
    Hint(
      Seq(least, most),
      ends,
      facts =>
        if (facts.isNull(First)) None
        else if (facts.text(First) == facts.text(First + 1))
          Some(s"$name is ${facts.text(First)}.")
        else Some(s"$name is from ${facts.text(First)} to ${facts.text(First + 1)}.")
    )
  }
}
