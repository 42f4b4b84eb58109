package io.matchrecognize.fuzz

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.Row

import io.matchrecognize.QuerySuite
import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.RowPatternAnalysis

/**
 * Random queries with a row pattern window, compared with [[WindowOracle]]. Sizes as those of
 * [[SqlFuzzSuite]].
 */
class WindowFuzzSuite extends QuerySuite {
  private val cases = sys.props.get("fuzz.sql.cases").fold(60)(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val only = sys.props.get("fuzz.sql.query").map(_.toInt)
  private val budget = 20000
  private val most = 5

  private case class WindowQuery(query: FuzzQuery, isSeek: Boolean, after: Option[Int]) {
    val oracle = new WindowOracle(query, isSeek, after, budget)

    /** The clause's text, turned into that of a window. */
    def sql: String = {
      val clause = query.sql
      val parts = clause.substring(clause.indexOf("(\n") + 2, clause.lastIndexOf(")"))
      val frame =
        s"ROWS BETWEEN CURRENT ROW AND ${after.fold("UNBOUNDED")(_.toString)} FOLLOWING"
      val modifier = if (isSeek) "SEEK PATTERN (" else "PATTERN ("
      val spec =
        parts.replace("ONE ROW PER MATCH", frame).replace("\n  PATTERN (", s"\n  $modifier")
      val measures = query.measures.indices.map(i => s"m$i OVER w")
      val functions = WindowOracle.Functions.zipWithIndex.map { case ((f, _), i) =>
        s"$f OVER w AS f$i"
      }
      (Seq("g", "k") ++ measures ++ functions)
        .mkString("SELECT ", ", ", s"\nFROM ${input(clause)} WINDOW w AS (\n$spec\n)")
    }

    private def input(clause: String): String =
      clause.substring(clause.indexOf("FROM ") + 5, clause.indexOf(" MATCH_RECOGNIZE"))

    /** Without partitions that are too expensive or that fail. */
    def affordable: WindowQuery = copy(
      query.copy(rows = query.partitions.toVector.flatMap { rows =>
        if (oracle.partition(rows).isEmpty) Nil else rows
      })
    )

    def expected: Vector[Seq[Any]] = query.partitions.toVector.flatMap(oracle.partition(_).get)
  }

  private def random(seed: Long): WindowQuery = {
    val random = new Random(seed + 3)
    val drawn = QueryGenerator.random(seed)
    val pattern = QueryGenerator.map(drawn.pattern) {
      case StartAnchor | EndAnchor => Empty
      case Exclusion(inner) => inner
      case other => other
    }
    val primary = RowPatternAnalysis.variables(pattern, identity).toSet
    val kept = drawn.subsets.filter(_._2.forall(primary.contains))
    def isKept(e: FuzzExpression): Boolean = !hasNumber(e)
    val rows =
      if (drawn.rows.size > 1000) drawn.rows.take(100) else drawn.rows
    val query = drawn.copy(
      pattern = pattern,
      subsets = kept,
      conditions = drawn.conditions.filter(c => isKept(c._2)),
      measures = drawn.measures.filter(isKept) match {
        case Nil => Seq(FuzzExpression.Classifier(None))
        case some => some
      },
      rowsPerMatch = "ONE ROW PER MATCH",
      within = None,
      rows = rows,
      kept = Nil,
      filter = None
    )
    WindowQuery(
      query,
      random.nextBoolean(),
      Option.when(random.nextInt(3) == 0)(random.nextInt(4))
    )
  }

  private def hasNumber(e: FuzzExpression): Boolean =
    e == FuzzExpression.MatchNumber || e.parts.exists(hasNumber)

  private def actual(window: WindowQuery): Either[Throwable, Vector[Seq[Any]]] = {
    val query = window.query
    withConf(
      "spark.sql.codegen.factoryMode" -> (if (query.interpreted) "NO_CODEGEN" else "CODEGEN_ONLY"),
      MatchRecognizeConf.Sort.key -> query.sort,
      "spark.sql.codegen.wholeStage" -> query.wholeStage.toString,
      MatchRecognizeConf.SpillThresholdRows.key -> (if (query.spilled) "1" else "1000000")
    ) {
      try {
        val rows = query.rows.map(inputRow).asJava
        spark.createDataFrame(rows, SqlFuzzSuite.schema).createOrReplaceTempView("t")
        Right(sorted(FuzzReport.plain(spark.sql(window.sql).collect().toVector.map(_.toSeq))))
      } catch { case error: Exception => Left(error) }
    }
  }

  private def inputRow(row: FuzzRow): Row = {
    def int(value: Any): Any = value match {
      case number: Long => number.toInt
      case other => other
    }
    Row(int(row.g), row.k.toInt, int(row.v), row.d, row.s)
  }

  private def sorted(rows: Vector[Seq[Any]]): Vector[Seq[Any]] = rows.sortBy(_.toString)

  private def differs(window: WindowQuery): Boolean =
    actual(window) != Right(sorted(FuzzReport.plain(window.expected)))

  test(s"$cases random windows from seed $seed agree with the oracle") {
    val failures = mutable.ArrayBuffer.empty[String]
    var compared = 0
    var frames = 0
    withConf(
      "spark.sql.shuffle.partitions" -> "1",
      "spark.sql.adaptive.enabled" -> "false",
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.variable.substitute" -> "false"
    ) {
      only.fold(0 until cases)(i => i to i).foreach { i =>
        val window = random(seed * 1000000007L + i)
        if (window.query.isValid) {
          val affordable = window.affordable
          compared += 1
          frames += affordable.expected.count(_(2 + affordable.query.measures.size) != 0L)
          if (failures.size < most && differs(affordable))
            failures += s"query $i of seed $seed\n${affordable.sql}\n" +
              s"rows ${affordable.query.rows}\n" +
              s"expected ${sorted(FuzzReport.plain(affordable.expected))}\nfound ${actual(affordable)}"
        }
      }
    }
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    info(s"$compared queries, $frames reduced frames with rows")
    assert(only.isDefined || (compared > cases / 2 && frames > cases))
  }
}
