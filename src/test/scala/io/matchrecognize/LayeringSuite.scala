package io.matchrecognize

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

/** Packages import only what is below them, and no two of them each other. */
class LayeringSuite extends AnyFunSuite {
  // From the bottom up: a package may use those before it that its line names.
  private val below = Seq(
    "pattern" -> Set.empty[String],
    "matcher" -> Set("pattern"),
    "conf" -> Set.empty[String],
    "shims" -> Set.empty[String],
    "bridge" -> Set.empty[String],
    "errors" -> Set("bridge", "conf"),
    "expressions" -> Set("bridge", "shims"),
    "plans" -> Set("pattern", "expressions", "errors", "shims"),
    "parser" -> Set("pattern", "expressions", "plans", "errors", "conf", "shims"),
    "analysis" -> Set("pattern", "expressions", "plans", "errors", "conf", "shims", "bridge"),
    "optimizer" -> Set("expressions", "plans"),
    "execution" -> Set("pattern", "matcher", "expressions", "plans", "errors", "conf", "bridge"),
    "streaming" -> Set(
      "pattern",
      "matcher",
      "expressions",
      "plans",
      "execution",
      "errors",
      "conf",
      "shims",
      "bridge"
    )
  )
  private val bridge = "org.apache.spark.sql.matchrecognize"
  private val ours = "io.matchrecognize"

  private val files: Map[Path, String] = {
    val stream = Files.walk(Paths.get("src/main"))
    try
      stream.iterator.asScala
        .filter(_.toString.endsWith(".scala"))
        .map(file => file -> Files.readString(file))
        .toMap
    finally stream.close()
  }

  private val packageOf: Map[Path, String] = files.map { case (file, text) =>
    file -> "(?m)^package ([\\w.]+)".r.findFirstMatchIn(text).get.group(1)
  }
  private val packages: Set[String] = packageOf.values.toSet

  /** What a file imports, or names in full, of the plugin's own packages: in full. */
  private def imports(text: String): Seq[String] = {
    val code = text.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("//.*|(?m)^package .*", "")
    val name = s"\\b(?:$ours|$bridge)(?:\\.\\w+)*".replace(".", "\\.").replace("\\\\.", "\\.")
    val groups = s"($name)(?:\\.\\{([^}]*)\\})?".r
    groups.findAllMatchIn(code).toSeq.flatMap { found =>
      val base = found.group(1)
      Option(found.group(2)).fold(Seq(base))(_.split(',').toSeq.map(n => s"$base.${n.trim}"))
    }
  }

  /** The package of a name in full: the longest that it begins with. */
  private def owner(name: String): Option[String] =
    packages.filter(p => name == p || name.startsWith(s"$p.")).maxByOption(_.length)

  private val arrows: Set[(Path, String)] = for {
    (file, text) <- files.toSet
    name <- imports(text)
    target <- owner(name)
    // The root is the plugin's entry, and has facts of the build for all.
    if target != packageOf(file) && target != ours
  } yield file -> target

  /** `pattern` for `io.matchrecognize.pattern`; "" for the root. */
  private def layer(name: String): String =
    if (name.startsWith(bridge)) "bridge" else name.drop(ours.length + 1).takeWhile(_ != '.')

  test("every package has a layer, and layers are numbered from the bottom up") {
    assert(packages.map(layer) - "" == below.map(_._1).toSet)
    below.zipWithIndex.foreach { case ((name, used), i) =>
      assert(used.subsetOf(below.take(i).map(_._1).toSet), name)
    }
  }

  test("no import runs up") {
    val allowed = below.toMap
    val breaches = arrows.filter { case (file, target) =>
      val from = layer(packageOf(file))
      val to = layer(target)
      from.nonEmpty && from != to && !allowed(from)(to)
    }
    assert(breaches.isEmpty)
    val root = files.toSeq.flatMap { case (file, text) =>
      imports(text).filter(n => owner(n).contains(ours) && layer(packageOf(file)).nonEmpty)
    }
    assert(root.toSet == Set(s"$ours.BuildInfo"))
  }

  test("no layer is named that is not used") {
    val used = arrows.map { case (file, target) => layer(packageOf(file)) -> layer(target) }
    val unused = for ((from, named) <- below; to <- named if !used(from -> to)) yield s"$from, $to"
    assert(unused == Nil)
  }

  test("no cycle between packages, sub-packages included") {
    val uses = arrows.groupMap { case (file, _) => packageOf(file) }(_._2)
    def reach(from: String, seen: Set[String]): Set[String] =
      uses.getOrElse(from, Set.empty).foldLeft(seen) { (all, next) =>
        if (all(next)) all else reach(next, all + next)
      }
    assert(packages.filter(p => reach(p, Set.empty)(p)).toSeq.sorted == Nil)
  }

  test("no circle of files") {
    // Files of one layer: those of others are above or below.
    val code = files.filter(_._1.startsWith("src/main/scala")).map { case (file, text) =>
      file -> text
        .replaceAll("(?s)/\\*.*?\\*/", "")
        .replaceAll("(?s)\"\"\".*?\"\"\"|\"[^\"\\n]*\"|//[^\\n]*", "")
    }
    val definition = "(?m)^(?:(?:private(?:\\[\\w+\\])?|sealed|final|abstract|case|implicit) )*" +
      "(?:class|object|trait) (\\w+)"
    val homes = for {
      (file, text) <- code.toSeq
      found <- definition.r.findAllMatchIn(text)
    } yield (layer(packageOf(file)), found.group(1)) -> file
    assert(homes.size > 400)
    val uses = code.map { case (file, text) =>
      val here = layer(packageOf(file))
      val words = "\\w+".r.findAllIn(text).toSet
      file -> homes.collect {
        case ((`here`, name), home) if home != file && words(name) => home
      }.toSet
    }
    def reach(from: Path, seen: Set[Path]): Set[Path] =
      uses(from).foldLeft(seen)((all, next) => if (all(next)) all else reach(next, all + next))
    assert(code.keys.filter(file => reach(file, Set.empty)(file)).toSeq.sorted == Nil)
  }

  test("pattern and matcher know nothing of Spark") {
    val breaches = files.keySet.filter { file =>
      Set("pattern", "matcher")(layer(packageOf(file))) && files(file).contains("org.apache.spark")
    }
    assert(breaches.isEmpty)
  }

  test("conditions are taken apart in one file") {
    val classes = "And|Or|Not|In|InSet|EqualTo|EqualNullSafe|BinaryComparison|" +
      "LessThan|LessThanOrEqual|GreaterThan|GreaterThanOrEqual"
    val apart = (s"\\bcase [^=]*\\b(?:$classes)\\b|isInstanceOf\\[(?:$classes)\\]|" +
      "splitConjunctivePredicates|splitDisjunctivePredicates").r
    val found = files.collect {
      case (file, text)
          if apart.findFirstIn(text.replaceAll("(?s)/\\*.*?\\*/|//[^\\n]*", "")).isDefined =>
        file.getFileName.toString
    }
    assert(found.toSeq == Seq("ConditionShape.scala"))
  }

  test("only the bridge lives in Spark's packages") {
    assert(packages.forall(p => p == bridge || p == ours || p.startsWith(s"$ours.")))
  }
}
