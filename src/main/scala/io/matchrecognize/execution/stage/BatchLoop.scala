package io.matchrecognize.execution.stage

import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.execution.ColumnarToRowExec
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/**
 * Reads the column batches of a scan in the code of an operator, which takes the values of many
 * rows from a column at a time. It stands in for a `ColumnarToRowExec` and keeps its metrics.
 */
final class BatchLoop(ctx: CodegenContext, scan: ColumnarToRowExec) {
  import StageLoop._

  private val batches =
    ctx.addMutableState("scala.collection.Iterator", "batches", v => s"$v = inputs[0];")
  private val batch = field[ColumnarBatch](ctx, "batch")
  private val vectors = scan.output.map(_ => field[ColumnVector](ctx, "vector"))

  /** Rows of the batch. */
  val rows: String = number(ctx, "batchRows")

  /** The next row of the batch, which the code that takes rows moves. */
  val row: String = number(ctx, "batchRow")

  private val advance = ctx.freshName("advanceBatch")
  locally {
    val takeVectors = vectors.zipWithIndex.map { case (v, i) => s"$v = $batch.column($i);" }
    ctx.addNewFunction(
      advance,
      s"""
         |private boolean $advance() throws java.io.IOException {
         |  if ($batch != null) $batch.closeIfFreeable();
         |  $batch = null;
         |  if (!$batches.hasNext()) return false;
         |  $batch = (${classOf[ColumnarBatch].getName}) $batches.next();
         |  $rows = $batch.numRows();
         |  $row = 0;
         |  ${scan.metricTerm(ctx, "numInputBatches")}.add(1);
         |  ${scan.metricTerm(ctx, "numOutputRows")}.add($rows);
         |  ${takeVectors.mkString("\n")}
         |  return true;
         |}
       """.stripMargin,
      inlineToOuterClass = true
    )
  }

  /**
   * The loop over batches.
   *
   * @param take
   *   takes one row or more, from `row` on
   */
  def loop(take: String): String =
    s"""
       |while (!$Enough && (($batch != null && $row < $rows) || $advance())) {
       |  if ($row < $rows) {
       |    $take
       |  }
       |}
     """.stripMargin

  /**
   * Rows of which a condition is true, if they are adjacent in the input: where they end is found
   * in few steps, because all rows between two of them are such rows.
   *
   * @param ordinals
   *   the columns that the condition reads
   * @param condition
   *   an expression over their values
   */
  def run(ordinals: Seq[Int])(condition: Map[Int, ExprCode] => String): Run = {
    val contains = ctx.freshName("isInRun")
    val values = ordinals.map(ordinal => ordinal -> value(ordinal, "row")).toMap
    ctx.addNewFunction(
      contains,
      s"""
         |private boolean $contains(int row) {
         |  ${values.values.map(_.code).mkString("\n")}
         |  return ${condition(values)};
         |}
       """.stripMargin,
      inlineToOuterClass = true
    )
    val end = ctx.freshName("endOfRun")
    ctx.addNewFunction(
      end,
      s"""
         |private int $end() {
         |  int last = $row;
         |  int step = 1;
         |  while (last + step < $rows && $contains(last + step)) {
         |    last += step;
         |    step *= 2;
         |  }
         |  int end = Math.min(last + step, $rows);
         |  while (end - last > 1) {
         |    int middle = (last + end) >>> 1;
         |    if ($contains(middle)) last = middle; else end = middle;
         |  }
         |  return end;
         |}
       """.stripMargin,
      inlineToOuterClass = true
    )
    new Run(at => s"$contains($at)", s"$end()")
  }

  /** The row at a place of the batch, an `InternalRow`. */
  def rowAt(at: String): String = s"$batch.getRow($at)"

  /** The value of a column in the row at a place of the batch. */
  def value(ordinal: Int, at: String): ExprCode = {
    val column = scan.output(ordinal)
    val javaType = CodeGenerator.javaType(column.dataType)
    val value = ctx.freshName("value")
    val read = CodeGenerator.getValueFromVector(vectors(ordinal), column.dataType, at)
    if (column.nullable) {
      val isNull = ctx.freshName("isNull")
      val none = CodeGenerator.defaultValue(column.dataType)
      ExprCode(
        code"""boolean $isNull = ${vectors(ordinal)}.isNullAt($at);
              |$javaType $value = $isNull ? $none : ($read);""".stripMargin,
        JavaCode.isNullVariable(isNull),
        JavaCode.variable(value, column.dataType)
      )
    } else
      ExprCode(
        code"$javaType $value = $read;",
        FalseLiteral,
        JavaCode.variable(value, column.dataType)
      )
  }
}

/**
 * Expressions on the rows of which a condition is true.
 *
 * @param contains
 *   whether it is true of the row at a place
 * @param end
 *   the place after the last of them in the batch, if it is true of the next row
 */
final class Run(val contains: String => String, val end: String)
