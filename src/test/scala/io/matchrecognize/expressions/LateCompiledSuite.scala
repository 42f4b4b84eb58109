package io.matchrecognize.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, Rand}

import io.matchrecognize.QuerySuite

class LateCompiledSuite extends QuerySuite {
  private def kinds(mode: String, expression: Expression): Seq[String] =
    withConf("spark.sql.codegen.factoryMode" -> mode) {
      val late = LateCompiled(Seq(expression), 2)("interpreted")("compiled")
      Seq.fill(3)(late.get())
    }

  test("interpreted at first, unless that is another result") {
    assert(kinds("FALLBACK", Literal(1)) == Seq("interpreted", "compiled", "compiled"))
    assert(kinds("CODEGEN_ONLY", Literal(1)).distinct == Seq("compiled"))
    assert(kinds("FALLBACK", new Rand(Literal(1L))).distinct == Seq("compiled"))
  }

  test("conditions and output rows go on when generated code takes over") {
    spark
      .range(0, 5000, 1, 1)
      .selectExpr("id", "concat('s', id % 7) AS s", "IF(id % 11 = 0, NULL, id % 13) AS v")
      .createOrReplaceTempView("many_rows")
    val one = """SELECT id, s, x, y FROM many_rows MATCH_RECOGNIZE (ORDER BY id
      |MEASURES upper(s) AS x, v * 2 + LAST(A.id) AS y ALL ROWS PER MATCH
      |PATTERN (A | B) DEFINE A AS v > 3 AND s <> 's1', B AS v <= 3 OR s = 's1')""".stripMargin
    val expected = """SELECT id, s, upper(s), v * 2 + IF(v > 3 AND s <> 's1', id, NULL)
      |FROM many_rows WHERE v > 3 OR v <= 3 OR s = 's1' ORDER BY id""".stripMargin
    Seq("FALLBACK", "CODEGEN_ONLY", "NO_CODEGEN").foreach { mode =>
      withConf("spark.sql.codegen.factoryMode" -> mode) {
        assert(rows(expected).length > 4000)
        assert(rows(one) == rows(expected))
        // Only one of several searches is interpreted at first.
        assert(
          rows(s"$one UNION ALL $one") == rows(s"SELECT * FROM ($expected) UNION ALL ($expected)")
        )
      }
    }
  }
}
