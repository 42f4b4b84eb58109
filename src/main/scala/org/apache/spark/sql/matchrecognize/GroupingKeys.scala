package org.apache.spark.sql.matchrecognize

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StringType, StructType}

/** Keys whose byte equality coincides with the equality of GROUP BY. */
object GroupingKeys {

  /**
   * NaN = NaN, -0.0 = 0.0, strings by their collation, maps in any order, nested values too.
   *
   * @param isWide
   *   types for a NULL of which a row has bytes that nobody clears
   */
  def normalize(key: Expression, isWide: DataType => Boolean): Expression = {
    // Maps are not keys of PARTITION BY, but DISTINCT takes them.
    val withoutMaps = replaced(key, isSortable)(map => entries(map))
    // Spark's own rule for nested strings is not in 4.0, nor in 4.1.0 and 4.1.1.
    val binary =
      replaced(NormalizeFloatingNumbers.normalize(withoutMaps), isCollated)(CollationKey(_))
    replaced(binary, isWide)(withoutPlace)
  }

  /** As a field of a struct, whose NULL has no bytes. */
  private def withoutPlace(value: Expression): Expression = {
    val struct = CreateNamedStruct(Seq(Literal("value"), value))
    If(IsNull(value), Literal(null, struct.dataType), struct)
  }

  private def entries(map: Expression): Expression =
    replaced(MapEntries(MapSort(map)), isSortable)(value => entries(value))

  private def isSortable(dataType: DataType): Boolean = dataType match {
    case MapType(key, _, _) => RowOrdering.isOrderable(key)
    case _ => false
  }

  private def isCollated(dataType: DataType): Boolean = dataType match {
    case string: StringType => !string.supportsBinaryEquality
    case _ => false
  }

  /** The key with its values of some types, or those nested in it, replaced. */
  private def replaced(key: Expression, isChanged: DataType => Boolean)(
      change: Expression => Expression
  ): Expression = key.dataType match {
    case other if !isIn(other, isChanged) => key
    case changed if isChanged(changed) => change(key)
    case struct: StructType =>
      val fields = struct.fields.toSeq.zipWithIndex.flatMap { case (field, i) =>
        val value = GetStructField(key, i, Some(field.name))
        Seq(Literal(field.name), replaced(value, isChanged)(change))
      }
      val keys = CreateNamedStruct(fields)
      if (key.nullable) If(IsNull(key), Literal(null, keys.dataType), keys) else keys
    case ArrayType(element, containsNull) =>
      val item = NamedLambdaVariable("item", element, containsNull)
      ArrayTransform(key, LambdaFunction(replaced(item, isChanged)(change), Seq(item)))
    case _ => key
  }

  private def isIn(dataType: DataType, isChanged: DataType => Boolean): Boolean =
    isChanged(dataType) || (dataType match {
      case struct: StructType => struct.exists(field => isIn(field.dataType, isChanged))
      case ArrayType(element, _) => isIn(element, isChanged)
      case _ => false
    })
}
