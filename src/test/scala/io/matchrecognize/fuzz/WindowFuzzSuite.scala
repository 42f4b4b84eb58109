package io.matchrecognize.fuzz

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.DataFrame

import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.RowPatternAnalysis
import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Random queries with a row pattern window, with ordinary windows, subqueries, generators and
 * functions of the task beside it, compared with [[WindowOracle]]. They return some of their
 * columns, so that others are pruned. Sizes as those of [[SqlFuzzSuite]].
 */
class WindowFuzzSuite extends QuerySuite {
  private val cases = sys.props.get("fuzz.sql.cases").fold(Sampled.size(8, 4))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val only = sys.props.get("fuzz.sql.query").map(_.toInt)
  private val budget = 20000
  private val most = 5

  /**
   * What a query has beside its window.
   *
   * @param columns
   *   the columns that it returns, of all that it could
   * @param beside
   *   whether some of them are those of [[Beside]]
   * @param shifted
   *   columns of the input in place of which something computed from them has their name
   * @param isFrame
   *   whether the columns are expressions of a DataFrame, which are parsed one by one, with another
   *   pattern beside them
   */
  private case class Around(
      columns: Seq[Int],
      beside: Boolean,
      shifted: Set[Int],
      isFrame: Boolean
  )

  private case class WindowQuery(
      query: FuzzQuery,
      isSeek: Boolean,
      after: Option[Int],
      around: Around
  ) {
    val oracle = new WindowOracle(query, isSeek, after, budget)

    private val clause = query.sql

    /** The clause's text, turned into that of a window. */
    private def spec: String = {
      val parts = clause.substring(clause.indexOf("(\n") + 2, clause.lastIndexOf(")"))
      val frame =
        s"ROWS BETWEEN CURRENT ROW AND ${after.fold("UNBOUNDED")(_.toString)} FOLLOWING"
      val modifier = if (isSeek) "SEEK PATTERN (" else "PATTERN ("
      parts.replace("ONE ROW PER MATCH", frame).replace("\n  PATTERN (", s"\n  $modifier")
    }

    /** The columns that are returned. */
    private def columns: Seq[String] = {
      val measures = query.measures.indices.map(i => s"m$i OVER w")
      val functions = WindowOracle.Functions.zipWithIndex.map { case ((f, _), i) =>
        s"$f OVER w AS f$i"
      }
      val keys = Seq("g", "k").zipWithIndex.map { case (name, i) =>
        if (around.shifted(i)) s"$name + 1 AS $name" else name
      }
      around.columns.map(keys ++ measures ++ functions ++ Beside.map(_._1))
    }

    def sql: String =
      columns.mkString("SELECT ", ", ", s"\nFROM $input WINDOW w AS (\n$spec\n)")

    def frame: DataFrame =
      if (!around.isFrame) spark.sql(sql)
      else {
        val expressions = Single +: columns.map(_.replace("OVER w", s"OVER (\n$spec\n)"))
        spark.sql(s"SELECT * FROM $input").selectExpr(expressions: _*)
      }

    private def input: String =
      clause.substring(clause.indexOf("FROM ") + 5, clause.indexOf(" MATCH_RECOGNIZE"))

    /** Without partitions that are too expensive or that fail. */
    def affordable: WindowQuery = copy(
      query.copy(rows = query.partitions.toVector.flatMap { rows =>
        if (oracle.partition(rows).isEmpty) Nil else rows
      })
    )

    /** All columns of all rows. */
    def computed: Vector[Seq[Any]] = {
      val rows = query.partitions.toVector.flatMap(oracle.partition(_).get)
      rows.map(row => row ++ Beside.map(_._2(row, rows)))
    }

    def expected: Vector[Seq[Any]] = computed
      .map(row => (if (around.isFrame) Seq(1L) else Nil) ++ around.columns.map(shown(row, _)))

    private def shown(row: Seq[Any], column: Int): Any = row(column) match {
      case key: Number if around.shifted(column) => key.longValue + 1
      case other => other
    }
  }

  /** A window in which each row is a match. */
  private val Single = "count(*) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED " +
    "FOLLOWING PATTERN (Single))"

