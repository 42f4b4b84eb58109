package io.matchrecognize.execution.plan

import io.matchrecognize.Sampled
import io.matchrecognize.conf.MatchRecognizeConf

/** The operator over rows that a Sort below it has put in order. */
class SortedInputSuite extends SortedQuerySuite {
  test("every output shape returns the same rows") {
    withView("ticks", ticks) {
      val all = shape.replace("COUNT(*) AS size", "FINAL SUM(price) AS size, CLASSIFIER() AS c")
      val clauses = Seq(
        shape,
        all.replace("AFTER", "ALL ROWS PER MATCH AFTER"),
        all
          .replace("AFTER MATCH SKIP TO LAST UP", "ALL ROWS PER MATCH WITH UNMATCHED ROWS")
          .replace("symbol", "odd"),
        shape.replace("DOWN+", "DOWN*?").replace("UP+)", "UP+) WITHIN 30"),
        shape.replace("< PREV(price)", "< STRT.price").replace("TO LAST UP", "TO NEXT ROW"),
        shape.replace("< PREV(price)", "< AVG(DOWN.price) + 5"),
        shape.replace("PARTITION BY symbol", ""),
        shape.replace("PARTITION BY symbol", "PARTITION BY odd, symbol")
      )
      Sampled
        .oneIn(4, clauses)
        .foreach(clause => check(s"SELECT * FROM ticks MATCH_RECOGNIZE ($clause)"))
      check(
        """SELECT ts, n OVER w AS n, price FROM ticks WINDOW w AS (PARTITION BY symbol ORDER BY ts
              |  MEASURES COUNT(*) AS n ROWS BETWEEN CURRENT ROW AND 9 FOLLOWING
              |  PATTERN (A B+) DEFINE B AS price > PREV(price))""".stripMargin
      )
    }
  }

  test("columns and keys of every type, with and without NULL") {
    val columns = Seq(
      "id % 2 = 0",
      "CAST(id % 5 AS TINYINT)",
      "CAST(id % 5 AS SMALLINT)",
      "CAST(id % 5 - 2 AS INT)",
      "id % 5 - 2",
      "DATE '2026-01-01' + CAST(id % 5 AS INT)",
      "timestamp_seconds(id % 5)",
      "make_ym_interval(0, CAST(id % 5 AS INT))",
      "make_dt_interval(CAST(id % 5 AS INT))",
      "concat('key ', id % 5)"
    )
    val others = Seq(
      "CAST(id % 5 - 2.5 AS FLOAT)",
      "CAST(id % 5 - 2.5 AS DOUBLE)",
      "CAST(id % 5 - 2 AS DECIMAL(9, 3))",
      "CAST(id % 5 - 2 AS DECIMAL(30, 3))",
      "CAST(CAST(id % 5 AS STRING) AS BINARY)",
      "array(id % 5, NULL)",
      "named_struct('a', id % 5, 'b', CAST(id AS STRING))",
      "make_interval(0, 0, 0, CAST(id % 5 AS INT))",
      "NULLIF(CAST(id % 5 - 2 AS DECIMAL(9, 3)), 0)"
    )
    val nullable = columns.map(c => s"IF(id % 3 = 1, NULL, $c)")
    Sampled.oneIn(5, columns.zip(nullable).zipWithIndex).foreach { case ((plain, withNull), i) =>
      val other = others(i % others.length)
      val rows = s"SELECT id, $plain AS p, $withNull AS q, $other AS o FROM range(200)"
      check(s"""SELECT * FROM ($rows) MATCH_RECOGNIZE (PARTITION BY q, p ORDER BY id
               |  MEASURES A.p AS ap, LAST(B.q) AS bq, LAST(B.o) AS bo, CLASSIFIER() AS c
               |  ALL ROWS PER MATCH PATTERN (A B{1,3}) DEFINE B AS id > PREV(id))""".stripMargin)
    }
  }

