package io.matchrecognize.execution.trace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.types.{BooleanType, DataType}

import io.matchrecognize.execution.rows.RowStoreFull

/** What explain keeps, cuts and leaves out, and where its search ends early. */
class ExplainBoundsSuite extends ExplainQueries {
  test("of too many values none is told, however they are distributed") {
    val body = "PARTITION BY k ORDER BY id MEASURES 1 AS n PATTERN (A B) DEFINE B AS side = 'buy'"
    def told(values: Int, tasks: Int) = withConf("spark.sql.shuffle.partitions" -> s"$tasks") {
      explain(
        body,
        s"(SELECT id, id % 16 AS k, IF(id % 5 = 0, 'bux', CONCAT('v', id % $values)) AS side " +
          "FROM range(5000))"
      )
    }
    for (tasks <- Seq(1, 2, 7)) {
      assert(told(2999, tasks).contains("`side` has more than 1,000 other values."))
      assert(!told(2999, tasks).exists(_.contains("did you mean")))
      val few = "`side` is 'bux' in 1,000 rows, 'v1' in 9 rows and 'v2' in 9 rows; did you mean " +
        "'bux' instead of 'buy'?"
      assert(told(499, tasks).contains(few))
    }
  }

  test("an error of a part that parts before it prevent is none") {
    val told = explain(
      "ORDER BY id MEASURES 1 AS n PATTERN (A B) DEFINE B AS r <> 0 AND 10 / r > 5",
      numbers
    )
    assert(
      told.last == "The condition of B is TRUE in 4 of 12 rows (FALSE in 8); of its parts, `r <> 0` is " +
        "TRUE in 8 of 12 rows (FALSE in 4) and `10 / r > 5` is TRUE in 4 of 12 rows (FALSE in 4, " +
        "not evaluated in 4)."
    )
  }

  test("long values are cut in sentences") {
    val told = explain(
      "ORDER BY id MEASURES 1 AS n PATTERN (A B) DEFINE B AS text = A.id",
      "(SELECT CAST(id AS STRING) AS id, repeat('x', 5000) AS text FROM range(3))"
    )
    assert(told.exists(_.contains(s"'${"x" * 100}...' = '0' is FALSE")), told.mkString("\n"))
  }

  test("partitions whose keys differ far behind only are told apart") {
    def told(tasks: Int) = withConf("spark.sql.shuffle.partitions" -> s"$tasks") {
      explain(
        "PARTITION BY k ORDER BY id MEASURES 1 AS n PATTERN (A B) DEFINE B AS x = -1",
        "(SELECT id, id % 40 AS x, CONCAT(repeat('x', 120), id % 40) AS k FROM range(200))"
      )
    }
    val one = told(1)
    assert(one.exists(_.contains(s"of partition k = ${"x" * 100}...")))
    assert(Seq(2, 3, 7).map(told).distinct == Seq(one))
  }

  test("a window whose frame the search leaves out, which is said first") {
    def told(end: String, more: String) = {
      val text =
        s"SELECT COUNT(*) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND $end FOLLOWING $more " +
          "PATTERN (A B) DEFINE B AS id > 5) AS n FROM range(9)"
      rows(s"SELECT sentence FROM match_recognize_explain('$text')").map(_.getString(0))
    }
    def said(frame: String) = s"The search was made in whole partitions: it leaves out the frame " +
      s"`ROWS BETWEEN CURRENT ROW AND $frame`, in which the query looks for the match of each row, " +
      "so that the query may find others."
    val total = "7 attempts in 9 rows found 2 matches."
    assert(told("2", "").take(2) == Seq(said("2L FOLLOWING INITIAL"), total))
    assert(told("2", "SEEK").take(2) == Seq(said("2L FOLLOWING SEEK"), total))
    assert(told("UNBOUNDED", "SEEK").take(2) == Seq(said("UNBOUNDED FOLLOWING SEEK"), total))
    assert(told("UNBOUNDED", "INITIAL").head == total)
  }

  test("memory that cannot be had while conditions are counted") {
    val registry = spark.asInstanceOf[ClassicSession].sessionState.functionRegistry
    registry.createOrReplaceTempFunction("no_memory", is => NoMemory(is.head), "scala_udf")
    val found = intercept[Exception](
      explain("ORDER BY id MEASURES 1 AS n PATTERN (A) DEFINE A AS no_memory(id)", numbers)
    )
    spark.sql("DROP TEMPORARY FUNCTION no_memory")
    val told = Iterator.iterate[Throwable](found)(_.getCause).takeWhile(_ != null).map(_.getMessage)
    assert(told.exists(_.contains("[MATCH_RECOGNIZE_MEMORY_EXCEEDED]")))
  }
}

/** Stands for a row that is read again when no memory is left. */
private final case class NoMemory(child: Expression) extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = BooleanType
  override def eval(input: InternalRow): Any = throw new RowStoreFull(4096L)
  override protected def withNewChildInternal(newChild: Expression): Expression =
    copy(child = newChild)
}
