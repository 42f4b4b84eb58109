package io.matchrecognize.fuzz

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

/**
 * Random clauses with conditions on the distance from the first row, of all types and with values
 * at their ends, over blocks of rows: the results under random settings are those of searches that
 * test each row. A long run: `-Dfuzz.sql.cases=5000 -Dfuzz.seed=7` as Java options of the test's
 * process; one clause again: `-Dfuzz.distance=17` with the same seed.
 */
class DistanceFuzzSuite extends ClauseFuzzSuite[DistanceClause](8, "fuzz.distance") {
  import ClauseFuzzSuite._
  import DistanceFuzzSuite._

  override protected def draw(choices: Choices): DistanceClause = DistanceClause.of(choices)

  test(s"$cases random clauses from seed $seed have the results of plain searches")(compareAll {
    totals =>
      assert(totals("with rows") > cases / 3)
      assert(totals("with deadlines") > cases / 10)
      assert(totals("with anchored threads") > cases / 10)
  })

  override protected def compare(clause: DistanceClause): Comparison = {
    val ansi = FuzzSettings.Ansi -> clause.settings(FuzzSettings.Ansi)
    val zone = "spark.sql.session.timeZone" -> clause.zone
    withConf(zone, "spark.sql.ansi.enabled" -> "false")(createView(clause))
    val expected = withConf(FuzzSettings.plain.confs ++ Seq(ansi, zone): _*)(rowsOf(clause)._1)
    val (found, how) = withConf(clause.settings.confs :+ zone: _*)(rowsOf(clause))
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
  private def rowsOf(clause: DistanceClause): (Either[String, Seq[String]], Seq[String]) = {
    val found = outcome {
      val frame = spark.sql(clause.sql)
      val rows = frame.collect().toSeq.map(_.toString)
      val text = matchNodes(frame).map(_.verboseStringWithOperatorId()).mkString
      (rows, Seq("Deadline", "anchored threads").filter(text.contains).map(Ways))
    }
    (found.map(_._1), found.fold(_ => Nil, _._2))
  }

  override protected def shown(clause: DistanceClause): String =
    s"${FuzzSettings.statements(clause.settings.confs)}\nzone ${clause.zone}\n${clause.input}\n" +
      s"${clause.sql}\ncodes ${clause.codes.mkString(" ")}"
}

object DistanceFuzzSuite {
  private val Ways =
    Map("Deadline" -> "with deadlines", "anchored threads" -> "with anchored threads")
}