  test("an operator above an operator") {
    withView("ticks", ticks) {
      val inner = s"SELECT * FROM ticks MATCH_RECOGNIZE (${shape
          .replace("AFTER MATCH SKIP TO LAST UP", "ALL ROWS PER MATCH AFTER MATCH SKIP PAST LAST ROW")})"
      check(
        s"""SELECT * FROM ($inner) MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts
           |  MEASURES FIRST(ts) AS f, COUNT(*) AS m, MAX(n) AS last_n
           |  PATTERN (A{1,3} B?) DEFINE A AS size > 1)""".stripMargin,
        operators = 2
      )
    }
  }

  test("operators above and below: aggregates, sorts, joins", Slow) {
    withView("ticks", ticks) {
      val clause = s"MATCH_RECOGNIZE ($shape)"
      check(s"SELECT symbol, sum(size), count(b) FROM ticks $clause GROUP BY symbol")
      check(
        s"SELECT a + 1 AS x, upper(b) FROM (SELECT * FROM ticks WHERE price > 10) $clause WHERE n > 3"
      )
      check(s"SELECT symbol, n FROM ticks $clause SORT BY n DESC")
      check(
        s"""SELECT /*+ BROADCAST(s) */ m.*, s.x FROM (SELECT * FROM ticks $clause) m
               |JOIN (SELECT concat('s', id % 7) AS s, id AS x FROM range(21)) s ON m.symbol = s.s""".stripMargin
      )
      check(
        """SELECT * FROM (SELECT id % 10 AS g, count(*) AS c FROM range(100) GROUP BY id % 10)
              |MATCH_RECOGNIZE (ORDER BY g MEASURES COUNT(*) AS n PATTERN (A+) DEFINE A AS c > 0)""".stripMargin
      )
    }
  }

  test("a LIMIT ends the search, and metrics count what was read") {
    withView("ticks", ticks) {
      withConf(sorted: _*) {
        val frame = spark.sql(s"SELECT * FROM ticks MATCH_RECOGNIZE ($shape)")
        assert(countedMetrics(frame, inputRows = 20000, partitions = 7)("peakMemory") > 0)
        withConf("spark.sql.shuffle.partitions" -> "1") {
          val limited = spark.sql(
            s"SELECT max(n) FROM (SELECT * FROM ticks MATCH_RECOGNIZE ($shape) LIMIT 3)"
          )
          assert(limited.collect().head.getLong(0) == 3)
          val read = matchNodes(limited).head.metrics
          assert(read("numPartitions").value == 1)
          assert(read("numMatches").value <= 4)
        }
      }
    }
  }

  test("partitions of several chunks, and spilled ones", Slow) {
    withView("ticks", ticks) {
      val all = shape.replace("AFTER MATCH SKIP TO LAST UP", "ALL ROWS PER MATCH")
      check(s"SELECT * FROM ticks MATCH_RECOGNIZE (${all.replace("PARTITION BY symbol", "")})")
      Seq("2", "1000").foreach { threshold =>
        withConf(MatchRecognizeConf.SpillThresholdRows.key -> threshold) {
          val frame = check(s"SELECT * FROM ticks MATCH_RECOGNIZE ($all)")
          assert(matchNodes(frame).head.metrics("spillSize").value > 0)
        }
      }
    }
  }

  test("wide rows, of which a chunk takes fewer", Slow) {
    val wide = """SELECT id % 3 AS symbol, id % 2 = 0 AS odd, id AS ts, id * 7 % 11 AS price,
      |  repeat('x', IF(id % 501 = 0, 5000000, CAST(id % 40 * 300 AS INT))) AS note
      |FROM range(4000)""".stripMargin
    withView("wide", wide) {
      val all = shape
        .replace("AFTER MATCH SKIP TO LAST UP", "ALL ROWS PER MATCH")
        .replace("LAST(DOWN.note)", "LENGTH(LAST(DOWN.note))")
      val folder = java.nio.file.Files.createTempDirectory("wide").toString
      withConf(sorted: _*) {
        spark
          .table("wide")
          .repartition(1)
          .sortWithinPartitions("ts")
          .write
          .mode("overwrite")
          .parquet(folder)
      }
      check(s"SELECT n, b, ts, md5(note) FROM wide MATCH_RECOGNIZE ($all)")
      withView("batches", s"SELECT *, ts AS t FROM parquet.`$folder`") {
        val whole = all.replace("PARTITION BY symbol ORDER BY ts", "")
        check(s"SELECT n, b, ts, t, md5(note) FROM batches MATCH_RECOGNIZE ($whole)")
      }
    }
  }
}
