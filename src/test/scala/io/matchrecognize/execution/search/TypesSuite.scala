package io.matchrecognize.execution.search

import org.apache.spark.SparkThrowable
import org.apache.spark.ml.linalg.Vectors
import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.Outcome

import io.matchrecognize.{Minor, QuerySuite}

/**
 * Every type of Spark through the operator: as a column, in measures and conditions, as a key. A
 * window function over the type is the oracle for keys.
 */
class TypesSuite extends QuerySuite {

  /** Two values of each type, the second one not greater. */
  private val literals: Seq[(String, String, String)] = Seq(
    ("boolean", "TRUE", "FALSE"),
    ("tinyint", "1Y", "-2Y"),
    ("smallint", "1S", "-2S"),
    ("int", "1", "-2"),
    ("bigint", "9223372036854775807", "-9223372036854775807"),
    ("float", "FLOAT('NaN')", "1.5F"),
    ("double", "DOUBLE('Infinity')", "-1e300D"),
    ("decimal", "2.25", "-1.50"),
    ("wide decimal", "12345678901234567890.123456789012345678BD", "-0.000000000000000001BD"),
    ("string", "'ab'", "''"),
    ("UTF8_LCASE", "collate('B', 'UTF8_LCASE')", "collate('a', 'UTF8_LCASE')"),
    ("UNICODE_CI", "collate('B', 'UNICODE_CI')", "collate('a', 'UNICODE_CI')"),
    ("trimmed", "collate('b ', 'UTF8_BINARY_RTRIM')", "collate('a', 'UTF8_BINARY_RTRIM')"),
    ("binary", "X'00FF'", "X''"),
    ("date", "DATE'2024-02-29'", "DATE'0001-01-01'"),
    ("timestamp", "TIMESTAMP'2024-02-29 01:02:03.000004'", "TIMESTAMP'1900-01-01'"),
    ("timestamp_ntz", "TIMESTAMP_NTZ'2024-02-29 01:02:03.000004'", "TIMESTAMP_NTZ'1900-01-01'"),
    ("year to month", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '-1-0' YEAR TO MONTH"),
    ("day to second", "INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL '-1' DAY"),
    ("interval", "make_interval(1, 2, 3, 4, 5, 6, 7.5)", "make_interval(0, 1)"),
    ("array", "array(1, NULL)", "array(0, 5)"),
    ("array of strings", "array('b', NULL)", "array('a', 'c')"),
    ("map", "map('a', 1)", "map('b', NULL)"),
    ("struct", "named_struct('x', 1, 'y', 's')", "named_struct('x', NULL, 'y', 't')"),
    ("nested", "array(named_struct('m', map(1, 'z')))", "array(named_struct('m', map(2, 'y')))"),
    ("variant", """parse_json('{"a":1}')""", "parse_json('[1]')"),
    ("void", "NULL", "NULL")
  )

  // With the minor that has them first.
  private val newer: Seq[(String, String, String, String)] = Seq(
    ("4.1", "time", "TIME'12:34:56.789'", "TIME'00:00:00'"),
    (
      "4.1",
      "geometry",
      "ST_GeomFromWKB(X'0101000000000000000000F03F0000000000000040')",
      "ST_GeomFromWKB(X'010100000000000000000000000000000000000840')"
    ),
    (
      "4.1",
      "geography",
      "ST_GeogFromWKB(X'0101000000000000000000F03F0000000000000040')",
      "ST_GeogFromWKB(X'010100000000000000000000000000000000000840')"
    ),
    (
      "4.3",
      "nanoseconds",
      "CAST('2024-02-29 01:02:03.000000004' AS TIMESTAMP_NTZ(9))",
      "CAST('1900-01-01' AS TIMESTAMP_NTZ(9))"
    )
  )

  private val notOrderable =
    Set("interval", "map", "nested", "variant", "geometry", "geography")

  private def query(clause: String): Seq[Row] = rows(
    s"SELECT * FROM typed MATCH_RECOGNIZE ($clause)"
  )

  private def outcome(run: => Seq[Seq[Int]]): Either[String, Seq[Seq[Int]]] =
    try Right(run)
    catch { case e: SparkThrowable => Left(e.getCondition) }

  private def groups(found: Seq[Row]): Seq[Seq[Int]] =
    found.map(r => r.getSeq[Int](r.length - 1).sorted).distinct.sortBy(_.head)

  /** The view `typed` has the columns t, 1 to 4, and v. */
  private def checkType(name: String): Unit = {
    val dataType = spark.table("typed").schema("v").dataType
    val v = rows("SELECT v FROM typed ORDER BY t").map(_.get(0))

    val frame = spark.sql(
      """SELECT * FROM typed MATCH_RECOGNIZE (ORDER BY t
        |MEASURES FIRST(v) AS f, LAST(v) AS l, PREV(v) AS p, NEXT(v) AS n, FINAL LAST(v) AS e,
        |  LAST(struct(v, t)).v AS s
        |ALL ROWS PER MATCH PATTERN (A+) DEFINE A AS v IS NULL OR PREV(v) IS NULL OR v IS NOT NULL)
        |""".stripMargin
    )
    frame.schema.tail.foreach(field => assert(field.dataType == dataType, s"$name: ${field.name}"))
    val expected = (0 until 4).map { i =>
      Row(i + 1, v(0), v(i), if (i == 0) null else v(i - 1), v.lift(i + 1).orNull, v(3), v(i), v(i))
    }
    assert(frame.collect().toSeq.sortBy(_.getInt(0)) == expected, name)

    withConf("spark.sql.codegen.factoryMode" -> "NO_CODEGEN")(checkKeys(name))
  }

  private def checkKeys(name: String): Unit = {
    val isVoid = name == "void"
    val partitions = outcome(
      groups(query("PARTITION BY v ORDER BY t MEASURES collect_list(t) AS n PATTERN (A+)"))
    )
    val order = outcome(
      query("ORDER BY v, t MEASURES collect_list(t) AS n PATTERN (A+)").map(_.getSeq[Int](0))
    )
    if (notOrderable(name)) {
      assert(partitions == Left("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"), name)
      assert(order == Left("DATATYPE_MISMATCH.INVALID_ORDERING_TYPE"), name)
      // As in a window.
      assert(
        outcome(groups(rows("SELECT collect_list(t) OVER (PARTITION BY v) FROM typed"))).isLeft
      )
    } else {
      val expectedGroups = if (isVoid) Seq(Seq(1, 2, 3, 4)) else Seq(Seq(1, 4), Seq(2), Seq(3))
      assert(partitions == Right(expectedGroups), name)
      assert(order == Right(Seq(if (isVoid) Seq(1, 2, 3, 4) else Seq(2, 3, 1, 4))), name)
      val equal = query(
        "ORDER BY t MEASURES CLASSIFIER() AS n PATTERN (A | B) DEFINE A AS v <=> FIRST(v) AND " +
          "v = NEXT(v, 3)"
      ).map(_.getString(0))
      assert(equal == Seq(if (isVoid) "B" else "A", "B", "B", "B"), name)
    }
  }

  private def checkLiteral(name: String, high: String, low: String): Unit = {
    spark
      .sql(s"SELECT * FROM VALUES (1, $high), (2, NULL), (3, $low), (4, $high) AS x(t, v)")
      .createOrReplaceTempView("typed")
    checkType(name)
  }

  // Many small queries: what they cost is planning and compiling.
  override protected def withFixture(test: NoArgTest): Outcome =
    withConf(
      "spark.sql.adaptive.enabled" -> "false",
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.shuffle.partitions" -> "1",
      // Before 4.2 collations that trim are off.
      "spark.sql.collation.trim.enabled" -> "true"
    )(super.withFixture(test))

  literals.foreach { case (name, high, low) => test(s"type: $name")(checkLiteral(name, high, low)) }

  newer.foreach { case (minor, name, high, low) =>
    test(s"type of Spark $minor: $name") {
      val confs = Seq(
        "spark.sql.geospatial.enabled",
        "spark.sql.timeType.enabled",
        "spark.sql.timestampNanosTypes.enabled"
      )
      withConf(confs.map(_ -> "true"): _*) {
        if (Minor.has(minor)) checkLiteral(name, high, low)
        else intercept[AnalysisException](spark.sql(s"SELECT $high AS v"))
      }
    }
  }

  test("CHAR and VARCHAR columns of a table") {
    Seq("CHAR(5)", "VARCHAR(5)").foreach { dataType =>
      spark.sql(s"CREATE TABLE lettered (t INT, v $dataType, x CHAR(8)) USING parquet")
      try {
        spark.sql(
          "INSERT INTO lettered VALUES (1, 'b', 'b'), (2, NULL, 'b'), (3, 'a', 'b'), (4, 'b', NULL)"
        )
        spark.sql("SELECT t, v FROM lettered").createOrReplaceTempView("typed")
        checkType(dataType)
        spark.table("lettered").createOrReplaceTempView("typed")
        // Columns that the clause does not read.
        assert(
          rows(
            "SELECT * FROM lettered MATCH_RECOGNIZE (ORDER BY t MEASURES LAST(t) AS l " +
              "ALL ROWS PER MATCH PATTERN (A+))"
          ) == rows("SELECT t, t AS l, v, x FROM lettered ORDER BY t"),
          dataType
        )
        // CHAR is compared as if padded.
        val conditions =
          Seq("v = 'b'", "'b' = v", "v IN ('b', 'c')", "v <=> 'b      '", "v > 'a'", "v = x")
        def all(form: String): String =
          conditions.zipWithIndex.map { case (c, i) => s"${form.format(c)} AS m$i" }.mkString(", ")
        val plain = rows(s"SELECT ${all("%s")} FROM lettered ORDER BY t")
        assert(query(s"ORDER BY t MEASURES ${all("%s")} PATTERN (A)") == plain, dataType)
        assert(query(s"ORDER BY t MEASURES ${all("LAST(%s)")} PATTERN (A)") == plain, dataType)
        Seq(0, 2, 5).foreach { i =>
          val classified = query(
            "ORDER BY t MEASURES CLASSIFIER() AS c PATTERN (A | B) " +
              s"DEFINE A AS ${conditions(i)}"
          )
          assert(
            classified.map(_.getString(0) == "A") == plain.map(_.get(i) == true),
            s"$dataType ${conditions(i)}"
          )
        }
      } finally spark.sql("DROP TABLE lettered")
    }
  }

  test("a user-defined type") {
    val session = spark
    import session.implicits._
    val (high, low) = (Vectors.dense(1, 2), Vectors.sparse(2, Array(1), Array(-1)))
    Seq((1, high), (2, null), (3, low), (4, high)).toDF("t", "v").createOrReplaceTempView("typed")
    val v = rows("SELECT v FROM typed ORDER BY t").map(_.get(0))
    val found = query(
      "ORDER BY t MEASURES FIRST(v) AS f, PREV(v) AS p ALL ROWS PER MATCH PATTERN (A+)"
    )
    assert(found == (0 until 4).map(i => Row(i + 1, v(0), if (i == 0) null else v(i - 1), v(i))))
    val partitions = outcome(
      groups(query("PARTITION BY v ORDER BY t MEASURES collect_list(t) AS n PATTERN (A+)"))
    )
    assert(
      partitions ==
        outcome(groups(rows("SELECT collect_list(t) OVER (PARTITION BY v) FROM typed")))
    )
  }

  test("NaN and negative zero as keys, bare and nested") {
    val wrappings = Seq("%s", "FLOAT(%s)", "named_struct('x', array(%s))")
    wrappings.foreach { wrapping =>
      val values = Seq("DOUBLE('NaN')", "-0.0D", "0.0D", "NULL", "-DOUBLE('NaN')", "NULL", "1.0D")
      val table = values.zipWithIndex
        .map { case (value, i) => s"(${i + 1}, ${wrapping.format(s"DOUBLE($value)")})" }
        .mkString(", ")
      spark.sql(s"SELECT * FROM VALUES $table AS x(t, v)").createOrReplaceTempView("typed")
      val partitions =
        groups(query("PARTITION BY v ORDER BY t MEASURES collect_list(t) AS n PATTERN (A+)"))
      assert(
        partitions == groups(rows("SELECT collect_list(t) FROM typed GROUP BY v")),
        wrapping
      )
      assert(partitions == Seq(Seq(1, 5), Seq(2, 3), Seq(4, 6), Seq(7)), wrapping)
      Seq("ASC", "DESC NULLS FIRST").foreach { direction =>
        val order = query(
          s"ORDER BY v $direction, t MEASURES collect_list(t) AS n PATTERN (A+)"
        ).head.getSeq[Int](0)
        val sorted = rows(s"SELECT t FROM typed ORDER BY v $direction, t").map(_.getInt(0))
        assert(order == sorted, s"$wrapping $direction")
      }
    }
  }

  test("collated strings as keys, bare and nested") {
    val wrappings =
      Seq("%s", "named_struct('x', %s, 'y', 1)", "array(%s, 'z')", "array(struct(%s))")
    wrappings.foreach { wrapping =>
      val table = Seq("'a'", "'A '", "'b'", "'A'", "NULL", "'B'", "NULL").zipWithIndex
        .map { case (value, i) =>
          s"(${i + 1}, ${wrapping.format(s"CAST($value AS STRING) COLLATE UTF8_LCASE")})"
        }
        .mkString(", ")
      spark.sql(s"SELECT * FROM VALUES $table AS x(t, v)").createOrReplaceTempView("typed")
      val partitions =
        groups(query("PARTITION BY v ORDER BY t MEASURES collect_list(t) AS n PATTERN (A+)"))
      assert(partitions == Seq(Seq(1, 4), Seq(2), Seq(3, 6), Seq(5, 7)), wrapping)
    }
  }
}
