package io.matchrecognize.streaming

import java.util.Locale

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.Assertion

import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.fuzz.FuzzReport.plain
import io.matchrecognize.fuzz._
import io.matchrecognize.streaming.StreamFuzzSuite._
import io.matchrecognize.streaming.task.{StreamMetrics, StreamProgram, StreamTasks}
import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Random clauses as whole tasks over one store, a new one for each micro-batch: rows in any order,
 * rows that come before the watermark reaches them, watermarks that stand still; in the order of
 * arrival, rows brought together by key, searched one by one, or either in turn on the same state.
 * What has been returned after each micro-batch is compared with [[StreamOracle]], and no state may
 * be left in the end. A long run: `-Dfuzz.stream.cases=5000 -Dfuzz.seed=7` as Java options of the
 * test's process.
 */
class StreamFuzzSuite extends QuerySuite {
  private val cases = sys.props.get("fuzz.stream.cases").fold(Sampled.size(6, 3))(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  /** Differences to report in one run. */
  private val most = 5
  private val shrinkSeconds = sys.props.get("fuzz.shrink").fold(60L)(_.toLong)

  test(s"$cases random streams from seed $seed agree with the oracle")(
    compare(StreamCase.random, _ => ByKey)
  )

  test(s"$cases streams in the order of arrival from seed $seed agree with the oracle")(
    compare(StreamCase.inOrder, i => ways(i % ways.size))
  )

  private def compare(draw: Long => StreamCase, wayOf: Int => Way): Assertion = {
    val totals = new StreamTotals
    val failures = mutable.ArrayBuffer.empty[String]
    withConf(
      "spark.sql.variable.substitute" -> "false",
      // The view has no rows, and its plan must stay.
      "spark.sql.optimizer.excludedRules" -> EmptyRules
    ) {
      (0 until cases).foreach { i =>
        val judge = new StreamJudge(settled(draw(seed * 1000000007L + i)))
        totals.add(judge)
        if (failures.size < most) difference(judge, wayOf(i)).foreach { text =>
          val small = shrink(judge.streamCase, wayOf(i), text)
          failures += s"stream $i of seed $seed differs\n$small"
        }
      }
    }
    if (failures.nonEmpty) fail(failures.mkString("\n\n"))
    info(totals.toString)
    assert(totals.rows > cases * 5 && totals.waiting > cases)
  }

  /** With watermarks at the end that have passed all windows. */
  private def settled(drawn: StreamCase): StreamCase = {
    val last = (drawn.watermarks ++ drawn.query.rows.map(_.t)).max
    drawn.copy(watermarks = drawn.watermarks ++ Seq.fill(2)(last + 1000000L * 1000000))
  }

  private def specOf(query: FuzzQuery): ClauseSpec = {
    spark
      .createDataFrame(List.empty[Row].asJava, FuzzInput.schema(query, isTable = false))
      .createOrReplaceTempView("t")
    val node = matchNodes(spark.sql(query.sql)).head
    ClauseSpec(node.clause, node.measureOutput, node.child.output, node.output)
  }

  /** What is wrong with a case, if anything. */
  private def difference(judge: StreamJudge, isRealTime: Way): Option[String] = {
    val streamCase = judge.streamCase
    val (query, marks) = (streamCase.query, streamCase.watermarks)
    withConf(query.confs: _*) {
      val spec = specOf(query)
      val programs = marks.zip(0L +: marks).zipWithIndex.map { case ((ready, late), batch) =>
        StreamProgram.of(Seq(spec), late, ready, streamCase.arrived.nonEmpty, isRealTime(batch))
      }
      val metrics = new StreamMetrics(SQLMetrics.createMetric(spark.sparkContext, _))
      InTask(spark, query.confs: _*) {
        val table = new MemoryTable
        val resources = new TaskResources(TaskContext.get(), _ => ())
        val (input, output) = (inputOf(spec), outputOf(spec, query.clauseColumns))
        var got = Vector.empty[Seq[Any]]
        def wrong(batch: Int): Option[String] = {
          val rows = arriving(streamCase, batch).iterator.map(input)
          try {
            val task =
              StreamTasks.of(programs(batch), rows, table, resources, 0, metrics, () => ())
            got ++= plain(task.map(output).toVector)
            judge.differenceOfAll(batch, got)
          } catch {
            case e: Exception => Some(s"$e\n  ${e.getStackTrace.take(12).mkString("\n  ")}")
          }
        }
        marks.indices.iterator
          .flatMap(batch => wrong(batch).map(text => s"batch $batch of $marks: $text"))
          .nextOption()
          .orElse(Option.when(judge.isSettled && table.size > 0)(s"${table.size} entries are left"))
      }
    }
  }

  /** Shrinks a case while it still differs, for a limited time. */
  private def shrink(streamCase: StreamCase, way: Way, text: String): String = {
    val deadline = System.nanoTime() + shrinkSeconds * 1000 * 1000 * 1000
    def differs(smaller: StreamCase): Option[String] =
      try difference(new StreamJudge(smaller), way)
      catch { case _: org.apache.spark.sql.AnalysisException => None }
    @annotation.tailrec
    def step(current: StreamCase, why: String): String =
      StreamCase
        .smaller(current)
        .takeWhile(_ => System.nanoTime() < deadline)
        .filter(_.query.isValid)
        .flatMap(smaller => differs(smaller).map(smaller -> _))
        .nextOption() match {
        case Some((smaller, again)) => step(smaller, again)
        case None =>
          val query = current.query
          s"${FuzzSettings.statements(query.confs)}\n${query.sql}\n$why\nrows ${query.rows}"
      }
    step(streamCase, text)
  }
}

object StreamFuzzSuite {

