package io.matchrecognize.execution.stage

import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  BindReferences,
  Expression,
  NamedExpression,
  PlanExpression
}
import org.apache.spark.sql.execution.{ColumnarToRowExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import io.matchrecognize.expressions.Fallible

/**
 * Rows as a scan's column batches have them.
 *
 * @param columns
 *   of the rows, over those of the scan
 */
final case class BatchSource(scan: ColumnarToRowExec, columns: Seq[NamedExpression])

object BatchSource {

  /** The rows of an operator, if it is a scan or a projection right above one. */
  def of(plan: SparkPlan): Option[BatchSource] = plan match {
    case scan: ColumnarToRowExec => Some(BatchSource(scan, scan.output))
    case ProjectExec(columns, scan: ColumnarToRowExec) if columns.forall(isSimple) =>
      Some(BatchSource(scan, columns))
    case _ => None
  }

  /**
   * Whether the values may be computed column by column, and on rows ahead, and need nothing that a
   * projection prepares.
   */
  private def isSimple(e: NamedExpression): Boolean = e match {
    case Alias(value, _) =>
      value.deterministic && !Fallible(value) && !value.exists(_.isInstanceOf[PlanExpression[_]])
    case _ => true
  }
}

/**
 * Reads the column batches of a scan in the code of an operator, which takes the values of many
 * rows from a column at a time. It stands in for the operators of the source and keeps the metrics
 * of its `ColumnarToRowExec`.
 */
final class BatchLoop(ctx: CodegenContext, source: BatchSource) {
  import StageLoop._
  import source.scan

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

  /** The value of a column of the source in the row at a place of the batch. */
  def value(ordinal: Int, at: String): ExprCode = {
    val column = source.columns(ordinal)
    val read = scan.output.zipWithIndex.collect {
      case (a, i) if column.references.contains(a) => i -> scanned(i, at)
    }.toMap
    inRow(read) {
      val result = BindReferences.bindReference[Expression](column, scan.output).genCode(ctx)
      result.copy(code = read.values.map(_.code).foldLeft(EmptyBlock: Block)(_ + _) + result.code)
    }
  }

  /** Generates code that reads some columns of the row at a place, after their values. */
  def reading(ordinals: Seq[Int], at: String)(code: => String): String = {
    val values = ordinals.map(ordinal => ordinal -> value(ordinal, at)).toMap
    val rest = inRow(values)(code)
    s"${values.values.map(_.code).mkString("\n")}\n$rest"
  }

  /** Generates code for which some columns have these values, which are declared already. */
  private def inRow[T](values: Map[Int, ExprCode])(generate: => T): T = {
    val (outerVars, outerRow) = (ctx.currentVars, ctx.INPUT_ROW)
    val columns = 0 to values.keys.maxOption.getOrElse(-1)
    ctx.currentVars = columns.map(values.get(_).map(_.copy(code = EmptyBlock)).orNull)
    ctx.INPUT_ROW = null
    try generate
    finally {
      ctx.currentVars = outerVars
      ctx.INPUT_ROW = outerRow
    }
  }

  private def scanned(ordinal: Int, at: String): ExprCode = {
    val column = scan.output(ordinal)
    val javaType = CodeGenerator.javaType(column.dataType)
    val value = ctx.freshName("value")
    val read = CodeGenerator.getValueFromVector(vectors(ordinal), column.dataType, at)
    val result = JavaCode.variable(value, column.dataType)
    if (column.nullable) {
      val isNull = ctx.freshName("isNull")
      val none = CodeGenerator.defaultValue(column.dataType)
      ExprCode(
        code"""boolean $isNull = ${vectors(ordinal)}.isNullAt($at);
              |$javaType $value = $isNull ? $none : ($read);""".stripMargin,
        JavaCode.isNullVariable(isNull),
        result
      )
    } else ExprCode(code"$javaType $value = $read;", FalseLiteral, result)
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
