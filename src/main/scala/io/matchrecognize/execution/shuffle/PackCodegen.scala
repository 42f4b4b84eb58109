package io.matchrecognize.execution.shuffle

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.{BindReferences, BoundReference, Expression}
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan}
import org.apache.spark.sql.types.StringType

import io.matchrecognize.execution.codegen.{GeneratedClass, RowColumns}
import io.matchrecognize.execution.rows.StoreSchema

/**
 * The part of [[BlockWriteExec]] in whole-stage code: values go from where they are produced, such
 * as the column batches of a scan, to the columns of the buffer, and become no rows in between.
 * Only arrays, structs and other such values do, those of one row together.
 *
 * When the buffer is full, the loop below is stopped, as a row in the output buffer stops it; the
 * blocks go to the operator above, and the loop below continues. An operator below may send some
 * more rows before it returns.
 */
trait PackCodegen extends SparkPlan with CodegenSupport {
  import GeneratedClass._
  import PackCodegen._

  def child: SparkPlan

  /** What a task runs. */
  protected def stageProgram: BlockProgram

  /** The shuffle partition of a row, None if there is one only. */
  protected def partitionOf: Option[Expression]

  protected def blockSchema: StoreSchema

  /** Whether the columns allow it. */
  protected def isSupported: Boolean =
    RowColumns.areWritable(child.output) && RowColumns.areFew(child.output) &&
      isVisible[PackedRows]

  override def inputRDDs(): Seq[RDD[InternalRow]] =
    child.asInstanceOf[CodegenSupport].inputRDDs()

  // Each block ends the loop that produced it.
  override def needCopyResult: Boolean = false

  override def needStopCheck: Boolean = true

  // Checked between blocks; how many rows come from below does not depend on them.
  override def limitNotReachedChecks: Seq[String] = Nil
  override protected def canCheckLimitNotReached: Boolean = true

  // Names in the code, set by doProduce for doConsume.
  @transient private var names: Names = _

  override protected def doProduce(ctx: CodegenContext): String = {
    val program = ctx.addReferenceObj("blockProgram", stageProgram)
    val blocks = field[PackedRows](ctx, "blocks")
    ctx.addPartitionInitializationStatement(s"$blocks = $program.create();")
    names = Names(
      blocks,
      isFull = flag(ctx, "isBufferFull"),
      open = ctx.freshName("openBuffer"),
      at = number(ctx, "bufferedRows"),
      space = number(ctx, "bufferSpace"),
      partitions = array(ctx, CodeGenerator.JAVA_INT, "partitions"),
      columns = new RowColumns(ctx, blockSchema)
    )
    val Names(_, isFull, open, at, _, _, _) = names
    addOpen(ctx)
    // What the loops below ask after each row.
    val stop = s"public boolean shouldStop() { return $isFull || super.shouldStop(); }"
    ctx.addNewFunction("shouldStop", stop, inlineToOuterClass = true): Unit
    val isEnded = flag(ctx, "inputEnded")
    val collect = ctx.freshName("collectRows")
    val collectCall = ctx.addNewFunction(
      collect,
      s"""
         |private void $collect() throws java.io.IOException {
         |  ${child.asInstanceOf[CodegenSupport].produce(ctx, this)}
         |}
       """.stripMargin
    )
    val block = ctx.freshName("block")
    s"""
       |while ($limitNotReachedCond true) {
       |  UnsafeRow $block = $blocks.next();
       |  if ($block != null) {
       |    ${consume(ctx, null, block).trim}
       |    ${if (parent.needStopCheck) "if (shouldStop()) return;" else ""}
       |  } else if ($isEnded) {
       |    $blocks.close();
       |    break;
       |  } else {
       |    $blocks.begin();
       |    $open();
       |    if (!$isFull) {
       |      $collectCall();
       |      $isEnded = !$isFull;
       |    }
       |    $isFull = false;
       |    $blocks.finish($at);
       |  }
       |}
     """.stripMargin
  }

  /** The function that takes the arrays and the number of rows from the buffer. */
  private def addOpen(ctx: CodegenContext): Unit = {
    val Names(blocks, isFull, open, at, space, partitions, columns) = names
    function(ctx, open)(
      s"""
         |$at = $blocks.length();
         |$space = $blocks.space();
         |$partitions = $blocks.partitions();
         |${columns.take(i => s"$blocks.values($i)", i => s"$blocks.nulls($i)")}
         |$isFull = $blocks.isFull();
       """.stripMargin
    )
  }

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    ctx.currentVars = input
    ctx.INPUT_ROW = null
    val Names(blocks, isFull, open, at, space, partitions, columns) = names
    val inputs = evaluateRequiredVariables(child.output, input, child.outputSet)
    val partition = partitionOf.map { e =>
      val code = BindReferences.bindReference(e, child.output).genCode(ctx)
      s"${code.code}\n$partitions[$at] = ${code.value};"
    }
    val (texts, others) = blockSchema.variable.toSeq.zipWithIndex.partition { case (ordinal, _) =>
      child.output(ordinal).dataType.isInstanceOf[StringType]
    }
    val otherRow = GenerateUnsafeProjection.createCode(ctx, others.map(o => bound(o._1)))
    val puts = texts.map { case (ordinal, column) =>
      val text = input(ordinal)
      s"$blocks.put($column, ${text.isNull} ? null : ${text.value}, $at)"
    } ++ others.zipWithIndex.map { case ((_, column), field) =>
      s"$blocks.put($column, ${otherRow.value}, $field, $at)"
    }
    val fits = (s"!$isFull" +: s"$at < $space" +: puts).mkString(" && ")
    val whole = GenerateUnsafeProjection.createCode(ctx, child.output.indices.map(bound))
    s"""
       |$inputs
       |${if (others.isEmpty) "" else otherRow.code.toString}
       |if ($fits) {
       |  ${partition.getOrElse(s"$partitions[$at] = 0;")}
       |  ${columns.write(input, child.output, at)}
       |  $at++;
       |} else {
       |  ${whole.code}
       |  $blocks.add(${whole.value}, $at);
       |  $open();
       |}
     """.stripMargin
  }

  /** A column of the child, in code that consumes its rows. */
  private def bound(ordinal: Int): Expression = {
    val column = child.output(ordinal)
    BoundReference(ordinal, column.dataType, column.nullable)
  }
}

object PackCodegen {

  /**
   * Names in the code of one operator.
   *
   * @param isFull
   *   flag that the buffer is full
   * @param open
   *   function that takes the arrays from the buffer
   * @param at
   *   rows in the buffer
   * @param space
   *   rows that the arrays have space for
   */
  private final case class Names(
      blocks: String,
      isFull: String,
      open: String,
      at: String,
      space: String,
      partitions: String,
      columns: RowColumns
  )
}
