package io.matchrecognize

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.conf.MatchRecognizeConf

import com.fasterxml.jackson.databind.ObjectMapper

/**
 * Nothing of the plugin has a name that Spark uses, or that a MATCH_RECOGNIZE of Spark's own would
 * use: sources of a proposal have its classes in `execution.matchrecognize` and in the packages of
 * Catalyst.
 */
class NamesSuite extends AnyFunSuite with SharedSession {
  private val bridge = "org.apache.spark.sql.matchrecognize"
  private val classes: Seq[String] = {
    val root = Paths.get(
      classOf[MatchRecognizeExtensions].getProtectionDomain.getCodeSource.getLocation.toURI
    )
    val stream = Files.walk(root)
    try
      stream
        .iterator()
        .asScala
        .map(root.relativize(_: Path).toString.replace('\\', '/'))
        .filter(_.endsWith(".class"))
        .map(_.stripSuffix(".class").replace('/', '.'))
        .toSeq
    finally stream.close()
  }

  private def packageOf(name: String): String = name.substring(0, name.lastIndexOf('.'))

  test("classes are in packages of our own") {
    val foreign = classes.map(packageOf).distinct.filterNot(_.startsWith("io.matchrecognize"))
    assert(classes.length > 100)
    assert(foreign == Seq(bridge))
  }

  test("Spark has no class in the bridge's package, nor under ours") {
    val loader = classOf[SparkSession].getClassLoader
    val packages = Seq(bridge, "io.matchrecognize").map(_.replace('.', '/'))
    packages.flatMap(loader.getResources(_).asScala).foreach { url =>
      assert(!url.toString.contains("/pyspark/jars/"), url)
    }
  }

  test("functions") {
    val functions = Seq("match_recognize_version")
    functions.foreach { name =>
      assert(spark.catalog.functionExists(name))
      assert(!FunctionRegistry.builtin.functionExists(FunctionIdentifier(name)), name)
    }
    // A new session has no temporary function of another suite.
    val added =
      registered(spark.newSession()) -- registered(SharedSession.withoutPlugin.newSession())
    assert(added == functions.toSet)
  }

  private def registered(session: SparkSession): Set[String] =
    session
      .asInstanceOf[org.apache.spark.sql.classic.SparkSession]
      .sessionState
      .functionRegistry
      .listFunction()
      .map(_.funcName)
      .toSet

  test("conditions") {
    def names(resource: String): Set[String] = {
      val stream = classOf[SparkSession].getClassLoader.getResourceAsStream(resource)
      try new ObjectMapper().readTree(stream).fieldNames().asScala.toSet
      finally stream.close()
    }
    val ours = names("error/match-recognize-conditions.json")
    val sparks = names("error/error-conditions.json")
    assert(sparks.size > 500 && sparks.contains("PARSE_SYNTAX_ERROR"))
    assert(ours.nonEmpty && ours.intersect(sparks).isEmpty)
  }

  test("settings") {
    val entries = MatchRecognizeConf.getClass.getDeclaredMethods
      .filter(m => m.getParameterCount == 0 && m.getReturnType.getName.endsWith("ConfigEntry"))
      .map(_.invoke(MatchRecognizeConf))
    def ask(entry: AnyRef, name: String) = entry.getClass.getMethod(name).invoke(entry)
    val (public, internal) = entries.partition(ask(_, "isPublic") == true)
    val ours = public.map(ask(_, "key"))
    assert(internal.isEmpty)
    val known = new SQLConf().getAllDefinedConfs.map(_._1)
    val (withPrefix, others) = known.partition(_.toLowerCase.startsWith("spark.matchrecognize."))
    assert(ours.nonEmpty && withPrefix.toSet == ours.toSet)
    assert(others.length > 100)
    assert(!others.exists(_.toLowerCase.contains("matchrecognize")))
  }
}
