package io.matchrecognize.parser

import org.apache.spark.sql.{AnalysisException, Row}

import io.matchrecognize.pattern.RowPattern._
import io.matchrecognize.pattern.{AutomatonBuilder, RowPattern}
import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Patterns and expressions that are deeply nested, long, or wide. Each statement runs on a thread
 * with the JVM's default stack size.
 */
class NestingSuite extends QuerySuite {

  private def ofPattern(pattern: String): String =
    s"SELECT * FROM range(5) MATCH_RECOGNIZE (ORDER BY id MEASURES COUNT(*) AS n PATTERN ($pattern))"

  private def nested(depth: Int, open: String, close: String): String =
    ofPattern(open * depth + "A" + close * depth)

  private def onSmallStack[T](body: => T): T = onStack(1 << 20)(body)

  private def onStack[T](bytes: Long)(body: => T): T = {
    var result: Option[Either[Throwable, T]] = None
    val run: Runnable = () =>
      result = Some(
        try Right(body)
        catch { case e: Throwable => Left(e) }
      )
    val thread = new Thread(null, run, "small stack", bytes)
    thread.start()
    thread.join()
    result.get match {
      case Right(value) => value
      case Left(e: StackOverflowError) => fail("too deep for this stack", e) // would end the suite
      case Left(e) => throw e
    }
  }

  private def checkTooComplex(sql: String): Unit = {
    val e = intercept[AnalysisException](onSmallStack(spark.sql(sql).collect()))
    assert(e.getCondition == "FAILED_TO_PARSE_TOO_COMPLEX")
    assert(e.getSqlState == "54001")
  }

  private val shapes = Seq(
    "(" -> ")",
    "(" -> ")+",
    "(" -> " B)*",
    "(B | " -> ")?",
    "{- (B " -> ")+ -}",
    "PERMUTE(" -> ", B)",
    "(" -> "{1,2})"
  )

  Sampled.oneIn(3, shapes).foreach { case (open, close) =>
    test(s"nested too deep: $open...$close") {
      Seq(401, 20000).foreach(n => checkTooComplex(nested(n, open, close)))
    }

    test(s"nested deep: $open...$close") {
      // As deep as allowed, unless the pattern's size is the limit.
      val depth =
        if (open == "PERMUTE(") 6
        else if (close.contains("{")) 15
        else if (open.contains("-")) 200
        else 400
      val sql = nested(depth, open, close)
      onSmallStack(spark.sql(sql).collect())
      onSmallStack(spark.sql(s"EXPLAIN FORMATTED $sql").collect())
      // Compares and hashes two plans.
      onSmallStack(spark.sql(s"SELECT * FROM ($sql) UNION ALL SELECT * FROM ($sql)").collect())
    }
  }

  test("the deepest patterns become automata in half of the stack", Slow) {
    // Code that is compiled but not optimised has the largest frames: all of it is called often.
    Seq[RowPattern => RowPattern](
      x => Quantified(Concatenation(Seq(x, Variable("B"))), 0, None, greedy = true),
      x => Quantified(Alternation(Seq(Variable("B"), x)), 0, Some(1), greedy = true)
    ).foreach { around =>
      val deepest = Iterator.iterate[RowPattern](Variable("A"))(around).drop(400).next()
      (1 to 50).foreach(_ => onStack(512 << 10)(AutomatonBuilder(deepest)))
    }
  }

  test("long and wide patterns") {
    assert(onSmallStack(rows(ofPattern(Seq.fill(10000)("A").mkString(" | "))).length) == 5)
    assert(onSmallStack(rows(ofPattern(Seq.fill(10000)("A").mkString(" "))).isEmpty))
    val names = (1 to 1000).map(i => s"A$i").mkString(" | ")
    assert(onSmallStack(rows(ofPattern(names)).length) == 5)
  }

  test("UNION ALL of many clauses") {
    val clauses = Seq.fill(700)(ofPattern("A")).mkString(" UNION ALL ")
    assert(onSmallStack(rows(s"SELECT sum(n) FROM ($clauses)")) == Seq(Row(3500L)))
  }

  test("expressions nested too deep") {
    def parentheses(n: Int) = "(" * n + "id" + ")" * n
    // Shallow enough that Spark's parser runs out of stack before it is refused.
    val deep = ofPattern("A").replace("COUNT(*)", parentheses(990))
    val e = intercept[AnalysisException](onStack(200 << 10)(parser.parsePlan(deep)))
    assert(e.getCondition == "FAILED_TO_PARSE_TOO_COMPLEX")
    checkTooComplex(ofPattern("A").replace("COUNT(*)", parentheses(20000)))
    checkTooComplex(ofPattern("A").replace("ORDER BY id", s"ORDER BY ${parentheses(20000)}"))
    checkTooComplex(ofPattern("A) DEFINE A AS (" + parentheses(20000) + " > 1"))
    checkTooComplex(ofPattern("A) DEFINE A AS (id" + " + 1" * 20000 + " > 1"))
  }
}
