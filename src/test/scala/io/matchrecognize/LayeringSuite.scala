package io.matchrecognize

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

/** Packages import only what their layer allows. */
class LayeringSuite extends AnyFunSuite {
  private val sources = Paths.get("src/main")
  private val everywhere = Set("conf", "errors", "shims", "BuildInfo")
  private val below = Map(
    "pattern" -> Set.empty[String],
    "matcher" -> Set("pattern"),
    "expressions" -> Set("pattern"),
    "plans" -> Set("pattern", "expressions"),
    "parser" -> Set("pattern", "expressions", "plans"),
    "analysis" -> Set("pattern", "expressions", "plans"),
    "optimizer" -> Set("pattern", "expressions", "plans", "analysis"),
    "execution" -> Set("pattern", "matcher", "expressions", "plans"),
    "streaming" -> Set("pattern", "matcher", "expressions", "plans", "execution"),
    "conf" -> Set.empty[String],
    "errors" -> Set.empty[String],
    "shims" -> Set.empty[String]
  )

  private def files: Seq[Path] = {
    val stream = Files.walk(sources)
    try stream.iterator.asScala.filter(_.toString.endsWith(".scala")).toVector
    finally stream.close()
  }

  private val ours = "io\\.matchrecognize\\.(\\{[^}]*\\}|\\w+)".r

  test("imports") {
    assert(files.nonEmpty)
    val breaches = for {
      file <- files
      text = Files.readString(file)
      name <- "package io\\.matchrecognize\\.(\\w+)".r.findFirstMatchIn(text).map(_.group(1)).toSeq
      used <- ours.findAllMatchIn(text.linesIterator.filterNot(isComment).mkString("\n"))
      target = used.group(1)
      if target != name && target.head.isLower
      allowed = below(name) ++ (if (Set("pattern", "matcher")(name)) Nil else everywhere)
      if !allowed(target)
    } yield s"$file uses $target"
    assert(breaches.isEmpty)
  }

  test("pattern and matcher know nothing of Spark") {
    val breaches = files.filter { file =>
      val path = file.toString
      (path.contains("/matchrecognize/pattern/") || path.contains("/matchrecognize/matcher/")) &&
      Files.readString(file).contains("org.apache.spark")
    }
    assert(breaches.isEmpty)
  }

  test("only the bridge lives in Spark's packages") {
    val breaches = files.filter { file =>
      "package org\\.apache\\.spark.*".r
        .findFirstIn(Files.readString(file))
        .exists(!_.startsWith("package org.apache.spark.sql.matchrecognize"))
    }
    assert(breaches.isEmpty)
  }

  private def isComment(line: String): Boolean = {
    val text = line.trim
    text.startsWith("*") || text.startsWith("/*") || text.startsWith("//") ||
    text.startsWith("package ")
  }
}
