package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.matchrecognize.GroupingKeys
import org.apache.spark.sql.types._

/** Keys whose bytes are equal just if GROUP BY finds the values equal. */
object GroupingKey {

  /** NaN = NaN, -0.0 = 0.0, strings by their collation, nested values too. */
  def normalize(key: Expression): Expression =
    GroupingKeys.normalize(key)

  /** Whether values of the type are equal just if their bytes are. */
  def isBinaryStable(dataType: DataType): Boolean = dataType match {
    case FloatType | DoubleType => false
    case s: StringType => s == StringType
    case _: StructType | _: ArrayType | _: MapType => false
    case _: UserDefinedType[_] => false
    case _ => true
  }
}
