package io.matchrecognize.fuzz

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable

import io.matchrecognize.conf.MatchRecognizeConf.{Shuffle, Sort}
import io.matchrecognize.fuzz.ClauseOracle._
import io.matchrecognize.fuzz.FuzzSettings.{FactoryMode, ShufflePartitions}
import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Random queries through `spark.sql`, compared with [[ClauseOracle]]. A long run:
 * `-Dfuzz.sql.cases=5000 -Dfuzz.seed=7` as Java options of the test's process; one query again:
 * `-Dfuzz.sql.query=17` with the same seed.
 */
class SqlFuzzSuite extends QuerySuite {
  private val cases = sys.props.get("fuzz.sql.cases").fold(Sampled.size(25, 15))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val only = sys.props.get("fuzz.sql.query").map(_.toInt)
  private val budget = 20000

  /** Maximum number of differences to report in one run. */
  private val most = 5
  private val shrinkSeconds = sys.props.get("fuzz.shrink").fold(60L)(_.toLong)

  /** By the type of the leading key: how many clauses a condition on its distance has ended. */
  private val deadlines = mutable.Map.empty[String, Int].withDefaultValue(0)

  test(s"$cases random queries from seed $seed agree with the oracle") {
    val totals = mutable.Map.empty[String, Int].withDefaultValue(0)
    val failures = mutable.ArrayBuffer.empty[String]
    // `${2}` is a quantified anchor here.
    withConf("spark.sql.variable.substitute" -> "false") {
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
        totals(s"shuffled to ${query.settings(ShufflePartitions)} tasks") += 1
        if (isInBlocks(query)) {
          totals("shuffled in blocks") += 1
          if (query.partitionBy.isEmpty) totals("shuffled in blocks to one task") += 1
        }
        if (only.isDefined) info(query.sql)
        if (failures.size < most && differs(query)) failures += report(i, shrink(query))
      }
    }
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    deadlines.foreach { case (key, count) => totals(s"with deadlines of $key") = count }
    info(totals.toSeq.sorted.map { case (name, count) => s"$count $name" }.mkString(", "))
    assert(only.isDefined || totals("rows") > cases * 5)
    assert(only.isDefined || deadlines.values.sum > cases / 60)
  }

  test("conditions on distances are drawn for keys of all types") {
    val queries = (0 until 2000).map(i => QueryGenerator.random(i.toLong)).filter(_.key.nonEmpty)
    FuzzKey.all.foreach { key =>
      val some = queries.filter(_.key.contains(key))
      assert(some.count(_.order.head.column == "o") > 20, key)
      assert(some.exists(_.rows.exists(_.o == null)), key)
      assert(some.count(_.sql.contains("FIRST(o)")) > 20, key)
    }
    val floating = queries.filter(_.key.exists(k => k.sql == "DOUBLE" || k.sql == "FLOAT"))
    Seq("NaN", "Infinity", "-Infinity", "-0.0").foreach { value =>
      assert(floating.count(_.rows.exists(row => s"${row.o}" == value)) > 20, value)
    }
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
    // One input partition needs no shuffle, which takes most of a small query's time.
    val needsShuffle = query.settings(FactoryMode) == "CODEGEN_ONLY" || isInBlocks(query)
    withConf(
      query.confs ++ Seq(
        "spark.sql.leafNodeDefaultParallelism" -> (if (needsShuffle) "2" else "1"),
        "spark.sql.codegen.fallback" -> "false"
      ): _*
    ) {
      try {
        spark
          .createDataFrame(
            query.rows.map(FuzzInput.row(query, _)).asJava,
            FuzzInput.schema(query, isTable = true)
          )
          .createOrReplaceTempView("t")
        val frame = spark.sql(query.sql)
        val rows = frame.collect().toVector.map(_.toSeq)
        query.key.foreach { key =>
          val clauses = matchNodes(frame).map(_.verboseStringWithOperatorId())
          if (clauses.exists(_.contains("Deadline"))) deadlines(key.sql) += 1
        }
        Right((frame.columns.toSeq, FuzzReport.plain(rows)))
      } catch { case error: Exception => Left(error) }
    }
  }

  private def isInBlocks(query: FuzzQuery): Boolean =
    query.settings(Shuffle.key) == "blocks" && query.settings(Sort.key) == "own"

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
      def comparable(rows: Vector[Seq[Any]]) = {
        val plain = FuzzReport.plain(rows)
        // The rows of several tasks have no order.
        if (query.settings(ShufflePartitions) == "1") plain else plain.sortBy(_.toString)
      }
      columns == query.columns && comparable(rows) == comparable(actual)
    case (Raised(condition), Left(error)) =>
      // Of several tasks any may fail first.
      val conditions =
        if (query.settings(ShufflePartitions) == "1") Seq(condition)
        else
          query.partitions
            .map(new ClauseOracle(query, budget).partition)
            .collect { case Raised(any) => any }
      Iterator.iterate(error)(_.getCause).takeWhile(_ != null).exists {
        case e: SparkThrowable => conditions.contains(e.getCondition)
        case _ => false
      }
    case _ => false
  }

  /** Removes, for a limited time, what the difference does not need. */
  private def shrink(query: FuzzQuery): FuzzQuery = {
    val deadline = System.nanoTime() + shrinkSeconds * 1000 * 1000 * 1000
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
    s"""query $index of seed $seed differs under
       |${FuzzSettings.statements(query.confs)}
       |${FuzzReport.json(s"fuzz-$seed-$index", query, expected(query))}
       |${query.sql}
       |found: $found""".stripMargin
  }
}
