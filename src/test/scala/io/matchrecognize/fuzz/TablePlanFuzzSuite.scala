package io.matchrecognize.fuzz

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession}

import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Random plans with clauses, compared with the same plans in which the rows of each clause are in a
 * table first, so that no name is resolved and no rule of an optimiser applied across its border. A
 * long run: `-Dfuzz.table.plans=2000 -Dfuzz.seed=7` as Java options of the test's process; one plan
 * again: `-Dfuzz.table.plan=17` beside them.
 */
class TablePlanFuzzSuite extends QuerySuite {
  import TablePlanFuzzSuite._

  private val count = sys.props.get("fuzz.table.plans").fold(Sampled.size(4, 2))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)
  private val only = sys.props.get("fuzz.table.plan").map(_.toInt)

  /** Differences to report in one run. */
  private val most = sys.props.get("fuzz.table.failures").fold(5)(_.toInt)
  private val shrinkSeconds = sys.props.get("fuzz.shrink").fold(30L)(_.toLong)

  /** Seconds that a plan may take. The slowest of hundreds takes a few. */
  private val patience = sys.props.get("fuzz.patience").fold(120L)(_.toLong)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    createTables(spark)
  }

  override protected def afterAll(): Unit = {
    spark.sql("UNCACHE TABLE t_cached")
    Seq("t_rows", "t_cached", "t_laid", "t_pairs", "v1", "v2").foreach(spark.catalog.dropTempView)
    super.afterAll()
  }

  test(s"$count random plans from seed $seed are equal to those over the rows of their clauses") {
    val failures = mutable.ArrayBuffer.empty[String]
    val totals = mutable.Map.empty[String, Int].withDefaultValue(0)
    only.fold(0 until count)(i => i to i).iterator.takeWhile(_ => failures.size < most).foreach {
      i =>
        val choices = Choices.random(seed * 1000003L + i)
        val plan = TablePlanGenerator.plan(choices)
        if (only.isDefined) info(plan.toString)
        totals("clauses") += plan.clauses
        if (plan.clauses > 0) difference(plan) match {
          case Same(rows, error) =>
            totals("plans") += 1
            if (rows > 0) {
              totals("with rows") += 1
              val text = plan.toString
              if (count >= 100)
                shapes.filter(text.contains).foreach(s => totals(s"with rows and$s") += 1)
            }
            error.foreach(condition => totals(s"refused: $condition") += 1)
          case Different(text) =>
            failures += report(i, choices.made, text)
            note(failures.last)
        }
    }
    info(totals.toSeq.sortBy(-_._2).map { case (name, n) => s"$n $name" }.mkString(", "))
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    // Neither by errors nor by empty results: two thirds, less three standard deviations.
    val plans = totals("plans").toDouble
    val least = plans * 2 / 3 - 3 * math.sqrt(plans * 2 / 9)
    assert(only.isDefined || totals("with rows") >= least)
    assert(totals("refused: too large") <= plans / 100)
  }

  for {
    (what, plans) <- Seq[(String, Choices => TablePlan)](
      "clauses over a column and its copy" -> TablePlanGenerator.overCopies,
      "row pattern windows over a relation that is read again" -> TablePlanGenerator.readTwice
    )
  } test(s"$what are equal to those over the rows of their clauses", Slow) {
    val rows = (0 until 8).map { i =>
      val plan = plans(Choices.random(seed * 1000003L + i))
      difference(plan) match {
        case Same(rows, _) => rows
        case Different(text) => fail(s"plan $i of seed $seed: $text\n$plan")
      }
    }
    assert(rows.count(_ > 0) >= 4)
  }

  test("1,000 plans have each shape") {
    val plans = (0 until 1000).map(i => TablePlanGenerator.plan(Choices.random(i.toLong)).toString)
    shapes.foreach(shape => assert(plans.count(_.contains(shape)) >= 3, shape))
    val clauses = plans.map("MATCH_RECOGNIZE".r.findAllIn(_).size)
    assert(clauses.count(_ > 1) > 200)
  }

  /** How a plan and its reference end. */
  private def difference(plan: TablePlan): Comparison = {
    val found = direct(plan)
    val expected = materialised(plan)
    (found, expected) match {
      // Of several mistakes in a plan any may be found first.
      case (Failed(a, text), Failed(b, _)) =>
        if (Seq(a, b).exists(isFault)) Different(text) else Same(0, Some(a))
      case (_, Endless) => Same(0, Some("too large"))
      case (a: Rows, b: Rows) if a.columns == b.columns && a.sorted == b.sorted =>
        if (plan.isSorted && a.rows != b.rows)
          Different(s"another order\nfound ${a.rows}\nexpected ${b.rows}")
        else Same(a.rows.size, None)
      case _ => Different(s"found $found\nexpected $expected")
    }
  }

  /** Whether no plan may end so, whatever mistakes it has. */
  private def isFault(condition: String): Boolean =
    Seq("INTERNAL_ERROR", "MISSING_ATTRIBUTES").exists(condition.startsWith)

  private def direct(plan: TablePlan): Answer =
    withConf((plan.settings.confs ++ plan.confs :+ Ordering :+ Layouts): _*) {
      answer {
        createViews(plan)(TablePlan.plain)
        spark.sql(TablePlan.plain(plan.statement(plan.ctes, plan.query)))
      }
    }

  private def createViews(plan: TablePlan)(text: String => String): Unit =
    plan.views.foreach { case (name, view) =>
      spark.sql(s"CREATE OR REPLACE TEMPORARY VIEW $name AS ${text(view)}")
    }

  /** With the rows of each clause in a table, made without what the plugin does to plans. */
  private def materialised(plan: TablePlan): Answer =
    withConf((FuzzSettings.plain.confs :+ Unoptimised): _*) {
      var tables = 0
      def inTable(ctes: Seq[(String, String)])(relation: String): String = {
        val frame = spark.sql(plan.statement(ctes, s"SELECT * FROM $relation"))
        val schema = StructType(frame.schema.map(_.copy(nullable = true)))
        tables += 1
        val rows = frame.collect().toSeq.asJava
        spark.createDataFrame(rows, schema).createOrReplaceTempView(s"rows_$tables")
        s"(SELECT * FROM rows_$tables)"
      }
      answer {
        createViews(plan)(TablePlan.replaced(_)(inTable(Nil)))
        val ctes = plan.ctes.foldLeft(Seq.empty[(String, String)]) { case (before, (name, text)) =>
          before :+ (name -> TablePlan.replaced(text)(inTable(before)))
        }
        spark.sql(plan.statement(ctes, TablePlan.replaced(plan.query)(inTable(ctes))))
      }
    }

  private def answer(frame: => DataFrame): Answer =
    try
      Patience.limited(spark, patience) {
        val made = frame
        val output = made.asInstanceOf[ClassicDataset[_]].queryExecution.analyzed.output
        val columns = output.map { a =>
          s"${(a.qualifier :+ a.name).mkString(".").replaceAll("rows_\\d+", "")} ${a.dataType.sql}"
        }
        Rows(columns, made.collect().toSeq.map(_.toString))
      }
    catch {
      case _: Patience.Lost => Endless
      case error @ (_: Exception | _: StackOverflowError) =>
        val condition = Iterator
          .iterate[Throwable](error)(_.getCause)
          .takeWhile(_ != null)
          .collectFirst { case e: SparkThrowable if e.getCondition != null => e.getCondition }
        Failed(condition.getOrElse(s"INTERNAL_ERROR: $error"), error.toString.take(3000))
    }

  private def report(number: Int, record: Seq[Int], text: String): String = {
    val (small, why) = shrunk(record, text)
    s"plan $number of seed $seed: $text\n${TablePlanGenerator.plan(Choices.again(record))}" +
      s"\nreduced: $why\n${TablePlanGenerator.plan(Choices.again(small))}"
  }

  /** Smaller choices that fail in the same way, for a limited time. */
  private def shrunk(record: Seq[Int], text: String): (Seq[Int], String) =
    Choices.reduced(record, text, shrinkSeconds)(TablePlanGenerator.plan) { plan =>
      if (plan.clauses == 0) None
      else
        difference(plan) match {
          case Different(again) if kindOf(again) == kindOf(text) => Some(again)
          case _ => None
        }
    }

  private def kindOf(text: String): String =
    "Failed\\(([^,]*),|another order".r.findAllIn(text).toSeq.mkString
}

