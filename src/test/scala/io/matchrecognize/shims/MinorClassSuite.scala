package io.matchrecognize.shims

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.BuildInfo

/** Which Spark minors have the classes that code cannot name as types. */
class MinorClassSuite extends AnyFunSuite {
  private val minors = Seq("4.0", "4.1", "4.2", "4.3")
  private val present: Map[MinorClass, Seq[String]] = Map(
    MinorClass.CurrentTime -> minors.drop(1),
    MinorClass.SemiStructuredExtract -> minors.drop(1),
    MinorClass.TimeAdd -> minors.take(1),
    MinorClass.TimestampAddInterval -> minors.drop(1),
    MinorClass.TimestampNanosType -> minors.drop(3),
    MinorClass.ExecuteImmediateQuery -> minors.take(1),
    MinorClass.UnresolvedExecuteImmediate -> minors.drop(1),
    MinorClass.NamedStreamingRelation -> minors.drop(2),
    MinorClass.UnresolvedEventTimeWatermark -> minors.drop(1),
    MinorClass.UnresolvedQualify -> minors.drop(2),
    MinorClass.TransformWithStateInPandas -> minors.take(1),
    MinorClass.TransformWithStateInPySpark -> minors.drop(1)
  )

  private val all: Seq[MinorClass] = MinorClass.getClass.getDeclaredMethods.toSeq
    .filter(m => m.getParameterCount == 0 && m.getReturnType == classOf[MinorClass])
    .map(_.invoke(MinorClass).asInstanceOf[MinorClass])

  test("each class is there on its minors, and on no others") {
    assert(minors.contains(BuildInfo.sparkMinor))
    assert(all.toSet == present.keySet)
    all.foreach { known =>
      assert(known.found.isDefined == present(known).contains(BuildInfo.sparkMinor), known.name)
      // On all minors, its type would do.
      assert(present(known).nonEmpty && present(known) != minors, known.name)
    }
  }

  test("an instance is one of the class or of a subclass, not one of the same name") {
    assert(all.forall(c => !c.isClassOf(null) && !c.isClassOf(c.name)))
    all.filter(_.found.isEmpty).foreach(c => assert(!c.isClassOf(c)))
  }

  // Names are for messages. A guard that compares them fails silently when a class is renamed.
  private val guards = Seq(
    """nodeName\s*(==|!=|match|\.contains|\.startsWith|\.endsWith|\.matches)""".r,
    """[cC]ontains\(\s*[\w.]*nodeName|\w\([\w.]*\.nodeName\)\s*\)""".r,
    """(prettyName|getSimpleName|getCanonicalName|getClass\.getName)\s*(==|!=|match)""".r,
    """(==|!=)\s*[\w.]*(nodeName|prettyName|getSimpleName)""".r,
    """getSimpleName""".r
  )

  test("no name of a class is compared") {
    val stream = Files.walk(Paths.get("src/main"))
    val files =
      try stream.iterator.asScala.filter((p: Path) => p.toString.endsWith(".scala")).toList
      finally stream.close()
    assert(files.length > 200)
    val found = for {
      file <- files
      (line, number) <- Files.readString(file).linesIterator.toSeq.zipWithIndex
      if guards.exists(_.findFirstIn(line).isDefined)
    } yield s"$file:${number + 1}: ${line.trim}"
    assert(found == Nil)
  }
}
