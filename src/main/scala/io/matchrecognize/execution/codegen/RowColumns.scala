package io.matchrecognize.execution.codegen

import java.nio.ByteOrder

import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.types._

import io.matchrecognize.execution.rows.StoreSchema

/**
 * The columns of fixed width in the code of an operator: fields for their arrays, to which values
 * are written as they are produced.
 */
final class RowColumns(ctx: CodegenContext, schema: StoreSchema) {
  import RowColumns._

  private val values =
    schema.fixed.toSeq.map(_ => GeneratedClass.array(ctx, CodeGenerator.JAVA_LONG, "values"))
  private val nulls = schema.fixedNullable.toSeq.map { nullable =>
    Option.when(nullable)(GeneratedClass.array(ctx, CodeGenerator.JAVA_BYTE, "nulls"))
  }

  /**
   * Takes the arrays.
   *
   * @param valuesOf
   *   an expression, the array of values of a column by its place among those of fixed width
   * @param nullsOf
   *   the same of its array of nulls
   */
  def take(valuesOf: Int => String, nullsOf: Int => String): String =
    (values.zipWithIndex.map { case (array, i) => s"$array = ${valuesOf(i)};" } ++
      nulls.zipWithIndex.collect { case (Some(array), i) => s"$array = ${nullsOf(i)};" })
      .mkString("\n")

  /** Writes the values of a row to the arrays. */
  def write(input: Seq[ExprCode], columns: Seq[Attribute], at: String): String =
    schema.fixed.toSeq.zipWithIndex
      .map { case (ordinal, i) =>
        writeValue(input(ordinal), columns(ordinal).dataType, values(i), nulls(i), at)
      }
      .mkString("\n")
}

object RowColumns {

  /** Whether all columns of fixed width are written as primitive values or decimals. */
  def areWritable(columns: Seq[Attribute]): Boolean =
    columns.map(_.dataType).forall { dataType =>
      !UnsafeRow.isFixedLength(dataType) || CodeGenerator.isPrimitiveType(dataType) ||
      dataType.isInstanceOf[DecimalType]
    } && ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  /**
   * Whether the code that reads and keeps all columns of a row is short: it is one method, which
   * the JIT compiler leaves to the interpreter beyond 8,000 bytes. From some 40 columns on,
   * operators that pass rows to each other are faster in any case.
   */
  def areFew(columns: Seq[Attribute]): Boolean =
    columns.map(c => codeBytes(c.dataType)).sum <= MaxCodeBytes

  private final val MaxCodeBytes = 5000

  /** About how many bytes of code the values of a type take. */
  private def codeBytes(dataType: DataType): Int = dataType match {
    case ArrayType(element, _) => 300 + codeBytes(element)
    case MapType(key, value, _) => 500 + codeBytes(key) + codeBytes(value)
    case StructType(fields) => 200 + fields.map(f => codeBytes(f.dataType)).sum
    case other: UserDefinedType[_] => codeBytes(other.sqlType)
    case _: StringType => 80
    case _ => 120
  }

  /** Writes a value as an UnsafeRow has it in its eight bytes. */
  private def writeValue(
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
