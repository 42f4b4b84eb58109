package io.matchrecognize.execution

import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types.DataType

import io.matchrecognize.execution.rows.{RowChunk, StoreSchema}
import io.matchrecognize.execution.stage.{BatchLoop, BatchSource, StageColumns, StageLoop}

/**
 * The operator's part of whole-stage code, for rows that arrive in order.
 *
 * Rows from below are compared with the partition's first row and written to the store's vectors
 * where they are produced. When the first row of the next partition arrives, the complete partition
 * is searched, see [[StageLoop]]. So memory is that of one partition.
 *
 * Conditions, search and measures are the same code as without whole-stage code, so all engines and
 * output shapes take part. Left out are:
 *
 *   - rows that the operator sorts itself: they have to be copied before they are in order;
 *   - PARTITION BY of expressions, strings with a collation, floating point numbers and types that
 *     are not atomic values: they are compared as rows, which costs more than is saved;
 *   - rows of more than some 40 columns: the code would be too long to be compiled well;
 *   - where Spark's own limits on fields and on the length of code say so.
 */
trait StageCode extends StageLoop {
  import StageCode._
  import StageLoop._

  /** What a task runs. */
  protected def stageProgram: StageProgram

  protected def partitionSpec: Seq[Expression]
  protected def storeSchema: StoreSchema
  protected def warn(): Unit

  /** Whether the columns allow it. */
  protected def isSupported: Boolean =
    partitionSpec.forall(StageColumns.isComparable) &&
      StageColumns.areWritable(child.output) &&
      StageColumns.areFew(child.output.filter(references.contains)) &&
      StageLoop.isVisible[StageMatches]

  // Names in the code, set by doProduce for doConsume.
  @transient private var names: Names = _

  override protected def doProduce(ctx: CodegenContext): String = {
    warn()
    val program = ctx.addReferenceObj("matchProgram", stageProgram)
    val matches = field[StageMatches](ctx, "matches")
    ctx.addPartitionInitializationStatement(s"$matches = $program.create(partitionIndex);")
    names = Names(
      matches,
      begin = ctx.freshName("beginPartition"),
      open = ctx.freshName("openChunk"),
      chunk = field[RowChunk](ctx, "chunk"),
      at = number(ctx, "rowsInChunk"),
      room = number(ctx, "chunkRows"),
      keys = partitionSpec.map(key => key -> keyFields(ctx, key.dataType)),
      columns = new StageColumns(ctx, storeSchema)
    )
    addFunctions(ctx)
    loop(ctx)(
      collect = BatchSource.of(child).fold(fromChild(ctx))(fromBatches(ctx, _)),
      next = s"$matches.next()",
      begin = s"${names.begin}();",
      end = s"if ($matches.isOpen()) $matches.search(${names.at});",
      close = s"$matches.close();"
    )
  }

