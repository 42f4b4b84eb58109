package io.matchrecognize.execution

import java.nio.ByteOrder

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, Literal}
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan}
import org.apache.spark.sql.types.DataType

import io.matchrecognize.execution.rows.{RowChunk, StoreSchema}

/**
 * The operator's part of whole-stage code, for rows that arrive in order.
 *
 * Rows from below are compared with the partition's first row and written to the store's vectors
 * where they are produced. When the first row of the next partition arrives, the loop below is
 * stopped, as a row in the output buffer stops it; the complete partition is searched, its output
 * rows go to the operators above, and the loop below continues. So memory is that of one partition,
 * and a LIMIT stops the search.
 *
 * Conditions, search and measures are the same code as without whole-stage code, so all engines and
 * output shapes take part. Left out are:
 *
 *   - rows that the operator sorts itself: they have to be copied before they are in order;
 *   - PARTITION BY of expressions, strings with a collation, floating point numbers and types that
 *     are no atomic values: they are compared as rows, which costs more than is saved;
 *   - where Spark's own limits on fields and on the length of code say so.
 */
trait StageCode extends SparkPlan with CodegenSupport {
  import StageCode._

  def child: SparkPlan

  /** What a task runs. */
  protected def stageProgram: StageProgram

  protected def partitionSpec: Seq[Expression]
  protected def storeSchema: StoreSchema
  protected def warn(): Unit

  /** Whether the columns allow it. */
  protected def isSupported: Boolean =
    partitionSpec.forall(StageColumns.isComparable) &&
      child.output.forall(c => StageColumns.isWritable(c.dataType)) &&
      isVisible && ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  override def inputRDDs(): Seq[RDD[InternalRow]] =
    child.asInstanceOf[CodegenSupport].inputRDDs()

  // Each output row ends the loop that produced it.
  override def needCopyResult: Boolean = false

  override def needStopCheck: Boolean = true

  // Checked between output rows; the rows below are counted in partitions.
  override def limitNotReachedChecks: Seq[String] = Nil
  override protected def canCheckLimitNotReached: Boolean = true

  // Names in the code, set by doProduce for doConsume.
  @transient private var names: Names = _

  override protected def doProduce(ctx: CodegenContext): String = {
    warn()
    addStop(ctx)
    val program = ctx.addReferenceObj("matchProgram", stageProgram)
    val matches = field[StageMatches](ctx, "matches")
    ctx.addPartitionInitializationStatement(s"$matches = $program.create(partitionIndex);")
    val schema = storeSchema
    names = Names(
      matches,
      begin = ctx.freshName("beginPartition"),
      open = ctx.freshName("openChunk"),
      chunk = field[RowChunk](ctx, "chunk"),
      at = number(ctx, "rowsInChunk"),
      room = number(ctx, "chunkRows"),
      keys = partitionSpec.map(key => key -> keyFields(ctx, key.dataType)),
      longs = schema.fixed.toSeq.map(_ => array(ctx, "long[]", "column")),
      nulls = schema.fixedNullable.toSeq.map { nullable =>
        Option.when(nullable)(array(ctx, "byte[]", "nulls"))
      }
    )
    addFunctions(ctx)
    val isEnded = ctx.addMutableState(CodeGenerator.JAVA_BOOLEAN, "inputEnded")
    val fill = ctx.freshName("fillPartition")
    val fillCall = ctx.addNewFunction(
      fill,
      s"""
         |private void $fill() throws java.io.IOException {
         |  ${child.asInstanceOf[CodegenSupport].produce(ctx, this)}
         |}
       """.stripMargin
    )
    val row = ctx.freshName("matchRow")
    s"""
       |while ($limitNotReachedCond true) {
       |  UnsafeRow $row = $matches.next();
       |  if ($row != null) {
       |    ${consume(ctx, null, row).trim}
       |    ${if (parentStops) "if (shouldStop()) return;" else ""}
       |  } else if ($isEnded) {
       |    break;
       |  } else {
       |    ${names.begin}();
       |    if (!$Complete) {
       |      $fillCall();
       |      $isEnded = !$Complete;
       |    }
       |    if ($matches.isOpen()) {
       |      $Complete = false;
       |      $matches.search(${names.at});
       |    }
       |  }
       |}
     """.stripMargin
  }

  private def parentStops: Boolean = parent.needStopCheck

  /**
   * `BufferedRowIterator.shouldStop` is what the loops below ask after each row. Two of these
   * operators in one stage share the flag: while the upper one's is set, the lower one returns.
   */
  private def addStop(ctx: CodegenContext): Unit = {
    val stop = s"public boolean shouldStop() { return $Complete || super.shouldStop(); }"
    if (!ctx.declareAddedFunctions().contains(stop)) {
      ctx.addMutableState(
        CodeGenerator.JAVA_BOOLEAN,
        Complete,
        forceInline = true,
        useFreshName = false
      )
      ctx.addNewFunction("shouldStop", stop, inlineToOuterClass = true): Unit
    }
  }

