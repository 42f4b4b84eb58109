package io.matchrecognize

import org.apache.spark.sql.Row

/** Keys of timestamps with nanoseconds, which Spark has off. */
class NanosecondKeysSuite extends QuerySuite {
  private val enabled = "spark.sql.timestampNanosTypes.enabled"

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.conf.set(enabled, "true")
  }

  override protected def afterAll(): Unit =
    try spark.conf.unset(enabled)
    finally super.afterAll()

  test("rows without the time are one partition, alone, in a struct and beside another key") {
    val keys = Seq(
      "TIMESTAMP_NTZ(9)" -> "k",
      "TIMESTAMP_LTZ(9)" -> "k",
      "TIMESTAMP_NTZ(9)" -> "named_struct('k', k)",
      "TIMESTAMP_NTZ(9)" -> "k, id * 0"
    )
    Sampled.oneIn(4, keys).foreach { case (dataType, key) =>
      val time = s"CAST(concat('2024-01-01 00:00:00.00000000', id % 7) AS $dataType)"
      val found = rows(
        s"SELECT n, count(*) FROM (SELECT id, CASE WHEN id % 9 > 0 THEN $time END AS k " +
          s"FROM range(0, 900, 1, 2)) MATCH_RECOGNIZE (PARTITION BY $key ORDER BY id " +
          "MEASURES count(*) AS n PATTERN (A+)) GROUP BY n ORDER BY n"
      )
      val expected = rows(
        "SELECT n, count(*) FROM (SELECT count(*) AS n FROM range(900) " +
          "GROUP BY CASE WHEN id % 9 > 0 THEN id % 7 END) GROUP BY n ORDER BY n"
      )
      assert(found == expected && found.head == Row(100L, 1L), s"$dataType, $key")
    }
  }
}
