package io.matchrecognize.analysis.warnings

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, Max, MaxBy, Sum}
import org.apache.spark.sql.types.{DoubleType, FloatType}

import io.matchrecognize.errors.Wording.number
import io.matchrecognize.expressions.AsText
import io.matchrecognize.pattern.RowPattern

/** Checks of the PARTITION BY keys and of the sizes of partitions. */
private[warnings] object PartitionDataChecks {
  import ClauseRows._

  /** A smaller partition is searched in no time, whatever the others are. */
  private final val LargePartition = 10000

  def of(rows: ClauseRows): Seq[DataCheck] =
    sizes(rows) +: (rows.partitionKeys.zip(rows.partitionNames).flatMap { case (key, name) =>
      nulls(rows, key, name) +: fractions(key, name).toSeq
    })

  private def nulls(rows: ClauseRows, key: Alias, name: String): DataCheck = {
    val count = If(IsNull(key.toAttribute), rows.rows.toAttribute, NoCount)
    DataCheck(
      Nil,
      Seq(aggregate(new Sum(count), "nulls")),
      facts =>
        if (facts.count(0) == 0) Nil
        else
          Seq(
            s"PARTITION BY $name is NULL in ${Words.rows(facts.count(0))}, which are searched as one " +
              s"partition. If they do not belong together, exclude them: WHERE $name IS NOT NULL."
          )
    )
  }

  /** Numbers with fractions are keys only if they are computed in the same way. */
  private def fractions(key: Alias, name: String): Option[DataCheck] =
    Option.when(key.dataType == DoubleType || key.dataType == FloatType) {
      val value = cast(key.toAttribute, DoubleType)
      val isFraction = Not(EqualTo(Rint(value), value))
      val typeName = key.dataType.sql
      DataCheck(
        Nil,
        Seq(aggregate(Max(when(isFraction, AsText(key.toAttribute))), "fraction")),
        facts =>
          if (facts.isNull(0)) Nil
          else
            Seq(
              s"PARTITION BY $name is ${Words.article(typeName)} with values such as " +
                s"${facts.text(0)}. Two results that differ in the last digit are two partitions. " +
                s"Write CAST($name AS DECIMAL(18, 6)), or the scale that you mean."
            )
      )
    }

  private def sizes(rows: ClauseRows): DataCheck = {
    val size = rows.rows.toAttribute
    val names = rows.partitionNames
    val shortest = Shortest.of(rows.node.clause.pattern)
    DataCheck(
      Nil,
      Seq(
        total(rows.rows),
        aggregate(Count(Seq(Literal(1))), "partitions"),
        aggregate(Max(size), "largest"),
        aggregate(MaxBy(rows.partition, size), "key")
      ),
      facts => {
        val (all, partitions, largest) = (facts.count(0), facts.count(1), facts.count(2))
        def key = equalities(names, facts.texts(3))
        if (all == 0) Seq("The input of the clause has no rows, so its data was not checked.")
        else if (largest < shortest && names.isEmpty)
          Seq(
            s"The input has ${Words.rows(all)}, and the shortest match has $shortest, so nothing " +
              "matches."
          )
        else if (largest < shortest)
          Seq(
            s"The largest partition of PARTITION BY ${names.mkString(", ")} has " +
              s"${Words.rows(largest)}, and the shortest match has $shortest, so nothing matches. " +
              "Use fewer keys in PARTITION BY."
          )
        else if (partitions > 2 && largest >= LargePartition && largest * 2 > all)
          Seq(
            s"The partition $key has ${number(largest)} of ${Words.rows(all)}, in ${number(partitions)} partitions. One " +
              "task searches it, and the others wait. If its key replaces missing values, exclude " +
              "it in WHERE; otherwise add a key to PARTITION BY."
          )
        else Nil
      }
    )
  }
}

/** The number of rows of the shortest match. */
private[warnings] object Shortest {
  import RowPattern._

  /** At most the largest Int. */
  def of(pattern: RowPattern): Long = math.min(rows(pattern), Int.MaxValue.toLong)

  private def rows(pattern: RowPattern): Long = pattern match {
    case Variable(_) => 1
    case Alternation(branches) => if (branches.isEmpty) 0 else branches.map(of).min
    case Quantified(element, lower, _, _) => of(element) * lower
    case other => other.children.map(of).sum
  }
}
