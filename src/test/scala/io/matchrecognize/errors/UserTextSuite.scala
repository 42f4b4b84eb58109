package io.matchrecognize.errors

import org.apache.spark.sql.AnalysisException

import io.matchrecognize.QuerySuite

/** Names and expressions of any length and with any character in messages and in the log. */
class UserTextSuite extends QuerySuite {
  test("a long name costs no more than it is long, and is cut in the message") {
    val (known, unknown) = ("Z" * 100000, "Y" * 100000)
    def message(define: String, measure: String = "COUNT(*)"): String = intercept[
      AnalysisException
    ](
      spark.sql(
        s"SELECT * FROM (SELECT id AS v FROM range(3)) MATCH_RECOGNIZE (ORDER BY v MEASURES $measure " +
          s"AS m PATTERN (A $known B) DEFINE A AS v > 0$define)"
      )
    ).getSimpleMessage
    Seq(
      message(s", $unknown AS TRUE"),
      message("", s"$unknown.v"),
      message(s" + $unknown"),
      message(s" AND v > LAST(A.v + $unknown.v + $known.v)")
    ).foreach(text => assert(text.length < 10000, text.take(1000)))
  }

  test("what is near") {
    assert(UserText.isNear("DONW", "down") && !UserText.isNear("DO", "DOWN1"))
    assert(!UserText.isNear("A" * 200, "A" * 200))
    val names = (1 to 20000).map(i => s"column$i")
    assert(UserText.nearestOf("column17x", names).head == "column17")
  }

  test("a warning is one line of limited length in the log, and they are not many") {
    val forged = "A has no\n26/01/01 00:00:00 ERROR Forged\r\u001b[31m\u2028\u202e"
    val lines = UserText.logLines(Seq(forged, "x" * 5000) ++ Seq.fill(3000)("y"))
    assert(
      lines.head == "A has no\\u000a26/01/01 00:00:00 ERROR Forged\\u000d\\u001b[31m\\u2028\\u202e"
    )
    assert(lines.map(_.length).max < 1100 && lines.length == 21)
    assert(lines.last == "There are 2,982 more warnings of this kind.")
    assert(UserText.logLines(Seq("There is no ORDER BY.")) == Seq("There is no ORDER BY."))
  }
}
