package io.matchrecognize.execution.aggregate

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.types.{BinaryType, StructType}
import org.apache.spark.sql.{Encoder, Encoders, Row, functions}
import org.scalatest.Outcome

import io.matchrecognize.QuerySuite

/**
 * Every aggregate function of Spark's registry over the rows of a match, against a plain
 * aggregation of the same rows in the same order: of the whole match, running, with FILTER and
 * DISTINCT, and in DEFINE.
 */
class AggregatesSuite extends QuerySuite {
  private val rowCount = 6

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .sql(
        """SELECT *, CAST(s AS BINARY) AS bin, array(i, j) AS arr, CAST(d AS DECIMAL(10, 2)) AS e,
          |  array(FLOAT(i), FLOAT(2)) AS vec, DATE'2024-01-01' + t AS dt,
          |  TIMESTAMP'2024-01-01' + make_dt_interval(t) AS ts, make_dt_interval(0, i) AS iv,
          |  parse_json(concat('{"a":', t, '}')) AS va
          |FROM VALUES (1, 10, 1.5D, 'a', TRUE, 2L), (2, 8, 2.5D, 'b', FALSE, 3L),
          |  (3, 6, NULL, 'c', TRUE, NULL), (4, NULL, -1D, NULL, NULL, 5L), (5, 12, 4D, 'a', FALSE, 2L),
          |  (6, 12, 4D, 'b', TRUE, 2L) AS v(t, i, d, s, b, j)""".stripMargin
      )
      .coalesce(1)
      .createOrReplaceTempView("agg_base")
    // Sketches to be merged; a Spark that does not know one has a NULL there.
    val sketches = Seq(
      "bitmap_construct_agg(CAST(i AS BIGINT))",
      "hll_sketch_agg(i)",
      "theta_sketch_agg(i)",
      "tuple_sketch_agg_integer(i, CAST(j AS INT))",
      "tuple_sketch_agg_double(i, d)",
      "kll_sketch_agg_bigint(j)",
      "kll_sketch_agg_float(FLOAT(d))",
      "kll_sketch_agg_double(d)",
      "approx_top_k_accumulate(s)"
    ).zipWithIndex.map { case (sketch, n) =>
      val known = isPlain(sketch, "agg_base")
      s"${if (known) s"$sketch OVER (PARTITION BY t)" else "CAST(NULL AS BINARY)"} AS sk$n"
    }
    spark
      .sql(s"SELECT *, ${sketches.mkString(", ")} FROM agg_base ORDER BY t")
      .coalesce(1)
      .createOrReplaceTempView("agg_input")
  }

  private val columns =
    Seq("i", "j", "d", "s", "b", "bin", "arr", "e", "vec", "dt", "ts", "iv", "va")

  /** Argument lists that are tried for every function. */
  private val arguments: Seq[String] = Seq("*", "") ++ columns ++ (0 to 8).map(n => s"sk$n") ++ Seq(
    "i, j",
    "d, i",
    "s, i",
    "s, i, 2",
    "i, 0.5",
    "i, array(0.25, 0.75)",
    "d, 3",
    "i, 10",
    "s, ','",
    "i, true",
    "s, 2",
    "s, 5, 100",
    "i, 0.5, j",
    "i, 0.1D, 0.9D, 42",
    "i, CAST(j AS INT)",
    "sk8, 3",
    "CAST(i AS BIGINT)",
    "FLOAT(d)"
  )

  private val ordered = Seq(
    "(0.5) WITHIN GROUP (ORDER BY i)",
    "(0.5) WITHIN GROUP (ORDER BY d DESC)",
    "() WITHIN GROUP (ORDER BY i)",
    "(s) WITHIN GROUP (ORDER BY s DESC)",
    "(s, ';') WITHIN GROUP (ORDER BY s)"
  )

  /** Navigation in the clause; of grouping sets; of metric views. */
  private val others = Set("first", "last", "grouping", "grouping_id", "measure")

  // Many small queries: compiling would cost the most.
  override protected def withFixture(test: NoArgTest): Outcome =
    withConf("spark.sql.adaptive.enabled" -> "false", "spark.sql.shuffle.partitions" -> "1")(
      super.withFixture(test)
    )

  private def isPlain(call: String, table: String = "agg_input"): Boolean = withConf(
    "spark.sql.codegen.factoryMode" -> "NO_CODEGEN",
    "spark.sql.codegen.wholeStage" -> "false"
  )(accepted(call, table))

  private def accepted(call: String, table: String): Boolean =
    try {
      val frame = spark.sql(s"SELECT $call AS a FROM $table")
      frame
        .asInstanceOf[ClassicDataset[Row]]
        .queryExecution
        .analyzed
        .expressions
        .exists(_.exists(_.isInstanceOf[AggregateExpression])) && {
        frame.collect()
        true
      }
    } catch { case _: SparkThrowable | _: RuntimeException => false }

  private lazy val functionNames: Seq[String] = FunctionRegistry.builtin
    .listFunction()
    .filter(id => FunctionRegistry.builtin.lookupFunction(id).exists(_.getGroup == "agg_funcs"))
    .map(_.funcName)
    .sorted

  /** Calls that Spark takes, by function. */
  private lazy val calls: Seq[(String, Seq[String])] = functionNames.filterNot(others).map { name =>
    val all = arguments.map(a => s"$name($a)") ++ ordered.map(name + _)
    name -> all.iterator.filter(isPlain(_)).take(2).toSeq
  }

  /** The calls, each as text, so that all types can be compared and written down. */
  private lazy val texts: Seq[String] = calls.flatMap(_._2).map(asText)

  private def asText(call: String): String =
    spark.sql(s"SELECT $call AS a FROM agg_input").schema.head.dataType match {
      case BinaryType => s"hex($call)"
      case nested: StructType if nested.exists(_.dataType == BinaryType) => s"to_json($call)"
      case _ => s"CAST($call AS STRING)"
    }

  private def named(expressions: Seq[String]): String =
    expressions.zipWithIndex.map { case (e, n) => s"$e AS m$n" }.mkString(", ")

  private def plain(expressions: Seq[String], where: String): Row =
    rows(s"SELECT ${named(expressions)} FROM (SELECT * FROM agg_input WHERE $where)").head

  private def compare(expressions: Seq[String], found: Row, expected: Row, where: String): Unit = {
    assert(found.length == expressions.length)
    val wrong = expressions.indices.filter(n => found.get(n) != expected.get(n)).map { n =>
      s"${expressions(n)}: ${found.get(n)} instead of ${expected.get(n)}"
    }
    assert(wrong.isEmpty, where)
  }

  test("every aggregate function has a call that is tested") {
    assert(functionNames.length > 50)
    assert(calls.collect { case (name, Seq()) => name } == Nil)
  }

  test("over the whole match") {
    val found = rows(
      s"SELECT * FROM agg_input MATCH_RECOGNIZE (ORDER BY t MEASURES ${named(texts)} PATTERN (A+))"
    )
    compare(texts, found.head, plain(texts, "TRUE"), "one row")
  }

  test("running and final, row by row, of one variable") {
    val both = texts ++ texts.map { text =>
      val at = text.indexOf('(') + 1
      s"${text.take(at)}FINAL ${text.drop(at)}"
    }
    val found = rows(
      s"SELECT * FROM agg_input MATCH_RECOGNIZE (ORDER BY t MEASURES ${named(both)} " +
        "ALL ROWS PER MATCH PATTERN (A+))"
    )
    assert(found.length == rowCount)
    val whole = plain(texts, "TRUE")
    found.foreach { row =>
      val t = row.getInt(0)
      val measured = Row.fromSeq(row.toSeq.slice(1, 1 + both.length))
      val (running, last) = measured.toSeq.splitAt(texts.length)
      compare(texts, Row.fromSeq(running), plain(texts, s"t <= $t"), s"running at $t")
      compare(texts, Row.fromSeq(last), whole, s"final at $t")
    }
  }

  test("over no rows") {
    val ofNone = calls.flatMap(_._2).filterNot(_.contains("(*)"))
    val found = rows(
      "SELECT * FROM agg_input MATCH_RECOGNIZE (ORDER BY t " +
        s"MEASURES ${named(ofNone.map(asText))} PATTERN (() ))"
    )
    compare(ofNone, found.head, plain(ofNone.map(asText), "FALSE"), "empty match")
  }

  private def measured(texts: Seq[String]): Row = rows(
    s"SELECT * FROM agg_input MATCH_RECOGNIZE (ORDER BY t MEASURES ${named(texts)} PATTERN (A+))"
  ).head

  test("with FILTER") {
    val filtered =
      calls.flatMap(_._2.take(1)).map(c => s"$c FILTER (WHERE t <> 2)").filter(isPlain(_))
    assert(filtered.length > 50)
    val asTexts = filtered.map(asText)
    compare(asTexts, measured(asTexts), plain(asTexts, "TRUE"), "filtered")
  }

  test("with DISTINCT") {
    // What depends on the order of rows: Spark has none once it has made them distinct.
    val byOrder = Set("any_value", "first_value", "last_value", "approx_top_k_accumulate")
    val distinct = calls.filterNot(c => byOrder(c._1)).flatMap(_._2.take(1)).flatMap { call =>
      val (head, tail) = call.splitAt(call.indexOf('(') + 1)
      // COUNT(DISTINCT *) is not for the clause.
      if (tail.startsWith("*")) None else Some(s"${head}DISTINCT $tail").filter(isPlain(_))
    }
    assert(distinct.length > 30)
    // Sketches show their hash tables, whose order is that of the rows.
    val asTexts = distinct.map(asText).filterNot(_.startsWith("hex("))
    // Lists are in any order, and so are the terms of sums.
    def rounded(text: String): String =
      scala.util.Try(BigDecimal(text).round(new java.math.MathContext(9)).toString).getOrElse(text)
    def parts(row: Row): Row = Row.fromSeq(row.toSeq.map {
      case null => null
      case text =>
        text.toString.split("[^\\w.-]+").filter(_.nonEmpty).map(rounded).sorted.mkString(" ")
    })
    compare(asTexts, parts(measured(asTexts)), parts(plain(asTexts, "TRUE")), "distinct")
  }

  test("in DEFINE, on the fourth row") {
    // These show their hash tables, whose order changes when the search copies a path's state.
    val (sketches, stable) =
      texts.partition(t => t.startsWith("hex(") || t.startsWith("to_json(approx_top_k"))
    val expected = plain(stable, "t <= 4")
    val conditions = stable.zip(expected.toSeq).map {
      case (text, null) => s"$text IS NULL"
      case (text, value) =>
        val literal = value.toString.replace("\\", "\\\\").replace("'", "\\'")
        s"$text = '$literal'"
    }
    val estimated = sketches.filter(_.startsWith("hex(theta")).map { sketch =>
      val estimate = s"theta_sketch_estimate(${sketch.stripPrefix("hex(")}"
      s"$estimate = ${plain(Seq(estimate), "t <= 4").get(0)}"
    } ++ sketches.map(sketch => s"$sketch IS NOT NULL")
    // A few together, so that no condition grows over the limits of a method.
    (conditions ++ estimated).grouped(8).foreach { group =>
      val found = rows(
        "SELECT * FROM agg_input MATCH_RECOGNIZE (ORDER BY t MEASURES COUNT(*) AS n " +
          s"PATTERN (^ A{3} B) DEFINE B AS ${group.mkString(" AND ")})"
      )
      assert(found == Seq(Row(4L)), group.mkString("\n"))
    }
  }

  test("user-defined aggregates, undone on backtracking") {
    spark.udf.register("geometric", functions.udaf(AggregatesSuite.Product, Encoders.scalaLong))
    val calls = Seq(
      "geometric(t)",
      "geometric(A.t) FILTER (WHERE A.t > 1)",
      "geometric(B.t)",
      "geometric(DISTINCT t % 2 + 1)"
    )
    assert(
      rows(
        s"SELECT * FROM agg_input MATCH_RECOGNIZE (ORDER BY t MEASURES ${named(calls)} " +
          "PATTERN (A{3} B+))"
      ) == Seq(Row(720L, 6L, 120L, 2L))
    )
    // A takes all it can, and gives rows back until the product of B's rows fits.
    assert(
      rows(
        "SELECT * FROM agg_input MATCH_RECOGNIZE (ORDER BY t MEASURES COUNT(A.*) AS a, " +
          "COUNT(B.*) AS b PATTERN (A+ B+ C) DEFINE C AS geometric(B.t) = 20)"
      ) == Seq(Row(3L, 2L))
    )
  }
}

object AggregatesSuite {

  /** The product of the values. */
  object Product extends Aggregator[Long, Long, Long] {
    override def zero: Long = 1L
    override def reduce(buffer: Long, value: Long): Long = buffer * value
    override def merge(a: Long, b: Long): Long = a * b
    override def finish(buffer: Long): Long = buffer
    override def bufferEncoder: Encoder[Long] = Encoders.scalaLong
    override def outputEncoder: Encoder[Long] = Encoders.scalaLong
  }
}
