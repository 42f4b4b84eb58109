package io.matchrecognize.execution.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Add,
  BoundReference,
  GenericInternalRow,
  JoinedRow,
  Literal,
  Multiply
}
import org.apache.spark.sql.types.LongType

import io.matchrecognize.QuerySuite

/** Aggregates go on from their buffers when generated code takes over from interpretation. */
class LateCompiledProjectionSuite extends QuerySuite {

  private def field(ordinal: Int) = BoundReference(ordinal, LongType, nullable = false)

  test("the buffer is part of the input, before and after the code is generated") {
    // Both values read the buffer as it was before the update.
    val update = Seq(Add(field(0), field(2)), Add(Multiply(field(1), Literal(2L)), field(0)))
    val found = Seq(0, 1, 3, 100).map { compileAfter =>
      val projection = new LateCompiledProjection(update, compileAfter)
      val buffer = new GenericInternalRow(Array[Any](0L, 0L))
      (1L to 7L).foreach(i => projection(buffer, new JoinedRow(buffer, InternalRow(i))))
      (buffer.getLong(0), buffer.getLong(1))
    }
    assert(found.distinct == Seq((28L, 219L)))
  }

  test("a match of more rows than are interpreted") {
    val calls = "COUNT(v) AS c, SUM(v) AS s, AVG(v) AS a, MIN(v) AS low, MAX(v) AS high, " +
      "BIT_XOR(v) AS x, STDDEV(v) AS d, SUM(v) FILTER (WHERE v % 3 = 0) AS f"
    spark
      .range(0, 25000, 1, 1)
      .selectExpr("id", "IF(id % 7 = 0, NULL, id * 37 % 1001) AS v")
      .createOrReplaceTempView("long_match")
    withConf("spark.sql.codegen.factoryMode" -> "FALLBACK") {
      assert(
        rows(s"SELECT * FROM long_match MATCH_RECOGNIZE (ORDER BY id MEASURES $calls PATTERN (A+))")
          == rows(s"SELECT $calls FROM (SELECT * FROM long_match ORDER BY id)")
      )
    }
  }
}
