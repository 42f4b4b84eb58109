package io.matchrecognize.analysis

import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.{Interpreted, Sampled}

/** Named keys of PARTITION BY. */
class NamedKeysSuite extends Interpreted {
  private val input =
    "(SELECT id, id % 2 = 0 AS even, CAST(id % 3 AS STRING) AS `a b` FROM range(6)) AS t"

  private def run(keys: String, measures: String, rest: String = "", columns: String = "*") =
    rows(
      s"SELECT $columns FROM $input MATCH_RECOGNIZE (PARTITION BY $keys ORDER BY id " +
        s"MEASURES $measures $rest PATTERN (A+)) ORDER BY ALL"
    )

  test("a key is an output column of that name, with AS and without") {
    val expected = Seq(Row(0L, 3L), Row(1L, 3L))
    Seq("id % 2 AS parity", "id % 2 parity", "id % 2 AS `parity`").foreach { key =>
      assert(run(key, "COUNT(*) AS n") == expected, key)
    }
    assert(run("even AS straight", "COUNT(*) AS n") == Seq(Row(false, 3L), Row(true, 3L)))
    val many = (0 to 120).map(i => s"id % 2 AS p$i").mkString(", ") // more than rounds of analysis
    assert(run(s"$many, even", "COUNT(*) AS n", columns = "p0, even, n").length == 2)
  }

  test("a statement that inserts into two tables reads the clause twice") {
    val written = Seq("named_keys_a", "named_keys_b")
    written.foreach(name => spark.sql(s"CREATE TABLE $name (k INT, n BIGINT) USING parquet"))
    spark.sql(
      s"FROM $input MATCH_RECOGNIZE (PARTITION BY id % 2 AS k, even AS l MEASURES COUNT(*) AS n " +
        s"PATTERN (A+)) ${written.map(name => s"INSERT INTO $name SELECT int(k), n").mkString(" ")}"
    )
    written.foreach(name => assert(rows(s"TABLE $name").toSet == Set(Row(0, 3L), Row(1, 3L))))
    written.foreach(name => spark.sql(s"DROP TABLE $name"))
  }

  test("MEASURES and DEFINE read it, plain and qualified") {
    assert(
      run("id % 2 AS parity", "LAST(A.parity) + FIRST(parity) AS twice, SUM(A.parity) AS s") ==
        Seq(Row(0L, 0L, 0L), Row(1L, 2L, 3L))
    )
    assert(
      rows(
        s"SELECT * FROM $input MATCH_RECOGNIZE (PARTITION BY id % 2 AS parity ORDER BY id, parity " +
          "MEASURES COUNT(*) AS n PATTERN (A+) DEFINE A AS parity = 1 AND A.parity > 0)"
      ) == Seq(Row(1L, 3L))
    )
  }

  test("ALL ROWS PER MATCH returns it before the columns of the input") {
    val sql = s"SELECT * FROM $input MATCH_RECOGNIZE (PARTITION BY id % 2 AS parity ORDER BY id " +
      "MEASURES COUNT(*) AS n ALL ROWS PER MATCH PATTERN (A+))"
    assert(spark.sql(sql).columns.toSeq == Seq("parity", "id", "n", "even", "a b"))
  }

  test("a key without a name is no column, whatever Spark would call it") {
    val nested = "(SELECT id, named_struct('f', id % 2) AS s, map('f', id % 2) AS m FROM range(4))"
    Seq("s.f", "m['f']", "id % 2").foreach { key =>
      val frame = spark.sql(
        s"SELECT * FROM $nested MATCH_RECOGNIZE (PARTITION BY $key ORDER BY id " +
          "MEASURES COUNT(*) AS n PATTERN (A+))"
      )
      assert(frame.columns.toSeq == Seq("n"), key)
      assert(frame.collect().toSeq == Seq(Row(2L), Row(2L)), key)
    }
  }

  test("a column keeps its own name, in any case") {
    assert(run("even AS even", "COUNT(*) AS n") == Seq(Row(false, 3L), Row(true, 3L)))
    assert(run("t.even AS EVEN", "COUNT(*) AS n").length == 2)
  }

  test("words of the clause are names") {
    val words = Seq("measures", "define", "order", "pattern", "seek", "within", "row", "by")
    Sampled.oneIn(4, words).foreach { word =>
      assert(run(s"id % 2 AS $word", "COUNT(*) AS n").length == 2, word)
      // Before ORDER BY, SEEK is the modifier that the clause refuses.
      if (!Set("by", "order", "seek")(word))
        assert(run(s"id % 2 $word", s"MAX($word) AS n").length == 2, word)
    }
  }

  test("mistakes") {
    def check(keys: String, condition: String, fragment: String, text: String): Unit = {
      val e = intercept[AnalysisException](run(keys, "COUNT(*) AS n"))
      assert(e.getCondition == condition, e.getMessage)
      assert(e.getMessage.contains(text), e.getMessage)
      assert(e.getMessage.contains(fragment), e.getMessage)
    }
    val twice = "MATCH_RECOGNIZE_DUPLICATE_NAME.PARTITION_KEY"
    check("id % 2 AS even", twice, "id % 2 AS even", "the input column `even`")
    check("id % 2 AS EVEN", twice, "id % 2 AS EVEN", "the input column `even`")
    check("id % 2 AS a, id % 3 AS A", twice, "id % 3 AS A", "the key `id % 2`")
    check(
      "id % 2 AS n",
      "MATCH_RECOGNIZE_DUPLICATE_NAME.OUTPUT_COLUMN",
      "AS n",
      "the measure `n`"
    )
    check("nosuch AS a", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "nosuch", "nosuch")
    check("MAX(id) AS a", "UNSUPPORTED_EXPR_FOR_OPERATOR", "MAX(id)", "MAX(id)")
    check("map(1, id) AS a", "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE", "map(1, id)", "MAP")
  }
}
