package io.matchrecognize.fuzz

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

import io.matchrecognize.QuerySuite

/**
 * Random clauses with conditions on the distance from the first row, of all types and with values
 * at their ends, over blocks of rows: the results under random settings are those of searches that
 * test each row. A long run: `-Dfuzz.sql.cases=5000 -Dfuzz.seed=7` as Java options of the test's
 * process; one clause again: `-Dfuzz.distance=17` with the same seed.
 */
class DistanceFuzzSuite extends QuerySuite {
  import DistanceFuzzSuite._

  private val cases = sys.props.get("fuzz.sql.cases").fold(40)(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val only = sys.props.get("fuzz.distance").map(_.toInt)

  /** Differences to report in one run. */
  private val most = 5
  private val shrinkSeconds = sys.props.get("fuzz.shrink").fold(20L)(_.toLong)

  test(s"$cases random clauses from seed $seed have the results of plain searches") {
    val failures = mutable.ArrayBuffer.empty[String]
    val totals = mutable.Map.empty[String, Int].withDefaultValue(0)
    only.fold(0 until cases)(i => i to i).iterator.takeWhile(_ => failures.size < most).foreach {
      i =>
        val choices = Choices.random(seed * 1000003L + i)
        val clause = DistanceClause.of(choices)
        if (only.isDefined) info(shown(clause))
        compare(clause) match {
          case Same(outcomes) => outcomes.foreach(totals(_) += 1)
          case Different(text) =>
            val (small, why) =
              Choices.reduced(choices.made, text, shrinkSeconds)(DistanceClause.of) { smaller =>
                compare(smaller) match {
                  case Different(again) if kindOf(again) == kindOf(text) => Some(again)
                  case _ => None
                }
              }
            failures += s"clause $i of seed $seed: $why\n" +
              shown(DistanceClause.of(Choices.again(small)))
            note(failures.last)
        }
    }
    info(totals.toSeq.sorted.map { case (name, count) => s"$count $name" }.mkString(", "))
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    if (only.isEmpty) {
      assert(totals("with rows") > cases / 3)
      assert(totals("with deadlines") > cases / 10)
      assert(totals("with anchored threads") > cases / 10)
    }
  }

  private def compare(clause: DistanceClause): Comparison = {
    val ansi = FuzzSettings.Ansi -> clause.settings(FuzzSettings.Ansi)
    val zone = "spark.sql.session.timeZone" -> clause.zone
    withConf(zone, "spark.sql.ansi.enabled" -> "false")(createView(clause))
    val expected = withConf(FuzzSettings.plain.confs ++ Seq(ansi, zone): _*)(outcome(clause)._1)
    val (found, how) = withConf(clause.settings.confs :+ zone: _*)(outcome(clause))
    (found, expected) match {
      case (Left(a), Left(b)) if a == b && !a.startsWith("INTERNAL_ERROR") => Same(a +: how)
      case (Right(a), Right(b)) if a == b =>
        Same((if (a.isEmpty) "without rows" else "with rows") +: how)
      // Rows that a search passes over cannot fail.
      case (Right(_), Left(condition)) if !condition.startsWith("INTERNAL_ERROR") =>
        Same(s"without the error $condition" +: how)
      case _ => Different(s"found $found\nexpected $expected")
    }
  }

  private def createView(clause: DistanceClause): Unit = {
    val rows = clause.codes.zipWithIndex.map { case ((i, j, v), id) =>
      Row(id, i.map(Int.box).orNull, j.map(Int.box).orNull, v)
    }
    spark
      .createDataFrame(rows.asJava, StructType.fromDDL("id INT, i INT, j INT, v INT"))
      .createOrReplaceTempView("codes")
    spark.sql(clause.input).localCheckpoint().createOrReplaceTempView("t")
  }

  /** The rows, or the condition of the error, and by which way. */
  private def outcome(clause: DistanceClause): (Either[String, Seq[String]], Seq[String]) =
    try {
      val frame = spark.sql(clause.sql)
      val rows = frame.collect().toSeq.map(_.toString)
      val text = matchNodes(frame).map(_.verboseStringWithOperatorId()).mkString
      (Right(rows), Seq("Deadline", "anchored threads").filter(text.contains).map(Ways))
    } catch {
      case error @ (_: Exception | _: StackOverflowError) =>
        val condition = Iterator
          .iterate[Throwable](error)(_.getCause)
          .takeWhile(_ != null)
          .collectFirst {
            case e: SparkThrowable if e.getCondition != null => e.getCondition
            // Some of Spark's expressions have no condition for it.
            case e: ArithmeticException => s"ARITHMETIC: ${e.getMessage}"
          }
        (Left(condition.getOrElse(s"INTERNAL_ERROR: $error")), Nil)
    }

  private def kindOf(text: String): Seq[String] = "(Left|Right)\\(".r.findAllIn(text).toSeq

  private def shown(clause: DistanceClause): String =
    s"${FuzzSettings.statements(clause.settings.confs)}\nzone ${clause.zone}\n${clause.input}\n" +
      s"${clause.sql}\ncodes ${clause.codes.mkString(" ")}"
}

object DistanceFuzzSuite {
  private val Ways =
    Map("Deadline" -> "with deadlines", "anchored threads" -> "with anchored threads")

  private sealed trait Comparison
  private final case class Same(outcomes: Seq[String]) extends Comparison
  private final case class Different(text: String) extends Comparison
}
