package io.matchrecognize.execution.codegen

import scala.reflect.ClassTag

import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext}

/** Fields and functions of a class whose code is generated. */
object GeneratedClass {
  def field[T](ctx: CodegenContext, name: String)(implicit tag: ClassTag[T]): String =
    ctx.addMutableState(tag.runtimeClass.getName, name, forceInline = true)

  def number(ctx: CodegenContext, name: String): String =
    ctx.addMutableState(CodeGenerator.JAVA_INT, name, forceInline = true)

  def flag(ctx: CodegenContext, name: String): String =
    ctx.addMutableState(CodeGenerator.JAVA_BOOLEAN, name, forceInline = true)

  def array(ctx: CodegenContext, javaType: String, name: String): String =
    ctx.addMutableState(s"$javaType[]", name, forceInline = true)

  /** Adds a function without arguments. */
  def function(ctx: CodegenContext, name: String)(body: String): Unit =
    ctx.addNewFunction(name, s"private void $name() {\n$body\n}", inlineToOuterClass = true): Unit

  /** Janino finds classes by the thread's class loader, which may be another than the plugin's. */
  def isVisible[T](implicit tag: ClassTag[T]): Boolean = {
    val loader = Thread.currentThread.getContextClassLoader
    val ours = tag.runtimeClass
    try loader == null || (loader.loadClass(ours.getName) eq ours)
    catch { case _: ClassNotFoundException => false }
  }
}
