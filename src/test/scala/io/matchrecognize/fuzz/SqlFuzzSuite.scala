package io.matchrecognize.fuzz

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

import io.matchrecognize.QuerySuite
import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.fuzz.ClauseOracle._

/**
 * Random queries through `spark.sql`, compared with [[ClauseOracle]]. A long run:
 * `-Dfuzz.sql.cases=5000 -Dfuzz.seed=7` as Java options of the test's process; one query again:
 * `-Dfuzz.sql.query=17` with the same seed.
 */
class SqlFuzzSuite extends QuerySuite {
  private val cases = sys.props.get("fuzz.sql.cases").fold(120)(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val only = sys.props.get("fuzz.sql.query").map(_.toInt)
  private val budget = 20000

  /** Maximum number of differences to report in one run. */
  private val most = 5

  test(s"$cases random queries from seed $seed agree with the oracle") {
    val totals = mutable.Map.empty[String, Int].withDefaultValue(0)
    val failures = mutable.ArrayBuffer.empty[String]
    withConf(
      "spark.sql.shuffle.partitions" -> "1",
      "spark.sql.adaptive.enabled" -> "false",
      // `${2}` is a quantified anchor here.
      "spark.sql.variable.substitute" -> "false"
    ) {
      only.fold(0 until cases)(i => i to i).foreach { i =>
        val drawn = QueryGenerator.random(seed * 1000000007L + i)
        val query = affordable(drawn, keepErrors = i % 3 == 0)
        val answer = expected(query)
        answer match {
          case Rows(rows) => totals("rows") += rows.size
          case Raised(condition) => totals(condition) += 1
          case TooExpensive => throw new IllegalStateException("expensive partitions are left out")
        }
        totals("partitions") += query.partitions.size
        if (query.wholeStage) totals("in whole-stage code") += 1
        if (query.threads > 1) totals("with threads") += 1
        if (isInBlocks(query)) {
          totals("shuffled in blocks") += 1
          if (query.partitionBy.isEmpty) totals("shuffled in blocks to one task") += 1
        }
        if (only.isDefined) info(query.sql)
        if (failures.size < most && differs(query)) failures += report(i, shrink(query))
      }
    }
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    info(totals.toSeq.sorted.map { case (name, count) => s"$count $name" }.mkString(", "))
    assert(only.isDefined || totals("rows") > cases * 5)
  }

  /** Without the partitions that are too expensive for the oracle, or that fail. */
  private def affordable(query: FuzzQuery, keepErrors: Boolean): FuzzQuery = {
    val oracle = new ClauseOracle(query, budget)
    // A filter on the partition may avoid an error.
    val filter = if (keepErrors) None else query.filter
    query.copy(
      filter = filter,
      rows = query.partitions.toVector.flatMap { rows =>
        oracle.partition(rows) match {
          case TooExpensive => Nil
          case Raised(_) if !keepErrors => Nil
          case _ => rows
        }
      }
    )
  }

  private def expected(query: FuzzQuery, lenient: Boolean = false): Answer = {
    val oracle = new ClauseOracle(query, budget, lenient)
    val answers = query.partitions.map(oracle.partition)
    answers
      .collectFirst { case failed if !failed.isInstanceOf[Rows] => failed }
      .getOrElse(Rows(answers.collect { case Rows(rows) => rows }.flatten.toVector))
  }

  private def actual(query: FuzzQuery): Either[Throwable, (Seq[String], Vector[Seq[Any]])] = {
    val mode = if (query.interpreted) "NO_CODEGEN" else "CODEGEN_ONLY"
    val threshold = if (query.spilled) "1" else "1000000"
    withConf(
      "spark.sql.codegen.factoryMode" -> mode,
      // One input partition needs no shuffle, which takes most of a small query's time.
      "spark.sql.leafNodeDefaultParallelism" ->
        (if (query.interpreted && !isInBlocks(query)) "1" else "2"),
      MatchRecognizeConf.Sort.key -> query.sort,
      MatchRecognizeConf.Shuffle.key -> query.shuffle,
      // Spark's other operators are compiled with it only: that takes time.
      "spark.sql.codegen.wholeStage" -> query.wholeStage.toString,
      "spark.sql.codegen.fallback" -> "false",
      MatchRecognizeConf.WholeStage.key -> query.wholeStage.toString,
      MatchRecognizeConf.Threads.key -> query.threads.toString,
      MatchRecognizeConf.ThreadedRows -> "2",
      MatchRecognizeConf.InferDeadlines.key -> query.anchored.toString,
      MatchRecognizeConf.AnchoredThreads.key -> query.anchored.toString,
      MatchRecognizeConf.SpillThresholdRows.key -> threshold
    ) {
      try {
        spark
          .createDataFrame(query.rows.map(inputRow).asJava, SqlFuzzSuite.schema)
          .createOrReplaceTempView("t")
        val frame = spark.sql(query.sql)
        val rows = frame.collect().toVector.map(_.toSeq)
        Right((frame.columns.toSeq, FuzzReport.plain(rows)))
      } catch { case error: Exception => Left(error) }
    }
  }

  private def isInBlocks(query: FuzzQuery): Boolean =
    query.shuffle == "blocks" && query.sort == "own"

  private def inputRow(row: FuzzRow): Row = {
    def int(value: Any): Any = value match {
      case number: Long => number.toInt
      case other => other
    }
    Row(int(row.g), row.k.toInt, int(row.v), row.d, row.s)
  }

  private def differs(query: FuzzQuery): Boolean = {
    val found = actual(query)
    val answer = expected(query)
    !agrees(query, answer, found) && {
      // An engine that drops paths may raise fewer errors of conditions, but no others.
      answer != Raised("DIVIDE_BY_ZERO") || !agrees(query, expected(query, lenient = true), found)
    }
  }

  private def agrees(
      query: FuzzQuery,
      answer: Answer,
      found: Either[Throwable, (Seq[String], Vector[Seq[Any]])]
  ): Boolean = (answer, found) match {
    case (TooExpensive, _) => true
    case (Rows(rows), Right((columns, actual))) =>
      columns == query.columns && FuzzReport.plain(rows) == actual
    case (Raised(condition), Left(error)) =>
      Iterator.iterate(error)(_.getCause).takeWhile(_ != null).exists {
        case e: SparkThrowable => e.getCondition == condition
        case _ => false
      }
    case _ => false
  }

  /** Removes, for a limited time, what the difference does not need. */
  private def shrink(query: FuzzQuery): FuzzQuery = {
    val deadline = System.nanoTime() + 60L * 1000 * 1000 * 1000
    @annotation.tailrec
    def step(current: FuzzQuery): FuzzQuery =
      QueryShrinker
        .smaller(current)
        .takeWhile(_ => System.nanoTime() < deadline)
        .find(smaller => smaller.isValid && differs(smaller)) match {
        case Some(smaller) => step(smaller)
        case None => current
      }
    step(query)
  }

  private def report(index: Int, query: FuzzQuery): String = {
    val found = actual(query) match {
      case Right((_, rows)) => rows.map(_.mkString("[", ", ", "]")).mkString(" ")
      case Left(error) => error.toString
    }
    s"""query $index of seed $seed (${if (query.interpreted) "interpreted"
      else
        "generated"}, sort ${query.sort}, shuffle ${query.shuffle}, threads ${query.threads}, anchored ${query.anchored}, whole-stage code ${query.wholeStage}${if (
        query.spilled
      )
        ", spilled"
      else ""}) differs
       |${FuzzReport.json(s"fuzz-$seed-$index", query, expected(query))}
       |${query.sql}
       |found: $found""".stripMargin
  }
}

object SqlFuzzSuite {
  private[fuzz] val schema = StructType(
    Seq(
      StructField("g", IntegerType),
      StructField("k", IntegerType, nullable = false),
      StructField("v", IntegerType),
      StructField("d", DoubleType),
      StructField("s", StringType)
    )
  )
}
