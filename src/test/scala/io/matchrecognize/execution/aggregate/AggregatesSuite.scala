package io.matchrecognize.execution.aggregate

import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.{Encoder, Encoders, Row, functions}

/**
 * Every aggregate function of Spark's registry over the rows of a match, against a plain
 * aggregation of the same rows in the same order: of the whole match, running, with FILTER and
 * DISTINCT. Those of DEFINE are in [[AggregatePathsSuite]].
 */
class AggregatesSuite extends AggregateCalls {
  private lazy val texts: Seq[String] = calls.flatMap(_._2).map(asText(_))

  private def plain(expressions: Seq[String], where: String): Row =
    rows(s"SELECT ${named(expressions)} FROM (SELECT * FROM agg_input WHERE $where)").head

  private def compare(expressions: Seq[String], found: Row, expected: Row, where: String): Unit = {
    assert(found.length == expressions.length)
    val wrong = expressions.indices.filter(n => found.get(n) != expected.get(n)).map { n =>
      s"${expressions(n)}: ${found.get(n)} instead of ${expected.get(n)}"
    }
    assert(wrong.isEmpty, where)
  }

  test("aggregate functions have calls that are tested") {
    assert(functionNames.length > 50)
    assert(calls.collect { case (name, Seq()) => name } == Nil)
  }

  test("over the whole match") {
    val found = rows(
      s"SELECT * FROM agg_input MATCH_RECOGNIZE (ORDER BY t MEASURES ${named(texts)} PATTERN (A+))"
    )
    compare(texts, found.head, plain(texts, "TRUE"), "one row")
  }

  test("0.0 and -0.0, which are equal, in aggregates that differ in nothing else") {
    val both = Seq("0D", "-0D").map(zero => s"MAX(CAST(COALESCE(x, $zero) AS STRING))")
    val input = "(SELECT id, CAST(NULL AS DOUBLE) AS x FROM range(2))"
    val found = rows(
      s"SELECT * FROM $input MATCH_RECOGNIZE (ORDER BY id MEASURES ${named(both)} PATTERN (A+))"
    )
    assert(found == Seq(Row("0.0", "-0.0")))
  }

  test("running and final, row by row, of one variable", Slow) {
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

  test("over no rows", Slow) {
    val ofNone = calls.flatMap(_._2).filterNot(_.contains("(*)"))
    val found = rows(
      "SELECT * FROM agg_input MATCH_RECOGNIZE (ORDER BY t " +
        s"MEASURES ${named(ofNone.map(asText(_)))} PATTERN (() ))"
    )
    compare(ofNone, found.head, plain(ofNone.map(asText(_)), "FALSE"), "empty match")
  }

  private def measured(texts: Seq[String]): Row = rows(
    s"SELECT * FROM agg_input MATCH_RECOGNIZE (ORDER BY t MEASURES ${named(texts)} PATTERN (A+))"
  ).head

  test("with FILTER", Slow) {
    val filtered =
      calls.flatMap(_._2.take(1)).map(c => s"$c FILTER (WHERE t <> 2)").filter(isPlain(_))
    assert(filtered.length > 50)
    val asTexts = filtered.map(asText(_))
    compare(asTexts, measured(asTexts), plain(asTexts, "TRUE"), "filtered")
  }

  test("with DISTINCT", Slow) {
    // What depends on the order of rows: Spark has none once it has made them distinct.
    val byOrder = Set("any_value", "first_value", "last_value", "approx_top_k_accumulate")
    val distinct = calls.filterNot(c => byOrder(c._1)).flatMap(_._2.take(1)).flatMap { call =>
      val (head, tail) = call.splitAt(call.indexOf('(') + 1)
      // COUNT(DISTINCT *) is not for the clause.
      if (tail.startsWith("*")) None else Some(s"${head}DISTINCT $tail").filter(isPlain(_))
    }
    assert(distinct.length > 30)
    // Sketches show their hash tables, whose order is that of the rows.
    val asTexts = distinct.map(asText(_)).filterNot(_.startsWith("hex("))
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

  test("DISTINCT takes maps with the same entries for one, in any order") {
    spark
      .sql(
        """SELECT t, IF(t < 3, map('a', 1, 'b', 2), map('b', 2, 'a', 1)) AS m,
          |  map('a', IF(t < 3, 0.0D, -0.0D)) AS d FROM VALUES (1), (2), (3), (4) AS v(t)""".stripMargin
      )
      .createOrReplaceTempView("maps")
    val arguments = Seq(
      "m",
      "d",
      "array(m, m)",
      "named_struct('m', m)",
      "map('a', m)",
      "map('a', array(m))",
      "map(t % 2, m)",
      "IF(t < 4, NULL, m)",
      "IF(t < 4, NULL, array(m))"
    )
    val expressions = arguments.map(a => s"COUNT(DISTINCT $a)")
    assert(
      rows(
        "SELECT * FROM maps MATCH_RECOGNIZE " +
          s"(ORDER BY t MEASURES ${named(expressions)} PATTERN (A+))"
      ) == Seq(Row.fromSeq(arguments.map(a => if (a == "map(t % 2, m)") 2L else 1L)))
    )
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
