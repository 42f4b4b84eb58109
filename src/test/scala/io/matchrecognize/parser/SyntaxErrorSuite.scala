package io.matchrecognize.parser

import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.errors.SyntaxErrorQueries

/** Mistakes that are found without tables. */
class SyntaxErrorSuite extends AnyFunSuite with ParserSupport {
  SyntaxErrorQueries.all.foreach { query =>
    test(s"syntax: ${query.sql.linesIterator.map(_.trim).mkString(" ")}") {
      withConf(query.confs: _*)(checkFailure(query.sql, query.condition, query.at))
    }
  }

  test("lambdas outside higher-order functions") {
    Seq("x -> x", "PREV(x -> x)", "(x -> x) + 1", "LAST(x -> x)").foreach { text =>
      val e = failure(s"SELECT * FROM t MATCH_RECOGNIZE (MEASURES $text AS m PATTERN (A))")
      val fitting =
        Set("INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION", "PARSE_SYNTAX_ERROR")
      assert(fitting(e.getCondition), e.getMessage)
    }
  }

  test("switched off, a mistake elsewhere is Spark's") {
    withConf("spark.matchRecognize.enabled" -> "false") {
      assert(failure("SELECT match_recognize(x FROM t").getCondition == "PARSE_SYNTAX_ERROR")
    }
  }
}