  private def addFunctions(ctx: CodegenContext): Unit = {
    val Names(matches, begin, open, chunk, at, room, keys, longs, nulls) = names
    val arrays = longs.zipWithIndex.map { case (a, i) => s"$a = $chunk.longs()[$i];" } ++
      nulls.zipWithIndex.collect { case (Some(a), i) => s"$a = $chunk.nulls()[$i];" }
    ctx.addNewFunction(
      open,
      s"""
         |private void $open() {
         |  $chunk = $matches.chunk($at);
         |  $at = $chunk.length();
         |  $room = $chunk.capacity();
         |  ${arrays.mkString("\n")}
         |}
       """.stripMargin,
      inlineToOuterClass = true
    ): Unit
    val setKeys = keys.map { case (key, (value, isNull)) =>
      val ordinal = ordinalOf(key)
      val read = CodeGenerator.getValue(s"$matches.first()", key.dataType, ordinal.toString)
      s"$isNull = $matches.first().isNullAt($ordinal); if (!$isNull) { $value = $read; }"
    }
    ctx.addNewFunction(
      begin,
      s"""
         |private void $begin() {
         |  $matches.begin();
         |  $Complete = $matches.isComplete();
         |  $at = 0;
         |  if ($matches.isOpen()) {
         |    ${setKeys.mkString("\n")}
         |    $at = $matches.lastLength();
         |    $open();
         |  }
         |}
       """.stripMargin,
      inlineToOuterClass = true
    ): Unit
  }

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    ctx.currentVars = input
    ctx.INPUT_ROW = null
    val Names(matches, begin, open, _, at, room, keys, longs, nulls) = names
    val schema = storeSchema
    val same = keys.map { case (key, (value, isNull)) =>
      val now = input(ordinalOf(key))
      val equal = ctx.genEqual(key.dataType, now.value.toString, value)
      if (now.isNull.toString == "false") s"!$isNull && $equal"
      else s"(${now.isNull} ? $isNull : !$isNull && $equal)"
    }
    val writes = schema.fixed.indices.map { c =>
      StageColumns.write(
        input(schema.fixed(c)),
        child.output(schema.fixed(c)).dataType,
        longs(c),
        nulls(c),
        at
      )
    }
    val variable =
      if (schema.variable.isEmpty) ""
      else {
        val columns = GenerateUnsafeProjection.createCode(ctx, schema.variable.toSeq.map(bound))
        s"${columns.code}\n$matches.putVariable($at, ${columns.value});"
      }
    val whole = GenerateUnsafeProjection.createCode(
      ctx,
      child.output.indices.map { i =>
        if (references.contains(child.output(i))) bound(i)
        else Literal(null, child.output(i).dataType)
      }
    )
    s"""
       |${evaluateRequiredVariables(child.output, input, references)}
       |if ($matches.isOpen() && !$Complete${same.map(s => s" && ($s)").mkString}) {
       |  if ($at == $room) $open();
       |  ${writes.mkString("\n")}
       |  $variable
       |  $at++;
       |} else {
       |  ${whole.code}
       |  $matches.add(${whole.value});
       |  if ($matches.isOpen()) $Complete = true;
       |  else $begin();
       |}
     """.stripMargin
  }

  private def ordinalOf(key: Expression): Int = child.output.indexWhere(_.semanticEquals(key))

  private def bound(ordinal: Int): Expression = {
    val column = child.output(ordinal)
    BoundReference(ordinal, column.dataType, column.nullable)
  }
}

object StageCode {

  /** The flag of a stage that a partition is complete. */
  private final val Complete = "matchPartitionComplete"

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
      longs: Seq[String],
      nulls: Seq[Option[String]]
  )

  private def field[T](ctx: CodegenContext, name: String)(implicit
      tag: scala.reflect.ClassTag[T]
  ): String =
    ctx.addMutableState(tag.runtimeClass.getName, name, forceInline = true)

  private def number(ctx: CodegenContext, name: String): String =
    ctx.addMutableState(CodeGenerator.JAVA_INT, name, forceInline = true)

  private def array(ctx: CodegenContext, javaType: String, name: String): String =
    ctx.addMutableState(javaType, name, forceInline = true)

  private def keyFields(ctx: CodegenContext, dataType: DataType): (String, String) = (
    ctx.addMutableState(CodeGenerator.javaType(dataType), "key", forceInline = true),
    ctx.addMutableState(CodeGenerator.JAVA_BOOLEAN, "keyIsNull", forceInline = true)
  )

  /** Janino finds classes by the thread's class loader, which may be another than the plugin's. */
  private def isVisible: Boolean = {
    val loader = Thread.currentThread.getContextClassLoader
    try loader == null || (loader.loadClass(classOf[StageMatches].getName) eq classOf[StageMatches])
    catch { case _: ClassNotFoundException => false }
  }
}
