package io.matchrecognize.analysis.warnings

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.TaskKilledException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.LeafExpression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{BooleanType, DataType}
import org.scalatest.tagobjects.Slow

import io.matchrecognize.errors.UserText

/** What the checks of data evaluate: each value that may fail, and no more than they need. */
class EvaluatedDataSuite extends WarningsSuite {

  test("a value, before or after a row, that cannot be evaluated is NULL") {
    view("loose", "t, s", "1, '5'", "2, 'x'", "3, '7'")
    for (read <- Seq("PREV(CAST(s AS INT))", "NEXT(CAST(s AS INT))", "CAST(s AS INT)"))
      check("loose", s"ORDER BY t PATTERN (A B) DEFINE B AS $read > 3")()
    check("loose", "ORDER BY t PATTERN (A B) DEFINE B AS s = CAST(1 DIV (t - t) AS STRING)")(
      "No row satisfies `s = CAST(1 DIV (t - t) AS STRING)`, the condition of B: it is NULL in all 3 " +
        "rows, so B matches no row."
    )
  }

  test("a constant that cannot be evaluated makes a condition NULL") {
    view("fractions", "t, f", "1, 1D", "2, 2D", "3, 3D")
    for (constant <- Seq("CAST('abc' AS DOUBLE)", "1D / 0"))
      check("fractions", s"ORDER BY t PATTERN (A B) DEFINE A AS f > 9, B AS f = $constant")(
        "No row satisfies `f > 9`, the condition of A, so A matches none of 3 rows. `f` is from 1.0 to " +
          "3.0.",
        s"No row satisfies `f = $constant`, the condition of B: it is NULL in all 3 rows, so B matches " +
          "no row."
      )
  }

  test("a task that is killed is not a value that cannot be evaluated") {
    def tried(error: => Throwable) =
      Tried(EvaluatedDataSuite.Failing(() => error)).eval(InternalRow.empty)
    assert(tried(new ArithmeticException("overflow")) == null)
    intercept[TaskKilledException](tried(new TaskKilledException("cancelled")))
  }

  test("the nearest value is not searched for once a row satisfies the condition", Slow) {
    val calls = EvaluatedDataSuite.calls
    spark.udf.register("counted", EvaluatedDataSuite.counted): Unit
    val input = "(SELECT id, CAST(id % 2 AS STRING) AS s FROM range(1000))"
    def of(text: String): Long = {
      calls.set(0)
      warnings(
        s"SELECT * FROM $input MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS n PATTERN (A B) " +
          s"DEFINE B AS counted(s) = '$text')",
        hasData = true
      )
      calls.get
    }
    val (satisfied, unsatisfied) = (of("1"), of("2"))
    // One is whether it is TRUE.
    assert(satisfied >= 1000 && satisfied < 1100)
    assert(unsatisfied >= 2000)
  }

  test("conditions are shown on one line, and blanks in strings as they are") {
    view("blanks", "t, s", "1, 'a b'", "2, 'x'")
    check("blanks", "ORDER BY t PATTERN (A B) DEFINE B AS s =\n    'a  b'")(
      "No row satisfies `s = 'a  b'`, the condition of B, so B matches none of 2 rows. The nearest " +
        "value of `s` is 'a b'."
    )
  }

  test("reserved words as keys") {
    view("reserved", "`order`, p", "'8', 1", "'9', 2", "'10', 3")
    check("reserved", "ORDER BY `order` PATTERN (A B) DEFINE B AS p > 1")(
      "ORDER BY `order` sorts texts, and all of them are numbers: '10' is before '8'. Write ORDER BY " +
        "CAST(`order` AS BIGINT)."
    )
    for (reserved <- Seq("user", "SELECT", "current_date", "two words", "a.b", "a-b", "1a", " a"))
      assert(UserText.quotedIfNeeded(reserved) == s"`$reserved`")
    for (free <- Seq("day", "timestamp", "Name", "seq"))
      assert(UserText.quotedIfNeeded(free) == free)
  }
}

private object EvaluatedDataSuite {
  val calls = new AtomicLong

  val counted: String => String = text => {
    calls.incrementAndGet()
    text
  }

  final case class Failing(error: () => Throwable) extends LeafExpression with CodegenFallback {
    override def dataType: DataType = BooleanType
    override def nullable: Boolean = true
    override def eval(input: InternalRow): Any = throw error()
  }
}
