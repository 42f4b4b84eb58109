package io.matchrecognize.analysis.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import io.matchrecognize.expressions.KeyDistances
import io.matchrecognize.pattern.AutomatonBuilder
import io.matchrecognize.plans.MatchRecognize
import io.matchrecognize.plans.advice.Lookback

/**
 * The table function `match_recognize_lookback`: for each clause of a statement where its search
 * may be cut, the innermost clause first. Distances of times are in seconds, rounded up.
 */
object LookbackFunction
    extends StatementFunction(
      "match_recognize_lookback",
      "_FUNC_(query) - Returns how many rows before new ones the clauses of a query have to read."
    ) {
  private val distance = DecimalType(DecimalType.MAX_PRECISION, 6)

  override protected def columns: Seq[Attribute] = Seq(
    AttributeReference("cut", StringType, nullable = false)(),
    AttributeReference("span", distance)(),
    AttributeReference("gap", distance)(),
    AttributeReference("is_time", BooleanType, nullable = false)(),
    AttributeReference("rows_before", IntegerType, nullable = false)(),
    AttributeReference("numbered", BooleanType, nullable = false)(),
    AttributeReference("advice", StringType, nullable = false)()
  )

  override protected def rows(plan: LogicalPlan, nodes: Seq[MatchRecognize]): Seq[InternalRow] =
    optimizedClauses(plan).map { case (clause, _) =>
      // The pattern has been checked against the limit.
      val found = Lookback.of(clause, AutomatonBuilder.of(clause.pattern, Int.MaxValue))
      val isTime = KeyDistances.isTime(found.keyType)
      def decimal(value: Option[BigDecimal]) = value.map { value =>
        val inUnits = if (isTime) value / 1000000 else value
        Decimal(
          inUnits.setScale(distance.scale, BigDecimal.RoundingMode.CEILING),
          distance.precision,
          distance.scale
        )
      }.orNull
      InternalRow(
        UTF8String.fromString(found.cut),
        decimal(found.span),
        decimal(found.gap),
        isTime,
        found.rowsBefore,
        found.isNumbered,
        UTF8String.fromString(found.advice)
      )
    }
}
