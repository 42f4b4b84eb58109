package io.matchrecognize.execution.output

import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Expression,
  InterpretedUnsafeProjection,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform

import io.matchrecognize.execution.pointer.{PointerBindings, PointerField, PointerRow}
import io.matchrecognize.execution.rows.{RowChunk, Rows}
import io.matchrecognize.expressions.LateCompiled

/** Makes an output row of a [[PointerRow]]; the returned row is reused. */
abstract class OutputProjection {
  def apply(row: PointerRow): UnsafeRow
}

object OutputProjection {

  /**
   * @param output
   *   the output columns
   * @param fields
   *   those of the `PointerRow`
   * @param columns
   *   how many columns of variable length the store keeps
   * @param interpretedRows
   *   after how many rows generated code pays
   */
  def apply(
      output: Seq[Expression],
      fields: Array[PointerField],
      columns: Int,
      store: Rows,
      partitionIndex: Int,
      interpretedRows: Int
  ): OutputProjection = {
    val fixed = output.indices.flatMap(i => fixedColumn(output(i), fields).map(i -> _))
    val passed = output.indices.filter(i => variableColumn(output(i), fields).nonEmpty)
    val isInOrder = passed.flatMap(i => variableColumn(output(i), fields)) == (0 until columns)
    def isLast = output.indices.forall { i =>
      i < passed.head || passed.contains(i) || UnsafeRow.isFixedLength(output(i).dataType)
    }
    val isInOnePiece = columns >= ManyColumns && isInOrder && isLast
    def plain(columns: Seq[Expression]) =
      new PlainProjection(columns, partitionIndex, interpretedRows)
    if (isInOnePiece || fixed.length >= ManyColumns)
      new SplicedProjection(output, fixed, if (isInOnePiece) passed else Nil, store, plain)
    else plain(output)
  }

  // Where copying them is faster.
  private final val ManyColumns = 3

  /** The store's column of fixed width that the expression is, on the returned row. */
  private def fixedColumn(e: Expression, fields: Array[PointerField]): Option[Int] =
    fieldOf(e, fields).collect { case PointerField.Fixed(PointerBindings.Row, column, _) => column }

  /** The same of variable length. */
  private def variableColumn(e: Expression, fields: Array[PointerField]): Option[Int] =
    fieldOf(e, fields).collect {
      case PointerField.Variable(PointerBindings.Row, column, dataType) if isBytes(dataType) =>
        column
    }

  private def fieldOf(e: Expression, fields: Array[PointerField]): Option[PointerField] =
    Option(e).collect { case BoundReference(ordinal, _, _) => fields(ordinal) }

  /** Types of which a NULL takes no bytes, so that rows are the same whatever made them. */
  private def isBytes(dataType: DataType): Boolean = dataType match {
    case _: StringType | BinaryType | _: ArrayType | _: MapType | _: StructType => true
    case _ => false
  }
}

private[output] final class PlainProjection(
    output: Seq[Expression],
    partitionIndex: Int,
    interpretedRows: Int
) extends OutputProjection {
  private val projection =
    LateCompiled[UnsafeProjection](output, interpretedRows) {
      InterpretedUnsafeProjection.createProjection(output)
    } {
      val projection = UnsafeProjection.create(output)
      projection.initialize(partitionIndex)
      projection
    }

  override def apply(row: PointerRow): UnsafeRow = projection.get().apply(row)
}

/**
 * For ALL ROWS PER MATCH over wide rows: the store's columns are copied to the output row, those of
 * fixed width field by field, those of variable length, which are one UnsafeRow there, to its end
 * in one piece.
 *
 * @param fixed
 *   where columns of fixed width are in the output, and in the store
 * @param passed
 *   where those of variable length are in the output, in the order of the store; no other column of
 *   variable length comes after the first of them
 */
private[output] final class SplicedProjection(
    output: Seq[Expression],
    fixed: Seq[(Int, Int)],
    passed: Seq[Int],
    store: Rows,
    plain: Seq[Expression] => OutputProjection
) extends OutputProjection {
  private val (fixedPlaces, fixedColumns) = (fixed.map(_._1).toArray, fixed.map(_._2).toArray)
  private val passedPlaces: Array[Int] = passed.toArray
  private val others: Array[Int] = output.indices.diff(fixedPlaces).diff(passed).toArray
  private val isVariable: Array[Boolean] =
    others.map(i => !UnsafeRow.isFixedLength(output(i).dataType))
  private val projection = plain(others.toSeq.map(output))
  private val bitSet = UnsafeRow.calculateBitSetWidthInBytes(output.length)
  private val fixedSize = RowChunk.bytesOfFields(output.length)
  private val othersFixedSize = RowChunk.bytesOfFields(others.length)
  private val passedFixedSize = RowChunk.bytesOfFields(passed.length)
  private val result = new UnsafeRow(output.length)
  private var bytes = new Array[Byte](SplicedProjection.FirstBytes)

  override def apply(row: PointerRow): UnsafeRow = {
    val other = projection(row)
    val shown = row.pointers(PointerBindings.Row)
    val stored =
      if (passedPlaces.length == 0) SplicedProjection.NoColumns else store.variable(shown)
    val othersEnd = fixedSize + other.getSizeInBytes - othersFixedSize
    // Together they may have more than a row can have.
    val size = othersEnd.toLong + stored.getSizeInBytes - passedFixedSize
    if (size > bytes.length) bytes = new Array[Byte](RowChunk.grownSize(bytes.length, size))
    result.pointTo(bytes, size.toInt)
    putFields(other, stored, othersEnd)
    store.putFixed(shown, fixedColumns, result, fixedPlaces)
    copy(other, othersFixedSize, fixedSize)
    copy(stored, passedFixedSize, othersEnd)
    result
  }

  private def putFields(other: UnsafeRow, stored: UnsafeRow, othersEnd: Int): Unit = {
    RowChunk.clearWords(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, bitSet)
    val othersMove = (fixedSize - othersFixedSize).toLong << 32
    var i = 0
    while (i < others.length) {
      val move = if (isVariable(i)) othersMove else 0L
      putField(others(i), other.getLong(i), other.isNullAt(i), move)
      i += 1
    }
    val move = (othersEnd - passedFixedSize).toLong << 32
    i = 0
    while (i < passedPlaces.length) {
      putField(passedPlaces(i), stored.getLong(i), stored.isNullAt(i), move)
      i += 1
    }
  }

  /**
   * @param move
   *   added to the place of a value of variable length
   */
  private def putField(ordinal: Int, field: Long, isNull: Boolean, move: Long): Unit = {
    if (isNull) result.setNullAt(ordinal)
    // A NULL that may take bytes, such as one of DECIMAL(38), has a place too.
    val moved = if (field == 0) 0L else field + move
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + bitSet + ordinal * 8L, moved)
  }

  private def copy(from: UnsafeRow, start: Int, to: Int): Unit = RowChunk.copyWords(
    from.getBaseObject,
    from.getBaseOffset + start,
    bytes,
    Platform.BYTE_ARRAY_OFFSET.toLong + to,
    from.getSizeInBytes - start
  )
}

private object SplicedProjection {
  private final val FirstBytes = 1024
  private val NoColumns = new UnsafeRow(0)
}
