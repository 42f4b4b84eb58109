package io.matchrecognize.execution.aggregate

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.types.{IntegerType, StringType, StructField, StructType}
import org.apache.spark.sql.{Encoder, Encoders, Row, functions}

import io.matchrecognize.Sampled

/**
 * Aggregates of DEFINE on many paths at once: each has the value that Spark has for the rows of its
 * path, whatever the other ones have added meanwhile.
 */
class AggregatePathsSuite extends AggregateCalls {
  // The first rows are mapped to A or B in all ways; each set of those of A is a path.
  private val pathRows = 4
  private val sets: Seq[Int] = 0 until 1 << pathRows

  private def path(set: Int): String =
    (0 until pathRows).map(row => if ((set >> row & 1) == 1) 'A' else 'B').mkString

  // Their results depend on the order of hash tables, which changes when a state is copied.
  private def isStable(call: String): Boolean =
    !call
      .startsWith("approx_top_k") && !(asText(call).startsWith("hex(") && call.contains("sketch"))

  /** For each call its value for each set of rows. */
  private def values(calls: Seq[String]): Seq[Seq[String]] = withConf(
    "spark.sql.codegen.factoryMode" -> "NO_CODEGEN",
    "spark.sql.codegen.wholeStage" -> "false"
  ) {
    calls.grouped(30).toSeq.flatMap { some =>
      val ofSet = some.map { call =>
        asText(call, s" FILTER (WHERE t <= $pathRows AND (shiftright(m, t - 1) & 1) = 1)")
      }
      val found = rows(
        s"SELECT m, ${named(ofSet)} FROM (SELECT a.*, CAST(id AS INT) AS m FROM agg_input AS a " +
          s"CROSS JOIN range(0, ${sets.length}, 1, 1) ORDER BY m, t) GROUP BY m ORDER BY m"
      )
      some.indices.map(n => found.map(_.getString(n + 1)))
    }
  }

  test("every aggregate function, for each set of rows", Slow) {
    val tested = calls
      .flatMap(_._2)
      .filter(call => isStable(call) && isPlain(s"$call FILTER (WHERE t > 1)"))
    assert(tested.length > 60)
    val wanted = values(tested)
    val schema = StructField("m", IntegerType) +:
      tested.indices.map(n => StructField(s"w$n", StringType))
    spark
      .createDataFrame(
        sets.map(set => Row.fromSeq(set +: wanted.map(_(set)))).asJava,
        StructType(schema)
      )
      .createOrReplaceTempView("wanted")
    val joined = spark.sql("SELECT * FROM agg_input CROSS JOIN wanted")
    spark
      .createDataFrame(joined.collectAsList(), joined.schema)
      .coalesce(1)
      .createOrReplaceTempView("paths")
    val wrong = tested.zip(wanted).zipWithIndex.flatMap { case ((call, values), n) =>
      // Read twice, and between by other paths.
      val aggregate = asText(call, " FILTER (WHERE CLASSIFIER() = 'A')")
      val found = rows(
        "SELECT m, path FROM paths MATCH_RECOGNIZE (PARTITION BY m ORDER BY t " +
          s"MEASURES LISTAGG(CLASSIFIER()) AS path PATTERN (^ (A | B){$pathRows} C D) " +
          s"DEFINE C AS $aggregate <=> C.w$n, D AS $aggregate <=> D.w$n)"
      ).map(row => row.getInt(0) -> row.getString(1)).toMap
      val expected = sets.map { set =>
        set -> s"${sets.filter(values(_) == values(set)).map(path).min}CD"
      }.toMap
      Option.when(found != expected)(s"$call: $found instead of $expected")
    }
    assert(wrong.isEmpty)
  }

  test("functions of the user that reuse their result, or begin with NULL") {
    import AggregatePathsSuite._
    spark.udf.register("backwards", functions.udaf(new Backwards(""), Encoders.STRING))
    spark.udf.register("from_null", functions.udaf(new Backwards(null), Encoders.STRING))
    spark.udf.register("backwards_row", functions.udaf(BackwardsRow, Encoders.STRING))
    spark
      .sql(
        "SELECT * FROM VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e'), (6, 'f') v(t, s)"
      )
      .createOrReplaceTempView("letters")
    val reversed =
      Seq("backwards(A.s)", "from_null(A.s)", "backwards_row(A.s)._1", "REVERSE(LISTAGG(A.s))")
    Sampled
      .oneIn(2, reversed)
      .foreach { text =>
        def matched(pattern: String, last: String, value: String) = rows(
          "SELECT * FROM letters MATCH_RECOGNIZE (ORDER BY t " +
            s"MEASURES LISTAGG(CLASSIFIER()) AS path PATTERN ($pattern) " +
            s"DEFINE $last AS $text = '$value')"
        )
        assert(matched("^ A+ B{3} $", "B", "cba") == Seq(Row("AAABBB")), text)
        assert(matched("^ (A | B)+ C{2}", "C", "ca") == Seq(Row("ABABCC")), text)
        assert(matched("^ A+ B+ C+", "C", "ba") == Seq(Row("AABBBC")), text)
        assert(matched("^ B A+? C", "C", "cb") == Seq(Row("BAAC")), text)
      }
  }
}

object AggregatePathsSuite {

  /** The texts, the last one first. */
  class Backwards(begin: String) extends Aggregator[String, String, String] {
    private def text(buffer: String): String = if (buffer == null) "" else buffer
    override def zero: String = begin
    override def reduce(buffer: String, value: String): String = value + text(buffer)
    override def merge(a: String, b: String): String = text(b) + text(a)
    override def finish(buffer: String): String = buffer
    override def bufferEncoder: Encoder[String] = Encoders.STRING
    override def outputEncoder: Encoder[String] = Encoders.STRING
  }

  /** The same with its length. */
  object BackwardsRow extends Aggregator[String, String, (String, Int)] {
    override def zero: String = ""
    override def reduce(buffer: String, value: String): String = value + buffer
    override def merge(a: String, b: String): String = b + a
    override def finish(buffer: String): (String, Int) = (buffer, buffer.length)
    override def bufferEncoder: Encoder[String] = Encoders.STRING
    override def outputEncoder: Encoder[(String, Int)] = Encoders.product
  }
}
