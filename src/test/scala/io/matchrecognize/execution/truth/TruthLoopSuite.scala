package io.matchrecognize.execution.truth

import org.apache.spark.sql.Row

import io.matchrecognize.{QuerySuite, Sampled}

/** Conditions evaluated by a generated loop over chunks, against interpreted ones. */
class TruthLoopSuite extends QuerySuite {

  // Several chunks, and many partitions smaller than the rows that conditions look back.
  private val input =
    """SELECT id, IF(id < 9000, 0, id DIV 3) AS g, id % 2 = 0 AS flag, CAST(id % 7 AS TINYINT) AS t,
      |  CAST(id % 300 AS SMALLINT) AS s, IF(id % 11 = 0, NULL, CAST(id % 13 - 6 AS INT)) AS i,
      |  IF(id % 17 = 0, NULL, hash(id)) * 3L AS l, CAST(hash(id) AS FLOAT) AS f,
      |  IF(id % 5 = 0, DOUBLE('NaN'), CAST(hash(id, 1) AS DOUBLE)) AS d,
      |  CAST(id % 9 - 4.5 AS DECIMAL(9, 2)) AS c, CAST(id % 9 - 4.5 AS DECIMAL(30, 2)) AS w,
      |  IF(id % 7 = 3, NULL, concat('text ', id % 23)) AS x, named_struct('a', id % 3) AS n
      |FROM range(9500)""".stripMargin

  private val conditions = Seq(
    "flag" -> 1,
    "NOT PREV(flag) OR t > 3" -> 1,
    "t < PREV(t) AND s > NEXT(s)" -> 1,
    "i < PREV(i) OR i IS NULL" -> 1,
    "i > PREV(i, 3)" -> 1,
    "l > NEXT(l, 2) AND l > 0" -> 1,
    "f >= PREV(f) AND f < 1e9" -> 1,
    "d > PREV(d) OR isnan(d)" -> 1,
    "c >= 0 AND c <> NEXT(c)" -> 1,
    "w < PREV(w)" -> 1,
    "x = 'text 4' OR x > PREV(x)" -> 1,
    "x LIKE 'text 1%' AND upper(PREV(x)) <> 'TEXT 10'" -> 1,
    "n.a = 1 AND g < 3100" -> 1,
    "COALESCE(PREV(i), i, 5) = 5" -> 1,
    // Evaluated when asked for, since they may fail.
    "i + 1 > 3" -> 0,
    "s / (t + 1) > 2" -> 0
  )

  private def query(condition: String): String =
    s"""SELECT * FROM ($input) MATCH_RECOGNIZE (PARTITION BY g ORDER BY id
       |  MEASURES FIRST(id) AS a, LAST(id) AS b PATTERN (A B{1,4} C?)
       |  DEFINE B AS $condition, C AS t = 5)""".stripMargin

  test("each type, with rows before and after, at the borders of chunks and partitions") {
    val (own, looped) = conditions.partition(_._2 == 0)
    (Sampled.oneIn(14, looped) ++ own).foreach { case (condition, looped) =>
      val sql = query(condition)
      def answer(mode: String): Seq[Row] = withConf(
        "spark.sql.codegen.factoryMode" -> mode,
        "spark.sql.ansi.enabled" -> "false",
        "spark.sql.codegen.wholeStage" -> "false"
      )(rows(sql).sortBy(r => (r.getLong(0), r.getLong(1))))
      val interpreted = answer("NO_CODEGEN")
      assert(interpreted.nonEmpty, condition)
      assert(answer("CODEGEN_ONLY") == interpreted, condition)
      // In ANSI mode, where more may fail.
      val program = LoopedConditions.of(matchNodes(spark.sql(sql)).head.program.conditions)
      // C is always evaluated by the loop.
      assert(program.map(_.conditions.length).contains(1 + looped), condition)
      assert(GenerateTruthLoop.createObject(program.get).isDefined, condition)
    }
  }

  test("chunks that are smaller than a block of truths") {
    val sql = query("x LIKE 'text 1%' AND upper(PREV(x)) <> 'TEXT 10' OR i > PREV(i, 3) OR t < 2")
    def answer(conf: (String, String)*): Seq[Row] =
      withConf(conf: _*)(rows(sql).sortBy(r => (r.getLong(0), r.getLong(1))))
    val ofOneChunk = answer()
    assert(ofOneChunk.nonEmpty)
    Sampled.oneIn(3, Seq(2, 8, 3000)).foreach { rows =>
      assert(answer("spark.matchRecognize.buffer.spillThresholdRows" -> s"$rows") == ofOneChunk)
    }
  }

  test("not where a search may ask for few of the rows, or where code would be long") {
    def looped(sql: String): Boolean = {
      val frame = spark.sql(sql)
      frame.collect()
      LoopedConditions.of(matchNodes(frame).head.program.conditions).isDefined
    }
    assert(looped(query("flag")))
    assert(!looped(query("flag AND B.id < A.id + 5")))
    assert(!looped(query((0 until 200).map(n => s"l = $n").mkString(" OR "))))
  }

  test("not where generated code would not find the plugin's classes") {
    val frame = spark.sql(query("flag"))
    frame.collect()
    val program = LoopedConditions.of(matchNodes(frame).head.program.conditions).get
    val thread = Thread.currentThread()
    val loader = thread.getContextClassLoader
    // It has Spark's classes, but the plugin's are those of another loader.
    thread.setContextClassLoader(new ClassLoader(loader) {
      override def loadClass(name: String): Class[_] =
        if (name.startsWith("io.matchrecognize")) throw new ClassNotFoundException(name)
        else super.loadClass(name)
    })
    try assert(GenerateTruthLoop.createObject(program).isEmpty)
    finally thread.setContextClassLoader(loader)
    assert(GenerateTruthLoop.createObject(program).isDefined)
  }
}
