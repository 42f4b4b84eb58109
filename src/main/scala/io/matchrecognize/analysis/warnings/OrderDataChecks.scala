package io.matchrecognize.analysis.warnings

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, Max, Min}
import org.apache.spark.sql.types.{ArrayType, DoubleType, IntegerType, LongType, StringType}

import io.matchrecognize.errors.Wording
import io.matchrecognize.expressions.AsText

/** Checks of the ORDER BY keys: ties, NULLs, and texts that are numbers or dates. */
private[warnings] object OrderDataChecks {
  import ClauseRows._

  def of(rows: ClauseRows): Seq[DataCheck] =
    if (!rows.hasOrder) Nil
    else
      rows.orderKeys.indices.flatMap { i =>
        val texts =
          if (!rows.orderKeys(i).dataType.isInstanceOf[StringType]) Nil
          else Seq(numbers(rows, i), dates(rows, i))
        nulls(rows, i) +: texts
      } :+ ties(rows)

  /** Whether a row has the same keys as the one `offset` rows away, up to a key. */
  private def isEqual(rows: ClauseRows, offset: Int, keys: Int): Expression =
    rows.orderKeys
      .take(keys)
      .map(key => EqualNullSafe(key.toAttribute, rows.neighbour(key.toAttribute, offset)))
      .foldLeft(GreaterThan(rows.number, Literal(-offset)): Expression)(And(_, _))

  private def ties(rows: ClauseRows): DataCheck = {
    val all = rows.orderKeys.length
    val isTied = isEqual(rows, -1, all)
    // The second row of a group.
    val isFirst = And(isTied, Not(isEqual(rows, -2, all)))
    val groups = countIf(isFirst, "groups")
    val tied = countIf(isTied, "tied")
    val example = CreateArray(rows.orderKeys.map(key => AsText(key.toAttribute)))
    val keys = aggregate(Max(when(isTied, example)), "tie")
    val names = rows.orderNames
    val partitionNames = rows.partitionNames
    val largest = aggregate(
      Max(
        when(
          IsNotNull(keys.toAttribute),
          CreateStruct(Seq(groups.toAttribute, rows.partition, keys.toAttribute))
        )
      ),
      "example"
    )
    DataCheck(
      Seq(groups, tied, keys),
      Seq(total(groups), total(tied), largest),
      facts =>
        if (facts.count(0) == 0) Nil
        else {
          val texts = ArrayType(StringType)
          val found = facts.struct(2, LongType, texts, texts)
          val key = equalities(partitionNames ++ names, found.texts(1) ++ found.texts(2))
          val cure =
            if (partitionNames.isEmpty)
              "If they belong to different things, add PARTITION BY; otherwise add a key to ORDER BY " +
                "that tells them apart."
            else "Add a key to ORDER BY that tells them apart."
          Seq(
            s"${Words.rows(facts.count(0) + facts.count(1))} have the same ORDER BY key as another " +
              s"row of their partition (${Wording.count(facts.count(0), "group")}, such as $key), so " +
              s"their order, and with it the result, may change. $cure"
          )
        }
    )
  }

  private def nulls(rows: ClauseRows, i: Int): DataCheck = {
    val count = countIf(IsNull(rows.orderKeys(i).toAttribute), "nulls")
    val name = rows.orderNames(i)
    val place =
      if (rows.node.clause.orderSpec(i).nullOrdering == NullsFirst) "before" else "after"
    DataCheck(
      Seq(count),
      Seq(total(count)),
      facts =>
        if (facts.count(0) == 0) Nil
        else
          Seq(
            s"ORDER BY $name is NULL in ${Words.rows(facts.count(0))}, which are sorted $place all " +
              s"others. If they have no place in the order, exclude them: WHERE $name IS NOT NULL."
          )
    )
  }

  private val Number = "^[+-]?[0-9]+([.][0-9]+)?$"
  private val Whole = "^[+-]?[0-9]+$"
  private val Date = "^[0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{4})([^0-9].*)?$"

  /** Texts that are numbers, where their order is not that of the numbers. */
  private def numbers(rows: ClauseRows, i: Int): DataCheck = {
    val key = AsText(rows.orderKeys(i).toAttribute)
    val number =
      when(RLike(StringTrim(key), Literal(Number)), tryCast(StringTrim(key), DoubleType))
    val texts = aggregate(Count(Seq(key)), "texts")
    val numbers = aggregate(Count(Seq(number)), "numbers")
    val whole = countIf(RLike(StringTrim(key), Literal(Whole)), "whole")
    val inverted = inversion(rows, i, key, number)
    val name = rows.orderNames(i)
    DataCheck(
      Seq(texts, numbers, whole, inverted),
      Seq(texts, numbers, whole).map(total) :+ aggregate(Min(inverted.toAttribute), "example"),
      facts =>
        if (facts.isNull(3) || facts.count(0) != facts.count(1)) Nil
        else {
          val example = facts.struct(3, StringType, StringType)
          val typeName = if (facts.count(2) == facts.count(1)) "BIGINT" else "DOUBLE"
          Seq(
            s"ORDER BY $name sorts texts, and all of them are numbers: '${example.text(0)}' is before " +
              s"'${example.text(1)}'. Write ORDER BY CAST($name AS $typeName)."
          )
        }
    )
  }

  /** Dates that do not begin with the year. */
  private def dates(rows: ClauseRows, i: Int): DataCheck = {
    val key = AsText(rows.orderKeys(i).toAttribute)
    val year = when(
      RLike(key, Literal(Date)),
      tryCast(RegExpExtract(key, Literal(Date), Literal(1)), IntegerType)
    )
    val texts = aggregate(Count(Seq(key)), "texts")
    val dates = aggregate(Count(Seq(year)), "dates")
    val inverted = inversion(rows, i, key, year)
    val name = rows.orderNames(i)
    DataCheck(
      Seq(texts, dates, inverted),
      Seq(texts, dates).map(total) :+ aggregate(Min(inverted.toAttribute), "example"),
      facts =>
        if (facts.isNull(2) || facts.count(0) != facts.count(1)) Nil
        else {
          val example = facts.struct(2, StringType, StringType)
          Seq(
            s"ORDER BY $name sorts texts, and all of them are dates that do not begin with the year: " +
              s"'${example.text(0)}' is before '${example.text(1)}'. Write ORDER BY to_date($name, " +
              "'...') with their format, or to_timestamp."
          )
        }
    )
  }

  /** The least pair of successive keys whose values are not in the order of the key, or NULL. */
  private def inversion(
      rows: ClauseRows,
      i: Int,
      key: Expression,
      value: Expression
  ): Alias = {
    val isDescending = rows.node.clause.orderSpec(i).direction == Descending
    val before = rows.orderKeys(i).toAttribute
    val previous = rows.neighbour(before, -1)
    val valueBefore = value.transform { case a: Attribute if a.semanticEquals(before) => previous }
    val keyBefore = key.transform { case a: Attribute if a.semanticEquals(before) => previous }
    val isWrong =
      if (isDescending) LessThan(valueBefore, value) else GreaterThan(valueBefore, value)
    val isInGroup = isEqual(rows, -1, i)
    aggregate(
      Min(when(And(isInGroup, isWrong), CreateStruct(Seq(keyBefore, key)))),
      "inversion"
    )
  }
}