object TablePlanFuzzSuite {
  private val shapes = Seq(
    " LEFT JOIN ",
    " RIGHT JOIN ",
    " FULL JOIN ",
    " LEFT SEMI JOIN ",
    " LEFT ANTI JOIN ",
    " USING (",
    " NATURAL ",
    ", LATERAL (",
    " JOIN LATERAL (",
    " LATERAL VIEW ",
    " |> ",
    "|> AGGREGATE ",
    "|> EXTEND ",
    "|> SET ",
    "|> DROP ",
    "|> UNION",
    " PIVOT (",
    " UNPIVOT ",
    " WITHIN ",
    "TIMEOUT MATCHES",
    "WHERE EXISTS (",
    "NOT EXISTS (",
    " IN (SELECT ",
    "(SELECT MAX(",
    "AND EXISTS (",
    "GROUP BY",
    "DISTINCT",
    " RANK() OVER ",
    " WINDOW ",
    "SEEK ",
    " UNION ALL ",
    " UNION ",
    " INTERSECT ",
    " EXCEPT ",
    "ORDER BY ALL",
    "LIMIT",
    "WITH ",
    "CREATE OR REPLACE TEMP VIEW",
    "SORT BY",
    "t_bucket",
    "t_laid",
    "t_pairs",
    "JOIN LATERAL (SELECT",
    "range(0, 9000",
    "PARTITION BY g, g",
    "AS h",
    "ALL ROWS PER MATCH WITH UNMATCHED ROWS",
    "PERMUTE"
  )

