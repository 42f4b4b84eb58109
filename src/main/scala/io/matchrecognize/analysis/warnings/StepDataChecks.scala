package io.matchrecognize.analysis.warnings

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

import io.matchrecognize.errors.Wording
import io.matchrecognize.expressions.{AsText, Navigation}
import io.matchrecognize.plans.PatternClause

/**
 * Checks of the steps of the first ORDER BY key, from a row to the next one in its partition, if
 * the key is a number or a time: pauses that PREV or NEXT reads across, and numbers that are
 * missing.
 *
 * A pause is long in relation to the median step of its partition: ten times if the steps are
 * regular, a hundred times if they vary, as times of events do.
 */
private[warnings] object StepDataChecks {
  import ClauseRows._

  private final val FewSteps = 10
  private final val Regular = 10.0
  private final val Irregular = 100.0

  def of(rows: ClauseRows): Seq[DataCheck] = for {
    key <- rows.orderKeys.headOption.toSeq
    (value, scale) <- position(key.toAttribute).toSeq
    steps = new Steps(rows, key.toAttribute, value, scale)
    check <- shortWithin(steps).toSeq ++ neighbourRead(rows.node.clause).toSeq
      .flatMap(acrossGaps(steps, _))
  } yield check

  /** A condition on the key itself, or WITHIN, bounds the pause. */
  private def acrossGaps(steps: Steps, navigation: String): Seq[DataCheck] = {
    val clause = steps.rows.node.clause
    if (clause.within.nonEmpty || readsKey(clause)) Nil
    else
      pauses(steps, navigation) +: (if (steps.areWhole) Seq(numbering(steps, navigation)) else Nil)
  }

  /** PREV or NEXT, if the clause has one. */
  private def neighbourRead(clause: PatternClause): Option[String] =
    (clause.conditions ++ clause.measures)
      .flatMap(_.collect {
        case Navigation(_, target) if target.physicalOffset != 0 =>
          if (target.physicalOffset < 0) "PREV" else "NEXT"
      })
      .headOption

  private def readsKey(clause: PatternClause): Boolean = {
    val key = clause.orderSpec.head.child
    clause.conditions.exists(_.exists {
      case Navigation(value, _) => value.references.intersect(key.references).nonEmpty
      case _ => false
    })
  }

  /** What a key counts: microseconds, days, or its own units. */
  private sealed abstract class Scale(val micros: Option[Double])
  private case object Micros extends Scale(Some(1.0))
  private case object Days extends Scale(Some(86400e6))
  private case object Units extends Scale(None)

  private def position(key: Expression): Option[(Expression, Scale)] = key.dataType match {
    case whole if isInteger(whole) => Some(cast(key, LongType) -> Units)
    case FloatType | DoubleType | _: DecimalType => Some(cast(key, DoubleType) -> Units)
    case TimestampType => Some(UnixMicros(key) -> Micros)
    case TimestampNTZType => Some(UnixMicros(Cast(key, TimestampType, Some("UTC"))) -> Micros)
    case DateType => Some(cast(UnixDate(key), LongType) -> Days)
    case _ => None
  }

  private def isInteger(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  /** The steps of a key, each on the row at which it ends. */
  private final class Steps(
      val rows: ClauseRows,
      key: Attribute,
      value: Expression,
      val scale: Scale
  ) {
    private val previous = rows.neighbour(key, -1)
    private val before = value.transform { case a: Attribute if a.semanticEquals(key) => previous }
    val isDescending: Boolean = rows.node.clause.orderSpec.head.direction == Descending
    private val difference =
      if (isDescending) new Subtract(before, value) else new Subtract(value, before)

    /** NULL on the first row, for NULL, and for what is too large. */
    val size: Expression = cast(Tried(difference), DoubleType)
    val pair: Expression = CreateStruct(Seq(AsText(previous), AsText(key)))
    val areWhole: Boolean = isInteger(key.dataType)
    def name: String = rows.orderNames.head

    /** A size as the user reads it. */
    def words: Double => String = {
      val micros = scale.micros
      size => micros.fold(Words.number(size))(m => Words.span(size * m))
    }
  }

  private def shortWithin(steps: Steps): Option[DataCheck] = for {
    bound <- steps.rows.node.clause.bound
    limit <- inUnits(bound.bound, steps.scale)
    if Shortest.of(steps.rows.node.clause.pattern) > 1
  } yield {
    val least = aggregate(Min(steps.size), "least")
    val (written, name, words) = (bound.sql, steps.name, steps.words)
    DataCheck(
      Seq(least),
      Seq(aggregate(Min(least.toAttribute), "least")),
      facts =>
        if (facts.isNull(0) || facts.double(0) <= limit) Nil
        else
          Seq(
            s"$written is less than the shortest step of $name, which is ${words(facts.double(0))}, " +
              "so no two rows are in one match. Write a longer bound."
          )
    )
  }

  private def inUnits(bound: Expression, scale: Scale): Option[Double] = bound match {
    case Literal(micros: Long, _: DayTimeIntervalType) => scale.micros.map(micros / _)
    case Literal(number, _: NumericType) if scale == Units && number != null =>
      Some(number.toString.toDouble)
    case _ => None
  }

  private def pauses(steps: Steps, navigation: String): DataCheck = {
    val (rows, pair) = (steps.rows, steps.pair)
    // Ties are not steps; infinity is not the distance of anything.
    val isStep = And(GreaterThan(steps.size, Literal(0.0)), LessThan(steps.size, Literal(1e300)))
    val step = when(isStep, steps.size)
    val count = aggregate(Count(Seq(step)), "steps")
    val longest = aggregate(Max(step), "longest")
    val place = aggregate(MaxBy(pair, when(isStep, CreateStruct(Seq(step, pair)))), "place")
    val quantiles =
      aggregate(
        new ApproximatePercentile(
          step,
          CreateArray(Seq(Literal(0.5), Literal(0.95))),
          Literal(1000)
        ),
        "quantiles"
      )
    def quantile(i: Int) =
      GetArrayItem(quantiles.toAttribute, Literal(i), failOnError = false)
    val ratio = new Divide(longest.toAttribute, quantile(0))
    val isRegular = LessThanOrEqual(quantile(1), new Multiply(quantile(0), Literal(2.0)))
    // 1 is where a pause begins to be long.
    val excess = new Divide(ratio, If(isRegular, Literal(Regular), Literal(Irregular)))
    val isLong = And(
      GreaterThanOrEqual(count.toAttribute, Literal(FewSteps.toLong)),
      GreaterThanOrEqual(excess, Literal(1.0))
    )
    val found = CreateStruct(
      Seq(longest.toAttribute, quantile(0), place.toAttribute, rows.partition)
    )
    val (names, name, words) = (rows.partitionNames, steps.name, steps.words)
    val bounded = bound(steps)
    DataCheck(
      Seq(count, longest, place, quantiles),
      Seq(
        aggregate(MaxBy(found, when(isLong, CreateStruct(Seq(excess, rows.partition)))), "pause")
      ),
      facts =>
        if (facts.isNull(0)) Nil
        else {
          val pairOfTexts = new StructType().add("from", StringType).add("to", StringType)
          val row =
            facts.struct(0, DoubleType, DoubleType, pairOfTexts, ArrayType(StringType))
          val (from, to) = {
            val pair = row.struct(2, StringType, StringType)
            (pair.text(0), pair.text(1))
          }
          val in =
            if (names.isEmpty) "" else s" in the partition ${equalities(names, row.texts(3))}"
          Seq(
            s"$navigation reads across pauses of $name: its longest step is ${words(row.double(0))}, " +
              s"from $from to $to$in, and its median step is ${words(row.double(1))}. If a match must " +
              s"not span a pause, bound it: by WITHIN, or as in $bounded in DEFINE."
          )
        }
    )
  }

  private def bound(steps: Steps): String = {
    val previous = s"PREV(${steps.name})"
    val difference =
      if (steps.isDescending) s"$previous - ${steps.name}" else s"${steps.name} - $previous"
    val most = steps.scale match {
      case Micros => "INTERVAL '10' MINUTE"
      case Days => "INTERVAL '7' DAY"
      case Units => "10"
    }
    s"$difference <= $most"
  }

  /** Integers that are consecutive but for some. */
  private def numbering(steps: Steps, navigation: String): DataCheck = {
    val (step, rows) = (steps.size, steps.rows)
    val ones = countIf(EqualTo(step, Literal(1.0)), "ones")
    val holes = countIf(GreaterThan(step, Literal(1.0)), "holes")
    val place = aggregate(Min(when(GreaterThan(step, Literal(1.0)), steps.pair)), "hole")
    val (names, name) = (rows.partitionNames, steps.name)
    val one = if (steps.isDescending) "-" else "+"
    val found = CreateStruct(Seq(rows.partition, place.toAttribute))
    DataCheck(
      Seq(ones, holes, place),
      Seq(
        total(ones),
        total(holes),
        aggregate(Min(when(IsNotNull(place.toAttribute), found)), "example")
      ),
      facts => {
        val (consecutive, missing) = (facts.count(0), facts.count(1))
        if (missing == 0 || consecutive < 9 * missing || consecutive < FewSteps) Nil
        else {
          val pairOfTexts = new StructType().add("from", StringType).add("to", StringType)
          val row = facts.struct(2, ArrayType(StringType), pairOfTexts)
          val in =
            if (names.isEmpty) "" else s" in the partition ${equalities(names, row.texts(0))}"
          val pair = row.struct(1, StringType, StringType)
          Seq(
            s"The numbers of $name have ${Wording.count(missing, "gap")}, as from ${pair.text(0)} to " +
              s"${pair.text(1)}$in, and $navigation reads across them. If it must not, write $name = " +
              s"PREV($name) $one 1 in DEFINE."
          )
        }
      }
    )
  }
}
