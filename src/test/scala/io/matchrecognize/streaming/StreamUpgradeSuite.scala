package io.matchrecognize.streaming

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import io.matchrecognize.streaming.state.StateLayout

/**
 * A query resumes from a checkpoint that an earlier version has written. Each format of the state
 * that was ever released has a folder `streaming/format-N` in the test resources;
 * `GENERATE_GOLDEN_FILES=1` rewrites that of the current format.
 */
class StreamUpgradeSuite extends StreamSuite {
  private val resources = Paths.get("src", "test", "resources", "streaming")
  private val isGenerating = sys.env.get("GENERATE_GOLDEN_FILES").contains("1")

  // Open start rows in parallel, full segments of rows, deadlines.
  private val rowLocal = """SELECT * FROM s MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY ts
    MEASURES FIRST(A.v) AS a, COUNT(B.*) AS n, SUM(B.v) AS total, MATCH_NUMBER() AS m
    PATTERN (A B*? C) WITHIN INTERVAL '300' SECOND
    DEFINE A AS v < 5, C AS v = 9)"""

  // Threads with registers and running aggregates, labels of earlier rows.
  private val onPath = """SELECT * FROM s MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY ts
    MEASURES FIRST(ts) AS since, LAST(v) AS last_v, CLASSIFIER() AS label
    ALL ROWS PER MATCH AFTER MATCH SKIP TO NEXT ROW
    PATTERN (A (B | X)+ C) WITHIN INTERVAL '40' SECOND
    DEFINE B AS SUM(B.v) <= 40 AND v >= FIRST(A.v),
           X AS COALESCE(PREV(CLASSIFIER()), 'none') <> 'X',
           C AS v > MAX(B.v))"""

  // No key; paths with the labels of all rows, distinct keys of an aggregate, an older row's register.
  private val labelled = """SELECT * FROM s MATCH_RECOGNIZE (
    ORDER BY ts
    MEASURES MATCH_NUMBER() AS m, CLASSIFIER() AS label, COUNT(DISTINCT A.v) AS n
    ALL ROWS PER MATCH WITH UNMATCHED ROWS AFTER MATCH SKIP TO LAST C
    PATTERN (A+ (B | X)* C) WITHIN INTERVAL '50' SECOND
    DEFINE A AS COUNT(DISTINCT A.v) <= 4,
           B AS v > LAST(A.v, 1) AND NEXT(v) <> v,
           X AS PREV(CLASSIFIER(B)) = 'A' OR v > 5,
           C AS g = 'b' AND COUNT(DISTINCT B.v) >= 4)"""

  // In the order of arrival: ORDER BY values of last rows, deadlines of keys with nothing open.
  private val arrival = """SELECT /*+ INPUT_ORDER(arrival) */ * FROM s MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY ts, v DESC
    MEASURES FIRST(A.v) AS a, COUNT(B.*) AS n, MATCH_ROWTIME() AS t
    PATTERN (A B*? C) WITHIN INTERVAL '300' SECOND
    DEFINE A AS v < 5, C AS v = 9)"""

  private val queries = Seq(
    "row-local" -> rowLocal,
    "on-path" -> onPath,
    "labelled" -> labelled,
    "arrival" -> arrival
  )

  /**
   * Rows that arrived before the checkpoint was written, and those after it; by time, in batches.
   */
  private val before = Seq(events(0, 250), events(250, 500), events(500, 700))
  private val after = Seq(events(700, 900), Seq(Event("z", 5000, 0)), Seq(Event("z", 5001, 0)))

  private def events(from: Int, to: Int): Seq[Event] = (from until to).map { i =>
    // Group a seldom completes; the rows of group b end matches often.
    val (g, v) = if (i % 5 == 4) ("b", i * 7 % 10) else ("a", if (i % 397 == 396) 9 else i * 3 % 8)
    Event(g, i.toDouble + (if (i % 11 == 0) 1.5 else 0), v)
  }

  /** The rows of micro-batches, in the order that the query needs. */
  private def arriving(sql: String, batches: Seq[Seq[Event]]): Seq[Seq[Event]] =
    if (sql == arrival) batches.map(_.sortBy(_.ts.get.getTime)) else batches

  if (isGenerating) queries.foreach { case (name, sql) =>
    test(s"the checkpoint of $name is written") {
      val target = resources.resolve(s"format-${StateLayout.Format}").resolve(name)
      delete(target)
      Files.createDirectories(target)
      taken(sql, target, Nil, arriving(sql, before)): Unit
    }
  }

  for {
    folder <- list(resources)
    (name, sql) <- queries
  } test(s"state of ${folder.getFileName}: $name") {
    val checkpoint = Paths.get(newDirectory())
    copy(folder.resolve(name), checkpoint)
    val (first, rest) = (arriving(sql, before), arriving(sql, after))
    val continued = taken(sql, checkpoint, first, rest).flatten
    val whole = taken(sql, Paths.get(newDirectory()), Nil, first ++ rest)
    assert(continued.nonEmpty)
    assert(continued.sorted == whole.drop(before.size).flatten.sorted)
    assert(whole.flatten.toSet.subsetOf(table(sql)))
  }

  /** The rows returned for each of `added` on a checkpoint that `seen` has been added to. */
  private def taken(
      sql: String,
      checkpoint: Path,
      seen: Seq[Seq[Event]],
      added: Seq[Seq[Event]]
  ): Seq[Seq[String]] = {
    val source = newSource()
    seen.foreach(source.addData(_))
    view(source, "5 seconds")
    withConf("spark.sql.shuffle.partitions" -> "1") {
      run(sql, Seq(source), checkpoint.toString) { run =>
        added.map { batch =>
          run.add(source, batch: _*)
          run.taken()
        }
      }
    }
  }

  private def table(sql: String): Set[String] = {
    val session = spark
    import session.implicits._
    (before ++ after).flatten.toDF().createOrReplaceTempView("s")
    spark.sql(sql).collect().map(row => shown(row)).toSet
  }

  private def list(folder: Path): Seq[Path] =
    if (isGenerating || !Files.isDirectory(folder)) Nil
    else Files.list(folder).iterator.asScala.toSeq.sortBy(_.toString)

  private def copy(from: Path, to: Path): Unit =
    Files.walk(from).iterator.asScala.foreach { path =>
      val target = to.resolve(from.relativize(path).toString)
      if (Files.isDirectory(path)) Files.createDirectories(target)
      else Files.copy(path, target)
    }

  private def delete(folder: Path): Unit =
    if (Files.exists(folder))
      Files.walk(folder).iterator.asScala.toSeq.reverse.foreach(Files.delete(_))
}
