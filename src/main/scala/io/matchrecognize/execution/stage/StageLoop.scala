package io.matchrecognize.execution.stage

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext}
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression}
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan}

/**
 * An operator in whole-stage code that collects rows and then returns some, again and again.
 *
 * When it has rows enough, the loop below is stopped, as a row in the output buffer stops it; its
 * output rows go to the operators above, and the loop below continues. So it holds as many rows as
 * it needs at a time, and a LIMIT stops it. An operator below may send some more rows before it
 * returns.
 */
trait StageLoop extends SparkPlan with CodegenSupport {
  import StageLoop._

  def child: SparkPlan

  override def inputRDDs(): Seq[RDD[InternalRow]] =
    child.asInstanceOf[CodegenSupport].inputRDDs()

  // Each output row ends the loop that produced it.
  override def needCopyResult: Boolean = false

  override def needStopCheck: Boolean = true

  // Checked between output rows; how many rows come from below does not depend on them.
  override def limitNotReachedChecks: Seq[String] = Nil
  override protected def canCheckLimitNotReached: Boolean = true

  /**
   * The loop.
   *
   * @param collect
   *   takes rows until there are enough
   * @param next
   *   an expression, the next output row; null if rows have to be collected first
   * @param begin
   *   begins to collect rows, and sets `Enough` if there are enough already
   * @param end
   *   makes output rows of those that were collected
   * @param close
   *   frees what is held after the last row; may run more than once
   */
  protected def loop(
      ctx: CodegenContext
  )(collect: => String, next: String, begin: String, end: String, close: String): String = {
    addStop(ctx)
    val isEnded = ctx.addMutableState(CodeGenerator.JAVA_BOOLEAN, "inputEnded")
    val collectName = ctx.freshName("collectRows")
    val collectCall = ctx.addNewFunction(
      collectName,
      s"""
         |private void $collectName() throws java.io.IOException {
         |  $collect
         |}
       """.stripMargin
    )
    val row = ctx.freshName("outputRow")
    s"""
       |while ($limitNotReachedCond true) {
       |  UnsafeRow $row = $next;
       |  if ($row != null) {
       |    ${consume(ctx, null, row).trim}
       |    ${if (parent.needStopCheck) "if (shouldStop()) return;" else ""}
       |  } else if ($isEnded) {
       |    $close
       |    break;
       |  } else {
       |    $begin
       |    if (!$Enough) {
       |      $collectCall();
       |      $isEnded = !$Enough;
       |    }
       |    $Enough = false;
       |    $end
       |  }
       |}
     """.stripMargin
  }

  /** Rows from the operators below in the stage, which `doConsume` takes one by one. */
  protected def fromChild(ctx: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(ctx, this)

  /**
   * `BufferedRowIterator.shouldStop` is what the loops below ask after each row. Two of these
   * operators in one stage share the flag: while the upper one's is set, the lower one returns.
   */
  private def addStop(ctx: CodegenContext): Unit = {
    val stop = s"public boolean shouldStop() { return $Enough || super.shouldStop(); }"
    if (!ctx.declareAddedFunctions().contains(stop)) {
      ctx.addMutableState(
        CodeGenerator.JAVA_BOOLEAN,
        Enough,
        forceInline = true,
        useFreshName = false
      )
      ctx.addNewFunction("shouldStop", stop, inlineToOuterClass = true): Unit
    }
  }

  /** A column of the child, in code that consumes its rows. */
  protected def bound(ordinal: Int): Expression = {
    val column = child.output(ordinal)
    BoundReference(ordinal, column.dataType, column.nullable)
  }
}

object StageLoop {

  /** The flag of a stage that enough rows have been collected. */
  final val Enough = "matchHasEnoughRows"

  def field[T](ctx: CodegenContext, name: String)(implicit tag: ClassTag[T]): String =
    ctx.addMutableState(tag.runtimeClass.getName, name, forceInline = true)

  def number(ctx: CodegenContext, name: String): String =
    ctx.addMutableState(CodeGenerator.JAVA_INT, name, forceInline = true)

  /** Adds a function without arguments. */
  def function(ctx: CodegenContext, name: String)(body: String): Unit =
    ctx.addNewFunction(name, s"private void $name() {\n$body\n}", inlineToOuterClass = true): Unit

  def array(ctx: CodegenContext, javaType: String, name: String): String =
    ctx.addMutableState(s"$javaType[]", name, forceInline = true)

  /** Janino finds classes by the thread's class loader, which may be another than the plugin's. */
  def isVisible[T](implicit tag: ClassTag[T]): Boolean = {
    val loader = Thread.currentThread.getContextClassLoader
    val ours = tag.runtimeClass
    try loader == null || (loader.loadClass(ours.getName) eq ours)
    catch { case _: ClassNotFoundException => false }
  }
}
