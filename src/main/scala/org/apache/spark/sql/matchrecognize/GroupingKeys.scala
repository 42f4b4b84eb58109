package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.types.{ArrayType, DataType, StringType, StructType}

/** Keys whose byte equality coincides with the equality of GROUP BY. */
object GroupingKeys {

  /** NaN = NaN, -0.0 = 0.0, strings by their collation, nested values too. */
  def normalize(key: Expression): Expression =
    collated(NormalizeFloatingNumbers.normalize(key))

  // Spark's own rule for nested strings is not in 4.0, nor in 4.1.0 and 4.1.1.
  private def collated(key: Expression): Expression = key.dataType match {
    case _ if !isCollated(key.dataType) => key
    case _: StringType => CollationKey(key)
    case struct: StructType =>
      val fields = struct.fields.toSeq.zipWithIndex.flatMap { case (field, i) =>
        Seq(Literal(field.name), collated(GetStructField(key, i, Some(field.name))))
      }
      val keys = CreateNamedStruct(fields)
      if (key.nullable) If(IsNull(key), Literal(null, keys.dataType), keys) else keys
    case ArrayType(element, containsNull) =>
      val item = NamedLambdaVariable("item", element, containsNull)
      ArrayTransform(key, LambdaFunction(collated(item), Seq(item)))
    case _ => key
  }

  private def isCollated(dataType: DataType): Boolean = dataType match {
    case string: StringType => !string.supportsBinaryEquality
    case struct: StructType => struct.exists(field => isCollated(field.dataType))
    case ArrayType(element, _) => isCollated(element)
    case _ => false
  }
}
