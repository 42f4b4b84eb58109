package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.matchrecognize.GroupingKeys
import org.apache.spark.sql.types._

import io.matchrecognize.shims.MinorClass

/** Keys whose byte equality coincides with the equality of GROUP BY. */
object GroupingKey {

  /** NaN = NaN, -0.0 = 0.0, strings by their collation, nested values too. */
  def normalize(key: Expression): Expression =
    GroupingKeys.normalize(key, MinorClass.TimestampNanosType.isClassOf)

  /** Whether equality of values of the type coincides with that of their bytes. */
  def isBinaryStable(dataType: DataType): Boolean = dataType match {
    case FloatType | DoubleType => false
    case s: StringType => s == StringType
    case _: StructType | _: ArrayType | _: MapType => false
    case _: UserDefinedType[_] => false
    case _ => true
  }
}
