package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.types.{ArrayType, DataType, StringType, StructType}

/** Keys whose byte equality coincides with the equality of GROUP BY. */
object GroupingKeys {

  /** NaN = NaN, -0.0 = 0.0, strings by their collation, nested values too. */
  def normalize(key: Expression): Expression =
    sameBytes(NormalizeFloatingNumbers.normalize(key))

  // Spark's own rule for nested strings is not in 4.0, nor in 4.1.0 and 4.1.1.
  private def sameBytes(key: Expression): Expression = key.dataType match {
    case _ if !isChanged(key.dataType) => key
    case _: StringType => CollationKey(key)
    case nanos if isNanos(nanos) =>
      // A NULL leaves the bytes of the value as they were; that of a struct has none.
      val value = CreateNamedStruct(Seq(Literal("value"), key))
      if (key.nullable) If(IsNull(key), Literal(null, value.dataType), value) else key
    case struct: StructType =>
      val fields = struct.fields.toSeq.zipWithIndex.flatMap { case (field, i) =>
        Seq(Literal(field.name), sameBytes(GetStructField(key, i, Some(field.name))))
      }
      val keys = CreateNamedStruct(fields)
      if (key.nullable) If(IsNull(key), Literal(null, keys.dataType), keys) else keys
    case ArrayType(element, containsNull) =>
      val item = NamedLambdaVariable("item", element, containsNull)
      ArrayTransform(key, LambdaFunction(sameBytes(item), Seq(item)))
    case _ => key
  }

  private def isChanged(dataType: DataType): Boolean = dataType match {
    case string: StringType => !string.supportsBinaryEquality
    case struct: StructType => struct.exists(field => isChanged(field.dataType))
    case ArrayType(element, _) => isChanged(element)
    case other => isNanos(other)
  }

  // TIMESTAMP_NTZ(9) and TIMESTAMP_LTZ(9), classes of 4.3.
  private def isNanos(dataType: DataType): Boolean =
    dataType.getClass.getSimpleName.matches("Timestamp(NTZ|LTZ)NanosType")
}