  /** Whether the rows of a micro-batch are searched one by one, by its number. */
  type Way = Int => Boolean
  private[streaming] val ByKey: Way = _ => false
  private[streaming] val ways: Seq[Way] = Seq(ByKey, _ => true, _ % 2 == 0)

  private[streaming] val EmptyRules = Seq("PropagateEmptyRelation", "ConvertToLocalRelation")
    .map("org.apache.spark.sql.catalyst.optimizer." + _)
    .mkString(",")

  /**
   * The rows that arrive in a micro-batch: those of a partition in any order, and perhaps before
   * the watermark reaches them, unless they are searched as they arrive.
   */
  private[streaming] def arriving(streamCase: StreamCase, batch: Int): Vector[FuzzRow] = {
    val random = new Random(streamCase.query.rows.size)
    val placed = streamCase.query.partitions.toVector.flatMap { rows =>
      val places = rows.map(_ => random.nextDouble())
      val at = rows.map { row =>
        streamCase.arrived.fold {
          val reached = streamCase.watermarks.indexWhere(_ >= row.t)
          if (reached < 0) reached else random.nextInt(reached + 1)
        }(_.getOrElse(row, 0))
      }
      val ordered = if (streamCase.arrived.isEmpty) places else places.sorted
      rows.indices.map(i => (at(i), ordered(i), rows(i)))
    }
    placed.filter(_._1 == batch).sortBy(_._2).map(_._3)
  }

  private[streaming] def inputOf(spec: ClauseSpec): FuzzRow => InternalRow = {
    val toUnsafe = UnsafeProjection.create(spec.input.map(_.dataType).toArray)
    def internal(value: Any): Any = value match {
      case string: String => UTF8String.fromString(string)
      case number: Long => number.toInt
      case other => other
    }
    row =>
      toUnsafe(InternalRow.fromSeq(spec.input.map { column =>
        column.name.toLowerCase(Locale.ROOT) match {
          case "p" => if (row.v == null) null else InternalRow(internal(row.v), internal(row.s))
          case "t" => row.t
          case "o" => FuzzKey.internal(row.o, column.dataType)
          case name => internal(row(name))
        }
      }))
  }

  private[streaming] def outputOf(
      spec: ClauseSpec,
      columns: Seq[String]
  ): InternalRow => Seq[Any] = {
    val values = columns.map { name =>
      val ordinal = spec.output.indexWhere(_.name == name)
      val dataType = spec.output(ordinal).dataType
      val convert = CatalystTypeConverters.createToScalaConverter(dataType)
      (row: InternalRow) => convert(if (row.isNullAt(ordinal)) null else row.get(ordinal, dataType))
    }
    row => values.map(_(row))
  }
}
