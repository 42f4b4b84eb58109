package io.matchrecognize.execution.stage

import java.nio.ByteOrder

import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}
import org.apache.spark.sql.types.{DataType, DecimalType, DoubleType, FloatType, StringType}

/** The columns of rows in whole-stage code. */
object StageColumns {

  /** Whether a PARTITION BY key is compared as a value. */
  def isComparable(key: Expression): Boolean = key match {
    case a: Attribute =>
      a.dataType == StringType ||
      (CodeGenerator.isPrimitiveType(a.dataType) && a.dataType != FloatType &&
        a.dataType != DoubleType)
    case _ => false
  }

  /** Whether all columns of fixed width are written as primitive values or decimals. */
  def areWritable(columns: Seq[Attribute]): Boolean =
    columns.map(_.dataType).forall { dataType =>
      !UnsafeRow.isFixedLength(dataType) || CodeGenerator.isPrimitiveType(dataType) ||
      dataType.isInstanceOf[DecimalType]
    } && ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  /** Writes a value as an UnsafeRow has it in its eight bytes. */
  def write(
      column: ExprCode,
      dataType: DataType,
      array: String,
      nulls: Option[String],
      at: String
  ): String = {
    val value = column.value.toString
    val raw = CodeGenerator.javaType(dataType) match {
      case CodeGenerator.JAVA_BOOLEAN => s"$value ? 1L : 0L"
      case CodeGenerator.JAVA_BYTE => s"$value & 0xffL"
      case CodeGenerator.JAVA_SHORT => s"$value & 0xffffL"
      case CodeGenerator.JAVA_INT => s"$value & 0xffffffffL"
      case CodeGenerator.JAVA_FLOAT => s"Float.floatToRawIntBits($value) & 0xffffffffL"
      case CodeGenerator.JAVA_DOUBLE => s"Double.doubleToRawLongBits($value)"
      case CodeGenerator.JAVA_LONG => value
      case _ => s"$value.toUnscaledLong()"
    }
    val isNull = dataType match {
      // As a row's writer does with a value that does not fit.
      case d: DecimalType =>
        s"(${column.isNull} || !$value.changePrecision(${d.precision}, ${d.scale}))"
      case _ => column.isNull.toString
    }
    nulls match {
      case Some(isNullArray) =>
        s"""if ($isNull) {
           |  $array[$at] = 0L;
           |  $isNullArray[$at] = 1;
           |} else {
           |  $array[$at] = $raw;
           |  $isNullArray[$at] = 0;
           |}""".stripMargin
      case None => s"$array[$at] = $raw;"
    }
  }
}