  /** What a SELECT list has beside the window, with its value for a row of all rows. */
  private val Beside = Seq[(String, (Seq[Any], Seq[Seq[Any]]) => Any)](
    "count(*) OVER (PARTITION BY g) AS same" -> ((row, all) => all.count(_.head == row.head)),
    // Over equal keys it is the key itself.
    "max(k) OVER (ORDER BY k) AS upto" -> ((row, _) => row(1)),
    "if(count(*) OVER w >= 0, k, 1 / (k - k)) AS guarded" -> ((row, _) => row(1)),
    "(SELECT count(*) FROM t) AS every" -> ((_, all) => all.size),
    "k IN (SELECT k FROM t WHERE g > 1) AS known" ->
      ((row, all) => all.exists(r => r(1) == row(1) && r.head != null && isAbove(r.head, 1))),
    "explode(array(7)) AS e" -> ((_, _) => 7),
    "input_file_name() AS file" -> ((_, _) => ""),
    "CASE WHEN k > 2 THEN rand(3) < 1 END AS ofTask" ->
      ((row, _) => if (isAbove(row(1), 2)) true else null)
  )

  private def isAbove(value: Any, least: Long): Boolean =
    value.asInstanceOf[Number].longValue > least

  private def around(random: Random, measures: Int): Around = {
    val functions = WindowOracle.Functions.length
    val all = (0 until 2 + measures + functions).toSeq
    val some = random.nextInt(2) == 0
    val drawn = all.filter(_ => !some || random.nextInt(3) == 0)
    val beside =
      if (random.nextBoolean()) Nil
      else random.shuffle(Beside.indices.toList).take(1 + random.nextInt(3)).map(_ + all.length)
    val columns = if (drawn.isEmpty && beside.isEmpty) Seq(1) else drawn ++ beside
    val shifted = Set(0, 1).filter(_ => random.nextInt(3) == 0)
    Around(columns, beside.nonEmpty, shifted, random.nextInt(4) == 0)
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
      Option.when(random.nextInt(3) == 0)(random.nextInt(4)),
      around(random, query.measures.length)
    )
  }

  private def hasNumber(e: FuzzExpression): Boolean =
    e == FuzzExpression.MatchNumber || e.parts.exists(hasNumber)

  private def actual(window: WindowQuery): Either[Throwable, Vector[Seq[Any]]] = {
    val query = window.query
    withConf(query.confs: _*) {
      try {
        val rows = query.rows.map(FuzzInput.row(query, _)).asJava
        spark
          .createDataFrame(rows, FuzzInput.schema(query, isTable = true))
          .createOrReplaceTempView("t")
        Right(sorted(FuzzReport.plain(window.frame.collect().toVector.map(_.toSeq))))
      } catch { case error @ (_: Exception | _: StackOverflowError) => Left(error) }
    }
  }

  private def sorted(rows: Vector[Seq[Any]]): Vector[Seq[Any]] = rows.sortBy(_.toString)

  private def differs(window: WindowQuery): Boolean =
    actual(window) != Right(sorted(FuzzReport.plain(window.expected)))

  test(s"$cases random windows from seed $seed agree with the oracle") {
    val failures = mutable.ArrayBuffer.empty[String]
    var compared = 0
    var frames = 0
    var beside = 0
    withConf("spark.sql.variable.substitute" -> "false") {
      only.fold(0 until cases)(i => i to i).foreach { i =>
        val window = random(seed * 1000000007L + i)
        if (window.query.isValid) {
          val affordable = window.affordable
          compared += 1
          frames += affordable.computed.count(_(2 + affordable.query.measures.size) != 0L)
          beside += (if (affordable.around.beside) 1 else 0)
          if (failures.size < most && differs(affordable))
            failures += s"query $i of seed $seed\n${FuzzSettings.statements(affordable.query.confs)}\n" +
              s"${affordable.sql}\n" +
              s"rows ${affordable.query.rows}\n" +
              s"expected ${sorted(FuzzReport.plain(affordable.expected))}\nfound ${actual(affordable)}"
        }
      }
    }
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    info(
      s"$compared queries, $frames reduced frames with rows; $beside with others beside them"
    )
    assert(only.isDefined || (compared > cases / 2 && frames > cases))
  }
}