  private def addFunctions(ctx: CodegenContext): Unit = {
    val Names(matches, begin, open, chunk, at, room, keys, columns) = names
    function(ctx, open)(
      s"""
         |$chunk = $matches.chunk($at);
         |$at = $chunk.length();
         |$room = $chunk.room();
         |${columns.take(i => s"$chunk.longs()[$i]", i => s"$chunk.nulls()[$i]")}
       """.stripMargin
    )
    val setKeys = keys.map { case (key, (value, isNull)) =>
      val ordinal = ordinalOf(key)
      val read = CodeGenerator.getValue(s"$matches.first()", key.dataType, ordinal.toString)
      s"$isNull = $matches.first().isNullAt($ordinal); if (!$isNull) { $value = $read; }"
    }
    function(ctx, begin)(
      s"""
         |$matches.begin();
         |$Enough = $matches.isComplete();
         |$at = 0;
         |if ($matches.isOpen()) {
         |  ${setKeys.mkString("\n")}
         |  $at = $matches.lastLength();
         |  $open();
         |}
       """.stripMargin
    )
  }

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    ctx.currentVars = input
    ctx.INPUT_ROW = null
    val Names(matches, _, open, _, at, room, _, columns) = names
    s"""
       |${evaluateRequiredVariables(child.output, input, references)}
       |if ($matches.isOpen() && !$Enough && ${isOfPartition(ctx, input)}) {
       |  if ($at == $room) $open();
       |  ${columns.write(input, child.output, at)}
       |  ${putVariable(ctx, at)}
       |  $at++;
       |} else {
       |  ${add(ctx)}
       |}
     """.stripMargin
  }

  /** Whether a row's keys are those of the current partition. */
  private def isOfPartition(ctx: CodegenContext, input: Int => ExprCode): String = {
    val same = names.keys.map { case (key, (value, isNull)) =>
      val now = input(ordinalOf(key))
      val equal = ctx.genEqual(key.dataType, now.value.toString, value)
      if (now.isNull.toString == "false") s"(!$isNull && $equal)"
      else s"(${now.isNull} ? $isNull : !$isNull && $equal)"
    }
    if (same.isEmpty) "true" else same.mkString(" && ")
  }

  /** Writes the columns of variable length of the row that `ctx` reads. */
  private def putVariable(ctx: CodegenContext, at: String): String =
    if (storeSchema.variable.isEmpty) ""
    else {
      val row = GenerateUnsafeProjection.createCode(ctx, storeSchema.variable.toSeq.map(bound))
      // A chunk of wide rows takes no more after some of them.
      s"${row.code}\n${names.room} = ${names.matches}.putVariable($at, ${row.value});"
    }

  /** Keeps the row that `ctx` reads, which begins a partition, or comes when there are enough. */
  private def add(ctx: CodegenContext): String = {
    val whole = GenerateUnsafeProjection.createCode(
      ctx,
      child.output.indices.map { i =>
        if (references.contains(child.output(i))) bound(i)
        else Literal(null, child.output(i).dataType)
      }
    )
    s"""
       |${whole.code}
       |${names.matches}.add(${whole.value});
       |if (${names.matches}.isOpen()) $Enough = true;
       |else ${names.begin}();
     """.stripMargin
  }

  /** Takes the rows of a partition from a batch at once. */
  private def fromBatches(ctx: CodegenContext, source: BatchSource): String = {
    val batch = new BatchLoop(ctx, source)
    val Names(matches, _, open, _, at, room, keys, columns) = names
    val partition = batch.run(keys.map { case (key, _) => ordinalOf(key) })(isOfPartition(ctx, _))
    val read = child.output.indices.filter(i => references.contains(child.output(i)))
    val variable =
      if (storeSchema.variable.isEmpty) ""
      else
        s"""int i = 0;
           |for (; i < count && $at + i < $room; i++) {
           |  ${batch.reading(storeSchema.variable.toSeq, s"${batch.row} + i") {
            putVariable(ctx, s"$at + i")
          }}
           |}
           |count = i;""".stripMargin
    batch.loop(
      s"""
         |if ($matches.isOpen() && ${partition.contains(batch.row)}) {
         |  int end = ${partition.end};
         |  while (${batch.row} < end) {
         |    if ($at == $room) $open();
         |    int count = Math.min(end - ${batch.row}, $room - $at);
         |    ${columns.writeRows(batch, child.output, "count", at)}
         |    $variable
         |    $at += count;
         |    ${batch.row} += count;
         |  }
         |} else {
         |  ${batch.reading(read, batch.row)(add(ctx))}
         |  ${batch.row}++;
         |}
       """.stripMargin
    )
  }

  private def ordinalOf(key: Expression): Int = child.output.indexWhere(_.semanticEquals(key))
}

object StageCode {

  /**
   * Names in the code of one operator.
   *
   * @param begin
   *   function that begins a partition
   * @param open
   *   function that moves on to the next chunk
   * @param at
   *   rows in the chunk so far
   * @param keys
   *   each key with the fields of its value and its nullness
   */
  private final case class Names(
      matches: String,
      begin: String,
      open: String,
      chunk: String,
      at: String,
      room: String,
      keys: Seq[(Expression, (String, String))],
      columns: StageColumns
  )

  private def keyFields(ctx: CodegenContext, dataType: DataType): (String, String) = (
    ctx.addMutableState(CodeGenerator.javaType(dataType), "key", forceInline = true),
    ctx.addMutableState(CodeGenerator.JAVA_BOOLEAN, "keyIsNull", forceInline = true)
  )
}
