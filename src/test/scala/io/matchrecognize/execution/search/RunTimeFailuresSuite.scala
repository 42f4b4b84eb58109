package io.matchrecognize.execution.search

import org.apache.spark.sql.matchrecognize.LocatedErrors
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.execution.compile.FailureTexts
import io.matchrecognize.execution.pointer.PointerField
import io.matchrecognize.execution.rows.{MadeRows, RowStoreFull}
import io.matchrecognize.matcher.StepLimitExceeded

/** Errors that end a search: what becomes of each class of them. */
class RunTimeFailuresSuite extends AnyFunSuite {
  private val texts =
    FailureTexts("A B+", Nil, None, Array.empty[PointerField], "LAST B", "B")
  // Without keys nothing is read of rows.
  private val failures = new RunTimeFailures(texts, null, null)

  test("a full store blames Spark's memory, not the limit of paths") {
    val searched = intercept[Exception](failures.guard(6L)(throw new RowStoreFull(4096L)))
    // While the rows of a match are made.
    val shown = failures.inExpression(new RowStoreFull(4096L), 6L)
    Seq(searched, shown).foreach { e =>
      assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_MEMORY_EXCEEDED.PATHS] "))
      assert(e.getMessage.contains("Spark has left for the task (4096 bytes"))
      assert(e.getMessage.contains("\"spark.memory.fraction\""))
      assert(!e.getMessage.contains("maxPathBytes"))
      assert(e.getMessage.contains("row 7") && e.getMessage.contains("`A B+`"))
    }
  }

  test("a full store blames the row that it has no memory for") {
    val rows = new MadeRows {
      override def length: Long = 41L
      override def fixed(column: Int, row: Long): Long = row
    }
    val loading = new RunTimeFailures(texts, null, rows)
    val e = intercept[Exception](
      loading.guard(0L)(throw new RowStoreFull(4096L, isForRows = true))
    )
    assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_MEMORY_EXCEEDED.ROWS] "))
    assert(e.getMessage.contains("no memory for row 42 of partition (the only one)"))
    assert(e.getMessage.contains("4096 bytes") && !e.getMessage.contains("paths"))
  }

  test("an error of an expression keeps all but its message") {
    LocatedErrors.samples.foreach { error =>
      val located = failures.inExpression(error, 2L)
      assert(located.getClass == error.getClass)
      assert(LocatedErrors.identity(located) == LocatedErrors.identity(error))
      assert(located.getStackTrace.toSeq == error.getStackTrace.toSeq)
      assert(located.getMessage.startsWith(error.getMessage.linesIterator.next()))
      assert(located.getMessage.contains("in the search from row 3 in partition (the only one)"))
    }
  }

  test("any other error stays as it is") {
    Seq(new IllegalStateException("x"), LocatedErrors.subclass).foreach { e =>
      assert(failures.inExpression(e, 0L) eq e)
    }
    val steps = intercept[Exception](failures.guard(0L)(throw new StepLimitExceeded(10L)))
    assert(failures.inExpression(steps, 0L) eq steps)
  }
}
