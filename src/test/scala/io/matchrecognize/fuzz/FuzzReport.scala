package io.matchrecognize.fuzz

import io.matchrecognize.fuzz.ClauseOracle._

/** Comparing and showing answers. */
object FuzzReport {

  /** Rows with all numbers in one form, to compare by value. */
  def plain(rows: Vector[Seq[Any]]): Vector[Seq[Any]] = rows.map(_.map(plainValue))

  private def plainValue(value: Any): Any = value match {
    case number: Number if number.doubleValue.isNaN => "NaN"
    case number: Number => number.doubleValue + 0.0
    case list: scala.collection.Seq[_] => list.map(plainValue).toVector
    case other => FuzzKey.fromRow(other).getOrElse(other)
  }

  /** A query and its answer in the format of the conformance cases. */
  def json(id: String, query: FuzzQuery, answer: Answer): String = {
    val columns = query.inputColumns.map { case (name, dataType) => list(Seq(name, dataType)) }
    val rows = query.rows.map(row => list(query.inputColumns.map(c => row(c._1))))
    val expected = answer match {
      case Rows(found) =>
        val body = found.map(list).mkString("[", ", ", "]")
        s""""expected": {"columns": ${list(query.columns)}, "rows": $body}"""
      case other => s""""expected_error": ${text(s"runtime: $other")}"""
    }
    s"""{"id": ${text(id)}, "feature": "found by the fuzz", """ +
      s""""input": {"columns": [${columns.mkString(", ")}], "rows": [${rows.mkString(", ")}]}, """ +
      s""""sql": ${text(query.sql)}, "ordered": false, $expected}"""
  }

  private def list(values: Seq[Any]): String = values.map(text).mkString("[", ", ", "]")

  private def text(value: Any): String = value match {
    case string: String =>
      "\"" + string.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\""
    case values: Seq[_] => list(values)
    case other => String.valueOf(other)
  }
}
