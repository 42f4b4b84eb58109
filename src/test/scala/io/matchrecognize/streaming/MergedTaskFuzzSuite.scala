package io.matchrecognize.streaming

import scala.jdk.CollectionConverters._
import scala.util.{Random, Try}

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Literal}
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.{Row, SparkSession}

import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.fuzz.FuzzReport.plain
import io.matchrecognize.fuzz._
import io.matchrecognize.streaming.MergedTaskFuzzSuite.Results
import io.matchrecognize.streaming.StreamFuzzSuite._
import io.matchrecognize.streaming.task.{StreamMetrics, StreamProgram, StreamTasks}
import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Random sets of up to ten clauses as whole tasks over one store, see [[StreamFuzzSuite]]: in each
 * micro-batch a clause returns what it returns alone, an error ends the micro-batch that it ends
 * alone, and no state is left where none is left alone. A long run: `-Dfuzz.stream.sets=500
 * -Dfuzz.seed=7` as Java options of the test's process.
 */
class MergedTaskFuzzSuite extends QuerySuite {
  private val cases = sys.props.get("fuzz.stream.sets").fold(Sampled.size(8, 4))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  test(s"$cases random sets from seed $seed agree with each clause alone")(
    compare(StreamCase.random, _ => ByKey)
  )

  test(s"$cases sets in the order of arrival from seed $seed agree with each clause alone")(
    compare(StreamCase.inOrder, i => ways(i % ways.size))
  )

  private def compare(draw: Long => StreamCase, wayOf: Int => Way): Unit = {
    var (rows, most) = (0, 0)
    withConf(
      "spark.sql.variable.substitute" -> "false",
      "spark.sql.optimizer.excludedRules" -> EmptyRules
    ) {
      (0 until cases).foreach { i =>
        val (drawn, queries) = MergedTaskFuzzSuite.drawn(draw, seed * 1000000007L + i)
        val clue = s"set $i of seed $seed\n${FuzzSettings.statements(drawn.query.confs)}\n" +
          s"${queries.map(_.sql).mkString("\n")}\n$drawn"
        withClue(clue)(withConf(drawn.query.confs: _*) {
          spark
            .createDataFrame(List.empty[Row].asJava, FuzzInput.schema(queries.head, false))
            .createOrReplaceTempView("t")
          // Spark may fail to plan one, as it fails to fold a constant.
          val specs = queries.zipWithIndex.flatMap { case (query, n) =>
            Try(specOf(query, n)).toOption.map(query -> _)
          }
          val alone = specs.map(spec => results(drawn, Seq(spec), wayOf(i)))
          val together = results(drawn, specs, wayOf(i))
          rows += together.batches.map(_.size).sum
          most = most.max(specs.size)
          val batches = alone.map(_.batches.size).min
          assert(together.batches.size == batches)
          (0 until batches).foreach { batch =>
            assert(
              together.batches(batch).map(_.toString).sorted ==
                alone.flatMap(_.batches(batch)).map(_.toString).sorted,
              s"micro-batch $batch"
            )
          }
          assert(together.isSettled || !alone.forall(_.isSettled))
        })
      }
    }
    info(s"$rows rows, at most $most clauses")
    assert(rows > cases && most > 1)
  }

  private def specOf(query: FuzzQuery, number: Int): ClauseSpec = {
    val node = matchNodes(spark.sql(query.sql)).head
    val columns = query.clauseColumns.map(name => node.output.find(_.name == name).get)
    ClauseSpec(
      node.clause,
      node.measureOutput,
      node.child.output,
      columns :+ Alias(Literal(number), "number")(),
      name = Some(s"pattern $number")
    )
  }

  private def results(
      drawn: StreamCase,
      set: Seq[(FuzzQuery, ClauseSpec)],
      isRealTime: Way
  ): Results = {
    // Each reads some columns of the view.
    val input = set.flatMap(_._2.input).distinctBy(_.exprId)
    val specs = set.map(_._2.copy(input = input))
    val marks = drawn.watermarks
    val programs = marks.zip(0L +: marks).zipWithIndex.map { case ((ready, late), batch) =>
      StreamProgram.of(specs, late, ready, drawn.arrived.nonEmpty, isRealTime(batch))
    }
    val metrics = new StreamMetrics(SQLMetrics.createMetric(spark.sparkContext, _))
    InTask(spark, drawn.query.confs: _*) {
      val table = new MemoryTable
      val resources = new TaskResources(TaskContext.get(), _ => ())
      val toInput = inputOf(specs.head)
      val outputs = specs.map(spec => outputOf(spec, spec.output.map(_.name)))
      val places = specs.map(_.output.last.asInstanceOf[Alias].child.eval().asInstanceOf[Int])
      def output(row: InternalRow): Seq[Any] =
        outputs(places.indexOf(row.getInt(row.numFields - 1)))(row)
      val batches = marks.indices.iterator.map { batch =>
        Try {
          val rows = arriving(drawn, batch).iterator.map(toInput)
          val task =
            StreamTasks.of(programs(batch), rows, table, resources, 0, metrics, () => ())
          plain(task.map(output).toVector)
        }
      }
      val found = batches.takeWhile(_.isSuccess).map(_.get).toVector
      Results(found, found.size == marks.size && table.size == 0)
    }
  }
}

object MergedTaskFuzzSuite {

  /** @param isSettled whether no error came and no state is left */
  final case class Results(batches: Vector[Vector[Seq[Any]]], isSettled: Boolean)

  /** A case, and its query with some others of the same input, PARTITION BY and ORDER BY. */
  def drawn(draw: Long => StreamCase, seed: Long): (StreamCase, Seq[FuzzQuery]) = {
    val random = new Random(seed)
    val first = draw(random.nextLong())
    val last = (first.watermarks ++ first.query.rows.map(_.t)).max + 1000000L * 1000000
    (
      first.copy(watermarks = first.watermarks ++ Seq(last, last + 1)),
      first.query +: others(first.query, random)
    )
  }

  def others(first: FuzzQuery, random: Random): Seq[FuzzQuery] = first
    .besides(Iterator.continually(StreamCase.random(random.nextLong()).query))
    .take(random.nextInt(10))
    .toSeq

  /**
   * A UNION ALL of the query of some arrivals and others, and its rows over a table of all rows
   * that are not dropped. Queries that fail over the table are left out; they are compared as
   * tasks.
   */
  def union(
      spark: SparkSession,
      arrivals: Arrivals,
      random: Random
  ): (String, Seq[Seq[Any]]) = {
    val queries = arrivals.query +: others(arrivals.query, random).take(9)
    val accepted = arrivals.expected.query
    spark
      .createDataFrame(
        accepted.rows.map(FuzzInput.row(accepted, _)).asJava,
        FuzzInput.schema(accepted, isTable = false)
      )
      .createOrReplaceTempView("t")
    val found = queries.indices
      .map(n => s"SELECT $n AS p, CAST(struct(*) AS STRING) AS r FROM (${queries(n).sql})")
      .flatMap(sql => Try(sql -> spark.sql(sql).collect().toSeq.map(_.toSeq)).toOption)
    (found.map(_._1).mkString("\nUNION ALL\n"), found.flatMap(_._2))
  }
}
