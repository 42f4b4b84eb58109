package io.matchrecognize

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.errors.MatchRecognizeConditions

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** Checks `match-recognize-conditions.json`. */
class ConditionsSuite extends AnyFunSuite {
  private val root =
    new ObjectMapper().readTree(
      getClass.getResourceAsStream("/error/match-recognize-conditions.json")
    )

  private def names(node: JsonNode): Seq[String] = node.fieldNames().asScala.toSeq

  private def text(node: JsonNode): String =
    node.get("message").elements().asScala.map(_.asText).mkString("\n")

  private def parameters(text: String): Seq[String] =
    "<([a-zA-Z]+)>".r.findAllMatchIn(text).map(_.group(1)).toSeq.distinct

  /** Name and text of every condition that can be raised. */
  private val conditions: Seq[(String, String)] = names(root).flatMap { name =>
    val node = root.get(name)
    Option(node.get("subClass")) match {
      case None => Seq(name -> text(node))
      case Some(subs) => names(subs).map(s => s"$name.$s" -> (text(node) + " " + text(subs.get(s))))
    }
  }

  test("names are sorted and ours") {
    assert(names(root) == names(root).sorted)
    names(root).foreach { name =>
      assert(name.startsWith("MATCH_RECOGNIZE_"))
      Option(root.get(name).get("subClass")).foreach(s => assert(names(s) == names(s).sorted))
    }
  }

  test("fields are Spark's, the SQLSTATE stands at the top only") {
    names(root).foreach { name =>
      val node = root.get(name)
      assert(names(node).toSet.subsetOf(Set("message", "subClass", "sqlState")), name)
      assert(node.get("sqlState").asText.matches("[0-9A-Z]{5}"), name)
      Option(node.get("subClass")).foreach { subs =>
        names(subs).foreach(s => assert(names(subs.get(s)) == Seq("message"), s))
      }
    }
  }

  test("every message formats") {
    assert(conditions.length == 98)
    conditions.foreach { case (name, text) =>
      val values = parameters(text).map(p => p -> s"value of $p").toMap
      val message = MatchRecognizeConditions.message(name, values)
      assert(!parameters(message).exists(values.contains), message)
      assert(message.startsWith(s"[$name] "), message)
      values.values.foreach(v => assert(message.contains(v), message))
    }
  }

  test("messages end as sentences") {
    conditions.foreach { case (name, text) => assert(text.matches("(?s).*[.?]"), name) }
  }
}