  /** The tables of [[TablePlanGenerator.tables]], all with the same rows. */
  private[fuzz] def createTables(spark: SparkSession): Unit = {
    val rows = spark.sql(
      "SELECT NULLIF(id % 4, 3) AS g, id AS k, NULLIF(id * 7 % 5, 4) AS v, " +
        "CASE id % 3 WHEN 0 THEN 'x' WHEN 1 THEN 'y' END AS s FROM range(1, 19)"
    )
    val local = rows.collect().toSeq
    spark.createDataFrame(local.asJava, rows.schema).createOrReplaceTempView("t_rows")
    rows.coalesce(1).write.format("parquet").mode("overwrite").saveAsTable("t_file")
    val bucketed = rows.coalesce(1).write.format("parquet").bucketBy(2, "g").sortBy("g", "k")
    bucketed.mode("overwrite").saveAsTable("t_bucket")
    rows.createOrReplaceTempView("t_cached")
    spark.sql("CACHE TABLE t_cached")
    LaidRows.view(rows, "t_laid", keys = "g", order = "")
    LaidRows.view(rows, "t_pairs", keys = "g,s", order = "g,k")
  }

  /** How one form of a plan ends. */
  private sealed trait Answer
  private final case class Rows(columns: Seq[String], rows: Seq[String]) extends Answer {
    def sorted: Seq[String] = rows.sorted
  }

  /** Joins of joins can have more rows than there is time for. */
  private case object Endless extends Answer
  private final case class Failed(condition: String, text: String) extends Answer

  private sealed trait Comparison
  private final case class Same(rows: Int, error: Option[String]) extends Comparison
  private final case class Different(text: String) extends Comparison

  /** A scan of a bucketed table says in which order its rows are. */
  private val Ordering = "spark.sql.legacy.bucketedTableScan.outputOrdering" -> "true"

  private val Layouts = "spark.sql.sources.v2.bucketing.enabled" -> "true"

  private val Unoptimised = "spark.sql.optimizer.excludedRules" ->
    (Seq("PruneMeasures", "PushPartitionFilters")
      .map("io.matchrecognize.optimizer." + _) :+
      "org.apache.spark.sql.catalyst.optimizer.RemoveRedundantAliases").mkString(",")
}
