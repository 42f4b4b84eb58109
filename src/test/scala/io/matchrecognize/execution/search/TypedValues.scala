package io.matchrecognize.execution.search

/** Two values of each type of Spark, the second one not greater. */
object TypedValues {

  /** A type by its name in tests. `minor` is the first one that has it, none if all do. */
  final case class Typed(
      name: String,
      high: String,
      low: String,
      minor: Option[String] = None,
      isOrdered: Boolean = true
  ) {

    /** A view `typed` of the columns t, 1 to 4, and v, with its values. */
    def query: String =
      s"SELECT * FROM VALUES (1, $high), (2, NULL), (3, $low), (4, $high) AS x(t, v)"

    /** The same values inside others. */
    def nested: Seq[Typed] = Seq(
      ("array", "array(%s, NULL)", isOrdered),
      ("struct", "named_struct('x', %s, 'y', 1)", isOrdered),
      ("map", "map('m', %s)", false)
    ).map { case (outer, form, ordered) =>
      Typed(s"$outer of $name", form.format(high), form.format(low), minor, ordered)
    }
  }

  private def ordered(name: String, high: String, low: String) = Typed(name, high, low)
  private def unordered(name: String, high: String, low: String) =
    Typed(name, high, low, isOrdered = false)

  private val everywhere: Seq[Typed] = Seq(
    ordered("boolean", "TRUE", "FALSE"),
    ordered("tinyint", "1Y", "-2Y"),
    ordered("smallint", "1S", "-2S"),
    ordered("int", "1", "-2"),
    ordered("bigint", "9223372036854775807", "-9223372036854775807"),
    ordered("float", "FLOAT('NaN')", "1.5F"),
    ordered("double", "DOUBLE('Infinity')", "-1e300D"),
    ordered("decimal", "2.25", "-1.50"),
    ordered(
      "wide decimal",
      "12345678901234567890.123456789012345678BD",
      "-0.000000000000000001BD"
    ),
    ordered("string", "'ab'", "''"),
    ordered("UTF8_LCASE", "collate('B', 'UTF8_LCASE')", "collate('a', 'UTF8_LCASE')"),
    ordered("UNICODE_CI", "collate('B', 'UNICODE_CI')", "collate('a', 'UNICODE_CI')"),
    ordered("trimmed", "collate('b ', 'UTF8_BINARY_RTRIM')", "collate('a', 'UTF8_BINARY_RTRIM')"),
    ordered("binary", "X'00FF'", "X''"),
    ordered("date", "DATE'2024-02-29'", "DATE'0001-01-01'"),
    ordered("timestamp", "TIMESTAMP'2024-02-29 01:02:03.000004'", "TIMESTAMP'1900-01-01'"),
    ordered(
      "timestamp_ntz",
      "TIMESTAMP_NTZ'2024-02-29 01:02:03.000004'",
      "TIMESTAMP_NTZ'1900-01-01'"
    ),
    ordered(
      "year to month",
      "INTERVAL '1-2' YEAR TO MONTH",
      "INTERVAL '-1-0' YEAR TO MONTH"
    ),
    ordered("day to second", "INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL '-1' DAY"),
    unordered("interval", "make_interval(1, 2, 3, 4, 5, 6, 7.5)", "make_interval(0, 1)"),
    ordered("array", "array(1, NULL)", "array(0, 5)"),
    ordered("array of strings", "array('b', NULL)", "array('a', 'c')"),
    unordered("map", "map('a', 1)", "map('b', NULL)"),
    ordered("struct", "named_struct('x', 1, 'y', 's')", "named_struct('x', NULL, 'y', 't')"),
    unordered(
      "nested",
      "array(named_struct('m', map(1, 'z')))",
      "array(named_struct('m', map(2, 'y')))"
    ),
    unordered("variant", """parse_json('{"a":1}')""", "parse_json('[1]')"),
    ordered("void", "NULL", "NULL")
  )

  private val newer: Seq[Typed] = Seq(
    Typed("time", "TIME'12:34:56.789'", "TIME'00:00:00'", Some("4.1")),
    Typed(
      "geometry",
      "ST_GeomFromWKB(X'0101000000000000000000F03F0000000000000040')",
      "ST_GeomFromWKB(X'010100000000000000000000000000000000000840')",
      Some("4.1"),
      isOrdered = false
    ),
    Typed(
      "geography",
      "ST_GeogFromWKB(X'0101000000000000000000F03F0000000000000040')",
      "ST_GeogFromWKB(X'010100000000000000000000000000000000000840')",
      Some("4.1"),
      isOrdered = false
    ),
    Typed(
      "nanoseconds",
      "CAST('2024-02-29 01:02:03.000000004' AS TIMESTAMP_NTZ(9))",
      "CAST('1900-01-01' AS TIMESTAMP_NTZ(9))",
      Some("4.3")
    ),
    Typed(
      "nanoseconds of an instant",
      "CAST('2024-02-29 01:02:03.000000004' AS TIMESTAMP_LTZ(9))",
      "CAST('1900-01-01' AS TIMESTAMP_LTZ(9))",
      Some("4.3")
    )
  )

  val all: Seq[Typed] = everywhere ++ newer
}
