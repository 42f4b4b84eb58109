package io.matchrecognize.errors

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.AnalysisException
import org.apache.spark.{SPARK_VERSION, SparkThrowable}

import io.matchrecognize.{BuildInfo, ErrorPlace, Interpreted, Sampled}

/**
 * Every message in full, as a user of SQL sees it: `src/test/resources/errors/messages.txt`.
 *
 * To regenerate the file for review: `GENERATE_GOLDEN_FILES=1 ./build/sbt 'testOnly
 * *GoldenErrorSuite'`. It has the messages of the newest Spark minor; for the others only
 * conditions and places are tested.
 */
class GoldenErrorSuite extends Interpreted {
  import GoldenErrorSuite.Failure

  private val file: Path = Paths.get("src/test/resources/errors/messages.txt")

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    ErrorQuery.input.foreach(spark.sql)
    val stream = spark.readStream.format("rate").load()
    stream.createOrReplaceTempView("rate_stream")
    stream.withWatermark("timestamp", "1 minute").createOrReplaceTempView("timed_stream")
  }

  private val isGenerating = sys.env.contains("GENERATE_GOLDEN_FILES")

  /** Those of the same places in all lists as long as the file. */
  private def some[T](all: Seq[T]): Seq[T] = if (isGenerating) all else Sampled.oneIn(3, all)

  private lazy val raised: Seq[(ErrorQuery, Either[String, Failure])] =
    some(ErrorQuery.all).map { query =>
      val error =
        try
          withConf(query.confs: _*) {
            Left(spark.sql(query.sql).collect().mkString("no error but ", ", ", ""))
          }
        catch { case e: Exception => GoldenErrorSuite.shown(e) }
      query -> error
    }

  private lazy val texts: Seq[String] = raised
    .map { case (query, error) =>
      val confs = query.confs.map { case (key, value) => s"-- $key = $value\n" }.mkString
      val message = error match {
        // Some of Spark's own messages end with a plan.
        case Right(e) =>
          s"${e.getCondition} ${e.getSqlState}\n${e.getMessage.replaceAll("(?s);\n'?[A-Z].*", ";")}"
        case Left(other) => other
      }
      s"$confs${query.sql}\n\n${message.linesIterator.map(l => s"  $l".stripTrailing).mkString("\n")}\n"
    }

  test("each mistake raises its condition and shows its piece of the statement") {
    val wrong = raised.flatMap { case (query, error) =>
      GoldenErrorSuite.complaint(query, error).map(c => s"$c: ${query.sql}")
    }
    assert(wrong.isEmpty, wrong.mkString("\n", "\n", ""))
  }

  test("every condition of the catalogue is raised, or listed with its reason") {
    val mine = ErrorQuery.all.map(_.condition).toSet
    val known = MatchRecognizeConditions.names.toSet
    assert(known -- mine == ErrorQuery.raisedElsewhere.keySet)
    assert(mine.filter(_.startsWith("MATCH_RECOGNIZE_")).subsetOf(known))
  }

  // The file has the messages of one minor. Some of Spark's own are worded otherwise in others.
  if (BuildInfo.sparkMinor == "4.3") test("messages are those of the golden file") {
    assert(SPARK_VERSION.startsWith(BuildInfo.sparkMinor))
    val separator = s"\n${"-" * 80}\n\n"
    if (isGenerating) Files.write(file, texts.mkString(separator).getBytes(UTF_8))
    val golden = new String(Files.readAllBytes(file), UTF_8).split(separator).toSeq
    assert(golden.length == ErrorQuery.all.length && some(golden) == texts)
  }
}

private object GoldenErrorSuite {
  type Failure = Throwable with SparkThrowable

  /** The error that PySpark would show: the first one with a condition in the chain of causes. */
  def shown(error: Throwable): Either[String, Failure] =
    Iterator
      .iterate(error)(_.getCause)
      .takeWhile(_ != null)
      .collectFirst { case e: Throwable with SparkThrowable if e.getCondition != null => e }
      .toRight(error.toString)

  def complaint(query: ErrorQuery, error: Either[String, Failure]): Option[String] =
    error match {
      case Left(other) => Some(other)
      case Right(e) =>
        val place = e match {
          case p: AnalysisException if e.getQueryContext.isEmpty => ErrorPlace.after(p, query.sql)
          case _ => e.getQueryContext.headOption.map(_.fragment)
        }
        if (e.getCondition != query.condition) Some(s"${e.getCondition} for ${query.condition}")
        else if (e.getSqlState == null) Some("no SQLSTATE")
        else if (e.getMessage.contains("__mr")) Some("text of ours")
        else if (query.at.nonEmpty && !place.exists(_.startsWith(query.at)))
          Some(s"at ${place.getOrElse("no place")} for ${query.at}")
        else None
    }
}
