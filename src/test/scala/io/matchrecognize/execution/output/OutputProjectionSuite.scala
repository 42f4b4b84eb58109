package io.matchrecognize.execution.output

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Literal,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.Platform

import io.matchrecognize.execution.pointer.{PointerBindings, PointerField, PointerRow}
import io.matchrecognize.execution.rows.MadeRows
import io.matchrecognize.{QuerySuite, Sampled}

/** ALL ROWS PER MATCH over columns that are copied, those of variable length in one piece. */
class OutputProjectionSuite extends QuerySuite {
  private val passed = Seq(
    "a" -> "IF(id % 7 = 0, NULL, repeat(chr(97 + id % 26), id % 19))",
    "n" -> "IF(id % 5 = 0, NULL, id)",
    "b" -> "IF(id % 3 = 0, NULL, CAST(concat('bytes ', id) AS BINARY))",
    "l" -> "IF(id % 11 = 0, NULL, array(CAST(id AS STRING), NULL, ''))",
    "t" -> "IF(id % 13 = 0, NULL, named_struct('x', id, 'y', concat('y', id)))",
    "m" -> "map(id, concat('v', id))",
    "z" -> "IF(id % 2 = 0, '', concat('the last one of ', id))"
  )
  private val fixed = Seq(
    "f" -> "IF(id % 6 = 0, NULL, CAST(-id AS FLOAT))",
    "y" -> "IF(id % 9 = 0, NULL, id % 2 = 0)",
    "p" -> "CAST(id AS DECIMAL(9, 2))"
  )
  // Its NULL takes bytes in a row.
  private val wide = "w" -> "IF(id % 4 = 0, NULL, CAST(id AS DECIMAL(30, 5)))"

  private def makeInput(columns: Seq[(String, String)]): Unit = {
    val keys = Seq("k" -> "concat('key ', id % 9)", "i" -> "id", "o" -> "concat('o', 500 - id)")
    val values = (keys ++ columns).map { case (name, value) => s"$value AS $name" }
    spark.range(500).selectExpr(values: _*).createOrReplaceTempView("wide_input")
  }

  private def query(order: String, rows: String = "") =
    s"""SELECT * FROM wide_input MATCH_RECOGNIZE (PARTITION BY k ORDER BY $order
       |  MEASURES CLASSIFIER() AS c, MATCH_NUMBER() AS number, LAST(X.z) AS lz,
       |    CAST(SUM(X.i) AS DECIMAL(38, 3)) AS total
       |  ALL ROWS PER MATCH $rows PATTERN (X+ Y?) DEFINE X AS i % 4 > 0, Y AS a IS NULL)
       |""".stripMargin

  private def check(sql: String, columns: Seq[String]): Unit =
    Sampled.oneIn(2, Seq("spark", "blocks")).foreach { shuffle =>
      withConf(
        "spark.matchRecognize.shuffle" -> shuffle,
        "spark.sql.adaptive.enabled" -> "false"
      ) {
        val frame = spark.sql(sql)
        val list = columns.mkString(", ")
        val sources = rows(s"SELECT i, $list FROM wide_input").map(r => r.getLong(0) -> r).toMap
        val found = frame.select("i", columns: _*).collect().toSeq
        assert(found.length > 300)
        found.foreach(row => assert(row == sources(row.getLong(0))))
        assert(isAsProjected(frame))
      }
    }

  /** Whether the operator's rows have the bytes that Spark's projection would have made. */
  private def isAsProjected(frame: DataFrame): Boolean = {
    val node = matchNodes(frame).head
    val types = node.output.map(_.dataType).toArray[DataType]
    val results = node.execute().mapPartitions { rows =>
      val project = UnsafeProjection.create(types)
      rows.map(row => row.asInstanceOf[UnsafeRow] == project(row))
    }
    val same = results.collect()
    same.length > 300 && same.forall(identity)
  }

  test("columns of all types, NULL and empty, and one whose NULL takes bytes") {
    Seq(passed ++ fixed, (passed.take(2) :+ wide) ++ passed.drop(2)).foreach { columns =>
      makeInput(columns)
      Seq("", "WITH UNMATCHED ROWS").foreach(r => check(query("i", r), columns.map(_._1)))
    }
  }

  test("a column of variable length in ORDER BY, before the measures, without and with fixed ones") {
    Seq(passed, passed ++ fixed).foreach { columns =>
      makeInput(columns)
      check(query("o, i", "WITH UNMATCHED ROWS"), "o" +: columns.map(_._1))
    }
  }

  test("the operator copies the columns, unless they are few and their order or type forbids it") {
    def isSpliced(columns: Seq[(String, String)], order: String): Boolean = {
      makeInput(columns)
      val clause = matchNodes(spark.sql(query(order))).head.program.clause
      import clause.measures.{fields, output}
      val projection = OutputProjection(output, fields, clause.schema.variable.length, null, 0, 0)
      projection.isInstanceOf[SplicedProjection]
    }
    assert(isSpliced(passed, "i") && isSpliced(fixed ++ passed, "o, i"))
    assert(!isSpliced(passed, "o, i"))
    assert(!isSpliced(passed :+ wide, "i"))
  }

  test("columns that have more than two gigabytes together are an error") {
    val stored = new UnsafeRow(3)
    stored.pointTo(new Array[Long](8), Platform.LONG_ARRAY_OFFSET.toLong, Int.MaxValue - 7)
    val store = new MadeRows {
      override def length: Long = 1L
      override def fixed(column: Int, row: Long): Long = 0L
      override def variable(row: Long): UnsafeRow = stored
    }
    val fields =
      Array.tabulate[PointerField](3)(PointerField.Variable(PointerBindings.Row, _, StringType))
    val columns = fields.indices.map(BoundReference(_, StringType, nullable = true))
    val projection = OutputProjection(columns :+ Literal(1L), fields, columns.length, store, 0, 0)
    assert(projection.isInstanceOf[SplicedProjection])
    intercept[IllegalStateException](projection(new PointerRow(fields, 1, store, null)))
  }
}
