package io.matchrecognize.execution.shuffle

import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.{BindReferences, Expression}
import org.apache.spark.sql.types.StringType

import io.matchrecognize.execution.rows.StoreSchema
import io.matchrecognize.execution.stage.{StageColumns, StageLoop}

/**
 * The part of [[BlockWriteExec]] in whole-stage code: values go from where they are produced, such
 * as the column batches of a scan, to the columns of the buffer, and become no rows in between.
 * Only arrays, structs and other such values do, those of one row together.
 */
trait BlockStageCode extends StageLoop {
  import BlockStageCode._
  import StageLoop._

  /** What a task runs. */
  protected def stageProgram: BlockProgram

  /** The shuffle partition of a row, None if there is one only. */
  protected def partitionOf: Option[Expression]

  protected def blockSchema: StoreSchema

  /** Whether the columns allow it. */
  protected def isSupported: Boolean =
    StageColumns.areWritable(child.output) && StageColumns.areFew(child.output) &&
      isVisible[StageBlocks]

  // Names in the code, set by doProduce for doConsume.
  @transient private var names: Names = _

  override protected def doProduce(ctx: CodegenContext): String = {
    val program = ctx.addReferenceObj("blockProgram", stageProgram)
    val blocks = field[StageBlocks](ctx, "blocks")
    ctx.addPartitionInitializationStatement(s"$blocks = $program.create();")
    names = Names(
      blocks,
      open = ctx.freshName("openBuffer"),
      at = number(ctx, "bufferedRows"),
      space = number(ctx, "bufferSpace"),
      partitions = array(ctx, CodeGenerator.JAVA_INT, "partitions"),
      columns = new StageColumns(ctx, blockSchema)
    )
    addOpen(ctx)
    loop(ctx)(
      collect = fromChild(ctx),
      next = s"$blocks.next()",
      begin = s"$blocks.begin(); ${names.open}();",
      end = s"$blocks.finish(${names.at});",
      close = s"$blocks.close();"
    )
  }

  /** The function that takes the arrays and the number of rows from the buffer. */
  private def addOpen(ctx: CodegenContext): Unit = {
    val Names(blocks, open, at, space, partitions, columns) = names
    function(ctx, open)(
      s"""
         |$at = $blocks.length();
         |$space = $blocks.space();
         |$partitions = $blocks.partitions();
         |${columns.take(i => s"$blocks.values($i)", i => s"$blocks.nulls($i)")}
         |$Enough = $blocks.isFull();
       """.stripMargin
    )
  }

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    ctx.currentVars = input
    ctx.INPUT_ROW = null
    val Names(blocks, open, at, space, partitions, columns) = names
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
    val fits = (s"!$Enough" +: s"$at < $space" +: puts).mkString(" && ")
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
}

object BlockStageCode {

  /**
   * Names in the code of one operator.
   *
   * @param open
   *   function that takes the arrays from the buffer
   * @param at
   *   rows in the buffer
   * @param space
   *   rows that the arrays have space for
   */
  private final case class Names(
      blocks: String,
      open: String,
      at: String,
      space: String,
      partitions: String,
      columns: StageColumns
  )
}
