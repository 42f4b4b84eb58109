package io.matchrecognize.streaming

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import io.matchrecognize.Sampled
import io.matchrecognize.streaming.state.StateLayout

/** What a query finds when it starts again on its checkpoint. */
class StreamRestartSuite extends StreamSuite {
  private def clause(
      pattern: String = "A B{2}",
      define: String = "B AS v > PREV(v)",
      measures: String = "FIRST(A.v) AS a, LAST(B.v) AS b",
      order: String = "ts",
      select: String = "*"
  ): String = s"""SELECT $select FROM s MATCH_RECOGNIZE (
    PARTITION BY g ORDER BY $order MEASURES $measures
    PATTERN ($pattern) DEFINE $define)"""

  private val providers = for {
    (provider, changelog) <- Seq(hdfs -> "false", rocksDb -> "false", rocksDb -> "true")
    version <- Seq("1", "2")
    if version == "1" || provider == rocksDb
  } yield Seq(
    ProviderKey -> provider,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled" -> changelog,
    "spark.sql.streaming.stateStore.checkpointFormatVersion" -> version
  )

  Sampled.oneIn(5, providers).foreach { confs =>
    test(s"a query goes on where it was: ${confs.map(_._2.split('.').last).mkString(" ")}") {
      withConf(confs: _*) {
        val source = newSource()
        view(source, "5 seconds")
        val checkpoint = newDirectory()
        run(clause(), Seq(source), checkpoint) { run =>
          run.add("a1@1 a2@2 b1@1 b2@9 c7@12")
          assert(run.taken().isEmpty)
          run.add("c8@13 c9@14")
        }
        run(clause(), Seq(source), checkpoint) { run =>
          run.add("a3@9.5 b3@10 c0@30")
          assert(run.taken() == Seq("a,1,3", "b,1,3", "c,7,9"))
        }
        run(clause(), Seq(source), checkpoint) { run =>
          run.add("c1@31 c2@32 d0@50")
          assert(run.taken() == Seq("c,0,2"))
        }
      }
    }
  }

  /** Starts a query, changes what `change` does, and gives the error of the second start. */
  private def changed(second: String, first: String = clause())(change: Path => Unit): Throwable = {
    val source = newSource()
    view(source, "5 seconds")
    val checkpoint = newDirectory()
    run(first, Seq(source), checkpoint)(_.add("a1@1 a2@2 b1@9"))
    change(Paths.get(checkpoint, "state", "0", "_matchRecognize", "clause.json"))
    failure(run(second, Seq(source), checkpoint)(_.add("a3@3")))
  }

  test("a changed clause is refused and the change is named") {
    val changes = Seq(
      clause(pattern = "A B{3}") -> "PATTERN (`A B{2}`, now `A B{3}`)",
      clause(define = "B AS v >= PREV(v)") -> "DEFINE `B` (",
      clause(measures = "FIRST(A.v) AS a, LAST(B.v) + 1 AS b") -> "measure `b` (",
      clause(order = "ts, v") -> "ORDER BY ("
    )
    Sampled.oneIn(2, changes).foreach { case (sql, text) =>
      val e = changed(sql)(_ => ())
      assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.QUERY]"))
      assert(e.getMessage.contains(text))
    }
  }

  test("changed input columns are shown as they are quoted") {
    val cast = clause().replace("FROM s", "FROM (SELECT g, ts, CAST(v AS BIGINT) AS v FROM s)")
    val text = changed(cast)(_ => ()).getMessage
    assert(text.contains("input columns (`g` STRING, `ts` TIMESTAMP, `v` INT, now `g`"))
    assert(!text.contains("``"))
  }

  test("Avro as the encoding of RocksDB is refused, and the conf named") {
    val encoding = "spark.sql.streaming.stateStore.encodingFormat"
    withConf(encoding -> "avro", ProviderKey -> rocksDb) {
      val e = failure(stream(clause())(_.add("a1@1 a2@2 a3@9")))
      assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.STATE_ENCODING]"))
      assert(e.getMessage.contains(s""""$encoding" = avro"""))
    }
    // The other provider does not read that conf.
    withConf(encoding -> "avro", ProviderKey -> hdfs) {
      stream(clause()) { run =>
        run.add("a1@1 a2@2 a3@3")
        run.add("a0@20")
        assert(run.taken() == Seq("a,1,3"))
      }
    }
  }

  test("another layout of the statement, and another selection of measures, is no change") {
    val source = newSource()
    view(source, "5 seconds")
    val checkpoint = newDirectory()
    run(clause(), Seq(source), checkpoint)(_.add("a1@1 a2@2 b1@9"))
    val other = clause("  A /* first */ B {2} ", "b AS V   >  PREV(v)", select = "b")
    run(other, Seq(source), checkpoint) { run =>
      run.add("a3@5 c0@30")
      assert(run.taken() == Seq("3"))
    }
  }

  test("the state of another format is refused, with the version to take") {
    val e = changed(clause()) { file =>
      val text = new String(Files.readAllBytes(file), UTF_8)
        .replace("\"format\" : 3", "\"format\" : 9")
        .replaceAll("\"plugin\" : \"[^\"]*\"", "\"plugin\" : \"7.8.9\"")
      Files.write(file, text.getBytes(UTF_8))
      // The checksum that the file system keeps beside it.
      Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc")): Unit
    }
    assert(e.getMessage.startsWith("[MATCH_RECOGNIZE_CHECKPOINT_MISMATCH.FORMAT]"))
    assert(e.getMessage.contains("has format 9, this jar reads 3"))
    assert(e.getMessage.contains("(7.8.9)"))
  }

  test("the state data source reads the state") {
    val source = newSource()
    view(source, "5 seconds")
    val checkpoint = newDirectory()
    run(clause(), Seq(source), checkpoint) { run =>
      run.add("a1@1 a2@2 b1@9")
      run.add("a1@10")
    }
    val state = spark.read.format("statestore").load(checkpoint)
    assert(state.columns.toSeq == Seq("key", "value", "partition_id"))
    val kinds = state.selectExpr("key.kind").collect().map(_.getByte(0)).toSet
    assert(kinds.contains(StateLayout.Directory) && kinds.contains(StateLayout.Pending))
    val partitions = state
      .where(s"key.kind = ${StateLayout.Search}")
      .selectExpr("key.partition.key1")
      .collect()
      .map(_.getString(0))
    assert(partitions.toSet == Set("a"))
    val versions = state.selectExpr("hex(substring(value.state, 1, 1))").distinct().collect()
    assert(versions.map(_.getString(0)).toSeq == Seq("03"))
    val names =
      spark.read.format("state-metadata").load(checkpoint).select("operatorName").collect()
    assert(names.map(_.getString(0)).toSeq == Seq("matchRecognize"))
    val files = Files.walk(Paths.get(checkpoint))
    try assert(files.iterator.asScala.exists(_.endsWith("clause.json")))
    finally files.close()
  }
}
