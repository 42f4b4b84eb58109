package io.matchrecognize.fuzz

import java.nio.file.Files
import java.util.SplittableRandom

import scala.collection.mutable
import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.types.StructType
import org.scalatest.tagobjects.Slow

import io.matchrecognize.Interpreted

/**
 * Random SELECT lists with functions over a row pattern window, compared in two ways with the same
 * list:
 *
 *   - over an ordinary window that has the same rows in each frame. The pattern `A+`, in which any
 *     row is an A and each row starts a match, reduces no frame.
 *   - over a subquery that computes the functions, with a pattern that does.
 *
 * Both have the same columns, types and rows. A quarter of the cases of [[WindowFuzzSuite]], since
 * each is several queries; `fuzz.sql.query` runs one of them.
 */
class SelectListFuzzSuite extends Interpreted {
  private val cases = sys.props.get("fuzz.sql.cases").fold(4)(_.toInt / 4)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val only = sys.props.get("fuzz.sql.query").map(_.toInt)
  private val most = 5

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    // Several files, so that the functions of a file and of a task have several values.
    val path = Files.createTempDirectory("select-list").resolve("rows").toString
    spark
      .sql("""SELECT * FROM VALUES
        |  (1, 1, 10, 1.50, 'a', array(1, 2), true), (1, 2, NULL, 2.25, 'B', array(3), false),
        |  (1, 3, 30, NULL, NULL, array(), NULL), (2, 4, 5, -0.75, 'c', array(4, NULL), true),
        |  (2, 5, 5, 9.99, '', NULL, true), (2, 6, 7, 0.00, 'a', array(6), false),
        |  (3, 7, 1, 3.10, 'z', array(7, 7, 8), NULL), (NULL, 8, 2, 4.20, 'y', array(9), true)
        |  AS t(g, k, v, d, s, arr, b)""".stripMargin)
      .repartition(3)
      .write
      .parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("listed")
  }

  override protected def afterAll(): Unit =
    try spark.catalog.dropTempView("listed")
    finally super.afterAll()

  /** Whether Spark and the plugin refuse a list, or how the two answers differ. */
  private def compared(list: SelectList): Either[String, Boolean] = {
    val (found, expected) = list.queries
    (Try(answer(found, list)), Try(answer(expected, list))) match {
      case (Success(one), Success(other)) if one == other => Right(false)
      case (Failure(_: AnalysisException), Failure(_: AnalysisException)) => Right(true)
      case (one, other) => Left(s"$found\n$expected\nfound    $one\nexpected $other")
    }
  }

  /**
   * The types of the columns, the names of those that have one of their own, and the rows. Rows
   * that a generator makes of one are equal in the keys of the window: which of them is the first
   * is not determined. So its columns, and those that depend on that order, are compared apart.
   */
  private def answer(sql: String, list: SelectList): Seq[Any] = {
    val frame = spark.sql(sql)
    val rows = frame.collect().toSeq.map(_.toSeq)
    val kinds = list.kinds(frame.schema.length)
    def without(kind: ListItem.Kind) = rows
      .map(row => row.zip(kinds).collect { case (value, k) if k != kind => value })
      .map(_.toString)
      .sorted
    Seq(columns(frame.schema, list), without(ListItem.OfGenerator), without(ListItem.OfOrder))
  }

  private def columns(schema: StructType, list: SelectList): Seq[String] =
    schema.fields.toSeq.zip(list.named(schema.length)).map { case (field, isNamed) =>
      s"${if (isNamed) field.name else ""} ${field.dataType.sql}"
    }

  test(s"$cases random SELECT lists from seed $seed", Slow) {
    val failures = mutable.ArrayBuffer.empty[String]
    var refused = 0
    val features = mutable.Map.empty[String, Int].withDefaultValue(0)
    only.fold(0 until cases)(i => i to i).foreach { i =>
      // The first choices of seeds that follow each other are alike.
      val mixed = new SplittableRandom(seed * 1000000007L + i).nextLong()
      val list = new SelectListGenerator(Choices.random(mixed)).list()
      compared(list) match {
        case Left(text) => if (failures.size < most) failures += s"list $i of seed $seed\n$text"
        case Right(true) => refused += 1
        case Right(false) => list.features.foreach(features(_) += 1)
      }
    }
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    info(
      s"$refused refused; ${features.toSeq.sorted.map { case (f, n) => s"$f $n" }.mkString(", ")}"
    )
    assert(only.isDefined || refused < cases / 4)
    if (only.isEmpty && cases >= 500)
      SelectListGenerator.Features.foreach(f => assert(features(f) > 0, f))
  }
}
