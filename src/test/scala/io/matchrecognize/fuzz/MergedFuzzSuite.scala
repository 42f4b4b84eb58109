package io.matchrecognize.fuzz

import scala.jdk.CollectionConverters._
import scala.util.{Random, Try}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}

import io.matchrecognize.plans.MergedQuery
import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Random clauses over one input in a UNION ALL: the rows of each branch are those of the branch
 * alone, in their order within a partition, and the union fails where a branch does. A long run:
 * `-Dfuzz.merged.cases=500 -Dfuzz.seed=7` as Java options of the test's process.
 */
class MergedFuzzSuite extends QuerySuite {
  private val cases = sys.props.get("fuzz.merged.cases").fold(Sampled.size(12, 8))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  test(s"$cases random sets of clauses from seed $seed agree with each clause alone") {
    spark.catalog.clearCache() // of other suites, as nothing is merged early beside it
    var (merged, early, failed) = (0, 0, 0)
    (0 until cases).foreach { i =>
      val queries = drawn(seed * 1000003L + i)
      withConf(
        queries.head.confs ++ Seq(
          "spark.sql.variable.substitute" -> "false",
          "spark.sql.codegen.fallback" -> "false"
        ): _*
      ) {
        spark
          .createDataFrame(
            queries.head.rows.map(FuzzInput.row(queries.head, _)).asJava,
            FuzzInput.schema(queries.head, isTable = true)
          )
          .createOrReplaceTempView("t")
        val alone = queries.indices.map(n => answer(branch(queries, n)))
        val union = queries.indices.map(branch(queries, _)).mkString("\nUNION ALL\n")
        // With anything above them the optimizer merges the clauses, otherwise MergeQuery.
        val sql = if (i % 2 == 0) union else s"SELECT * FROM ($union) WHERE branch >= 0"
        val frame = Try(spark.sql(sql))
        val clues = s"set $i\n${FuzzSettings.statements(queries.head.confs)}\n$sql"
        withClue(clues) {
          answer(frame) match {
            case Right(rows) =>
              assert(alone.forall(_.isRight))
              queries.indices.foreach { n =>
                val own = rows.filter(_._1 == n)
                assert(
                  own.groupBy(identity).view.mapValues(_.size).toMap ==
                    alone(n).toOption.get.groupBy(identity).view.mapValues(_.size).toMap
                )
              }
            case Left((condition, text)) =>
              failed += 1
              def isOne(own: Either[(String, String), _]) =
                own.left.toOption.exists(_._1 == condition)
              // Of errors in several partitions, the task that fails first reports one.
              def isAnother = Iterator
                .continually(queries.indices.filter(alone(_).isLeft))
                .take(5)
                .flatten
                .exists(n => isOne(answer(branch(queries, n))))
              assert(alone.exists(isOne) || isAnother, text)
          }
          // Spark may fail to plan it, as it fails to fold a constant.
          if (
            frame.flatMap(f => Try(matchNodes(f))).toOption.exists(_.exists(_.branches.length > 1))
          ) {
            merged += 1
            early += frame.toOption.count(isMerged)
          }
        }
      }
    }
    info(s"$merged merged, $early before the optimizer, $failed failed")
    assert(merged > cases / 2 && early > 0)
  }

  private def isMerged(frame: DataFrame): Boolean = frame
    .asInstanceOf[ClassicDataset[_]]
    .queryExecution
    .normalized
    .exists(_.isInstanceOf[MergedQuery])

  /** 2 to 20 queries of one input, PARTITION BY and ORDER BY. */
  private def drawn(seed: Long): IndexedSeq[FuzzQuery] = {
    val random = new Random(seed)
    val first = QueryGenerator.random(random.nextLong())
    val others = first
      .besides(Iterator.continually(QueryGenerator.random(random.nextLong())))
      .take(1 + random.nextInt(if (random.nextInt(4) == 0) 19 else 6))
    (first +: others.toSeq).toIndexedSeq
  }

  private def branch(queries: Seq[FuzzQuery], n: Int): String =
    s"SELECT $n AS branch, CAST(struct(*) AS STRING) AS found FROM (${queries(n).sql})"

  private def answer(sql: String): Either[(String, String), Seq[(Int, String)]] =
    answer(Try(spark.sql(sql)))

  private def answer(frame: Try[DataFrame]): Either[(String, String), Seq[(Int, String)]] =
    frame
      .flatMap(f => Try(f.collect().toSeq.map(row => (row.getInt(0), row.getString(1)))))
      .toEither
      .left
      .map { error =>
        val causes = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq
        val condition = causes.collectFirst { case e: SparkThrowable => e.getCondition }
        (condition.getOrElse(error.getClass.getName), causes.map(_.getMessage).mkString("\n"))
      }
}
