package io.matchrecognize.streaming

import java.sql.Timestamp

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.metric.SQLMetrics
import org.apache.spark.sql.matchrecognize.TaskResources
import org.apache.spark.sql.types.{DataType, StructType}

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.errors.MatchRecognizeRuntimeException
import io.matchrecognize.execution.compile.ClauseSpec
import io.matchrecognize.streaming.task.{
  StateDescription,
  StreamMetrics,
  StreamProgram,
  StreamTasks
}
import io.matchrecognize.{QuerySuite, Sampled}

/**
 * Whole tasks of a stream over one store, a new one for each micro-batch: rows in any order, late
 * ones, rows with equal times, watermarks that stand still or jump to the end of a window, limits
 * on pending rows, keys of every kind, settings that change between micro-batches. When the last
 * watermark has passed all windows, a stream has returned exactly the rows that the table of all
 * rows that were not late has; in the order of arrival, of those that were in order, too, whether
 * rows are brought together by key, searched one by one, or either in turn on the same state.
 *
 * A long run: `-Dfuzz.stream.tasks=100 -Dfuzz.seed=7` as Java options of the test's process.
 */
class StreamTaskFuzzSuite extends QuerySuite {
  import StreamTaskFuzzSuite._
  import TaskStream._

  private val rounds = sys.props.get("fuzz.stream.tasks").fold(1)(_.toInt)
  private val seed = sys.props.get("fuzz.seed").fold(1L)(_.toLong)

  for ((timed, i) <- Sampled.oneIn(2, clauses.zipWithIndex)) {
    test(s"$rounds streams from seed $seed of $timed")(compare(timed, i, inOrder = false))
    test(s"$rounds streams in order from seed $seed of $timed")(compare(timed, i, inOrder = true))
  }

  private def compare(timed: TimedClause, i: Int, inOrder: Boolean): Unit = {
    val random = new Random(seed * 1000003L + i)
    // The key changes from clause to clause and from seed to seed.
    val key = keys(((i + seed) % keys.size).toInt)
    val arrival = Option.when(inOrder)(partitionsOf(key))
    val streams = Vector.fill(rounds)(TaskStream.random(random, timed.unit, arrival))
    val accepted = streams.map(_.decided)
    withConf("spark.sql.session.timeZone" -> zone.getId) {
      val rows = accepted.zipWithIndex.flatMap { case (d, c) => d.rows.map(_.asRow(c)) }
      spark.createDataFrame(rows.asJava, plainSchema).createOrReplaceTempView("plain")
      spark.sql(s"SELECT c, $key AS k, ts, n, v FROM plain").createOrReplaceTempView("t")
      val frame = spark.sql(s"""SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY c, k
        ORDER BY ts, n ${timed.clause})""")
      val expected = frame.collect().toVector.groupBy(_.getInt(0))
      val node = matchNodes(frame).head
      val spec = ClauseSpec(node.clause, node.measureOutput, node.child.output, node.output)
      val input = spark.table("t")
      for ((stream, c) <- streams.zipWithIndex) {
        val all = stream.rows.map(_.asRow(c)).asJava
        spark.createDataFrame(all, plainSchema).createOrReplaceTempView("plain_all")
        val internal = spark
          .sql(s"SELECT n, struct(c, $key AS k, ts, n, v) AS r FROM plain_all")
          .collect()
          .map(row => row.getInt(0) -> row.getStruct(1))
          .toMap
        val found = expected.getOrElse(c, Vector.empty).map(text)
        for ((way, isRealTime) <- if (inOrder) ways else ways.take(1)) {
          val where = s"$way: stream $c of seed $seed, key $key, ${timed.clause}\n$stream"
          def got = run(spec, stream, isRealTime, internal, input.schema, frame.columns.toSeq)
          if (stream.fails) {
            val error = withClue(where)(intercept[MatchRecognizeRuntimeException](got))
            assert(error.getCondition == "MATCH_RECOGNIZE_OUT_OF_ORDER", where)
          } else check(timed, stream, found, got, where)
        }
      }
    }
  }

  private def check(
      timed: TimedClause,
      stream: TaskStream,
      expected: Vector[String],
      got: (Vector[String], (Long, Long), Int),
      where: String
  ): Unit = {
    val (rows, dropped, left) = got
    assert(expected.diff(rows) == Nil, s"are missing in\n$where")
    assert(rows.diff(expected) == Nil, s"are unexpected in\n$where")
    val decided = stream.decided
    assert(dropped == ((decided.late, decided.outOfOrder)), s"dropped in\n$where")
    if (!timed.isEndless) assert(left == 0, s"entries are left in\n$where")
  }

  /** For each value of `g` a number of its partition: a key may be equal for several of them. */
  private def partitionsOf(key: String): Map[Option[Int], Int] = {
    val values =
      (None +: (0 until 5).map(Some(_)): Seq[Option[Int]]).map(g => Row(g.map(Int.box).orNull))
    spark.createDataFrame(values.asJava, StructType.fromDDL("g INT")).createOrReplaceTempView("g")
    val found = spark.sql(
      s"SELECT g, MIN(COALESCE(g, -1)) OVER (PARTITION BY k) FROM (" +
        s"SELECT g, $key AS k FROM g)"
    )
    found.collect().map(r => Option.when(!r.isNullAt(0))(r.getInt(0)) -> r.getInt(1)).toMap
  }

  /**
   * The rows that a stream returns, how many were late and out of order, and how many entries are
   * left.
   */
  private def run(
      spec: ClauseSpec,
      stream: TaskStream,
      isRealTime: Int => Boolean,
      internal: Map[Int, Row],
      schema: StructType,
      columns: Seq[String]
  ): (Vector[String], (Long, Long), Int) = {
    val table = new MemoryTable
    val toCatalyst = CatalystTypeConverters.createToCatalystConverter(schema)
    val ordinals = spec.input.map(a => schema.fieldIndex(a.name))
    val types = spec.input.map(_.dataType)
    val toUnsafe = UnsafeProjection.create(types.toArray[DataType])
    val shown = columns.map { name =>
      val ordinal = spec.output.indexWhere(_.name == name)
      val dataType = spec.output(ordinal).dataType
      val convert = CatalystTypeConverters.createToScalaConverter(dataType)
      (r: InternalRow) => convert(if (r.isNullAt(ordinal)) null else r.get(ordinal, dataType))
    }
    val metrics = new StreamMetrics(SQLMetrics.createMetric(spark.sparkContext, _))
    val programs = stream.batches.zipWithIndex.map { case (batch, i) =>
      val limit = MatchRecognizeConf.MaxPendingRows.key -> stream.maxPending.toString
      val action = MatchRecognizeConf.OutOfOrder.key -> (if (stream.drops) "drop" else "fail")
      withConf((batch.settings :+ limit :+ action): _*)(
        StreamProgram.of(spec, batch.late, batch.ready, stream.partitions.isDefined, isRealTime(i))
      )
    }
    // Otherwise a restart with these settings is refused.
    assert(programs.map(StateDescription.of).distinct.size == 1)
    val got = InTask(spark, "spark.sql.session.timeZone" -> zone.getId) {
      val resources = new TaskResources(TaskContext.get(), _ => ())
      stream.batches.zip(programs).flatMap { case (batch, program) =>
        val rows = batch.rows.iterator.map { row =>
          val whole = toCatalyst(internal(row.n)).asInstanceOf[InternalRow]
          toUnsafe(InternalRow.fromSeq(ordinals.zip(types).map { case (i, t) =>
            if (whole.isNullAt(i)) null else whole.get(i, t)
          }))
        }
        val task = StreamTasks.of(program, rows, table, resources, 0, metrics, () => ())
        task.map(row => text(Row.fromSeq(shown.map(_(row))))).toVector
      }
    }
    (got, (metrics.lateRows.value, metrics.outOfOrderRows.value), table.size)
  }
}

object StreamTaskFuzzSuite {
  import TaskStream.Second

  /** Whether the rows of a batch are searched one by one, by its number. */
  private val ways: Seq[(String, Int => Boolean)] = Seq(
    "by key" -> (_ => false),
    "row by row" -> (_ => true),
    "in turn" -> (_ % 2 == 0)
  )

  /** @param unit of the times, in microseconds */
  final case class TimedClause(unit: Long, clause: String) {
    def isEndless: Boolean = Seq("PREV", "MATCH_NUMBER", "^").exists(clause.contains)
    override def toString: String = clause.replaceAll("\\s+", " ")
  }

  private final val Hour = 3600 * Second

  private def in(unit: Long)(clauses: String*): Seq[TimedClause] = clauses.map(TimedClause(unit, _))

  /** All matches are decided once the watermark has passed all rows and windows. */
  private val clauses: Seq[TimedClause] = in(Second)(
    """MEASURES FIRST(n) AS a, COUNT(*) AS m, LAST(v) AS z ONE ROW PER MATCH SHOW TIMEOUT MATCHES
      PATTERN (A B* C) WITHIN INTERVAL 5 SECONDS DEFINE A AS v = 1, B AS v BETWEEN 2 AND 4, C AS v = 5""",
    """MEASURES CLASSIFIER() AS l, RUNNING COUNT(*) AS m ALL ROWS PER MATCH WITH UNMATCHED ROWS
      PATTERN (A B+) WITHIN INTERVAL 3 SECONDS DEFINE A AS v < 3, B AS v >= PREV(v)""",
    """MEASURES A.n AS a, C.n AS z PATTERN (A B*? C)
      DEFINE A AS v < 3, B AS v <> 0, C AS v > A.v AND C.ts <= A.ts + INTERVAL 4 SECONDS""",
    """MEASURES A.n AS a, LAST(n) AS z, COUNT(B.*) AS b AFTER MATCH SKIP TO NEXT ROW
      PATTERN (A B* C) WITHIN INTERVAL 5 SECONDS DEFINE A AS v < 4, B AS v > 0, C AS v = 5""",
    """MEASURES MATCH_NUMBER() AS k2, FIRST(n) AS a, LAST(n) AS z AFTER MATCH SKIP TO LAST B
      PATTERN (A+ B+ C?) WITHIN INTERVAL 6 SECONDS DEFINE A AS v < 3, B AS v > 1, C AS v = 0""",
    """MEASURES FIRST(n) AS a, SUM(v) AS s, MATCH_ROWTIME() AS t PATTERN (A+) WITHIN INTERVAL 0 SECONDS
      DEFINE A AS v > 0""",
    """MEASURES MATCH_NUMBER() AS m, COUNT(*) AS z ALL ROWS PER MATCH OMIT EMPTY MATCHES
      PATTERN ((^ A | B C)?) DEFINE B AS v > PREV(v, 2), C AS v < FIRST(B.v)""",
    """MEASURES MATCH_NUMBER() AS m, CLASSIFIER() AS l ALL ROWS PER MATCH
      AFTER MATCH SKIP TO NEXT ROW PATTERN (A {- B* -} PERMUTE(C, D)) WITHIN INTERVAL 4 SECONDS
      DEFINE A AS v > 1, C AS v < 3, D AS v > 3""",
    """MEASURES FIRST(n) AS a, ARRAY_AGG(B.v) AS b PATTERN (A B{1,3} C) WITHIN INTERVAL 8 SECONDS
      DEFINE B AS SUM(B.v) < 8, C AS v >= AVG(B.v) AND CLASSIFIER(B) = 'B'""",
    """MEASURES FIRST(n) AS a, LAST(n) AS z PATTERN (A+ B) DEFINE A AS COUNT(*) < 4,
      B AS v > MAX(A.v) AND unix_micros(B.ts) - unix_micros(FIRST(A.ts)) <= 3000000"""
  ) ++ in(6 * Hour)(
    """MEASURES FIRST(n) AS a, LAST(n) AS z ONE ROW PER MATCH SHOW TIMEOUT MATCHES
      PATTERN (A B* C) WITHIN INTERVAL 1 MONTH DEFINE A AS v < 3, B AS v > 0, C AS v = 5""",
    """MEASURES FIRST(n) AS a, COUNT(*) AS z AFTER MATCH SKIP TO NEXT ROW
      PATTERN (A B*) WITHIN INTERVAL 1 MONTH DEFINE A AS v < 3, B AS v > 0""",
    """MEASURES FIRST(n) AS a, COUNT(*) AS z PATTERN (A B*) WITHIN INTERVAL 2 DAYS
      DEFINE A AS v < 3, B AS v > 0""",
    """MEASURES FIRST(n) AS a, COUNT(*) AS z PATTERN (A B* C)
      DEFINE A AS v < 3, C AS v > 3 AND C.ts <= A.ts + INTERVAL 1 DAY""",
    """MEASURES FIRST(n) AS a, COUNT(*) AS z PATTERN (A B* C)
      DEFINE A AS v < 3, C AS v > 3 AND C.ts - A.ts <= INTERVAL 1 DAY"""
  ) ++ in(Hour / 2)(
    """MEASURES FIRST(n) AS a, COUNT(*) AS z PATTERN (A B* C)
      DEFINE A AS v < 3, C AS v > 3 AND C.ts - A.ts <= INTERVAL 3 HOURS""",
    """MEASURES FIRST(n) AS a, COUNT(*) AS z PATTERN (A B*) WITHIN INTERVAL 2 HOURS
      DEFINE A AS v < 3, B AS v > 0"""
  )

  /** Of `g`, which is NULL or from 0 to 4. */
  private val keys: Seq[String] = Seq(
    "g",
    "CAST(CASE g WHEN 0 THEN 'NaN' WHEN 1 THEN '-0.0' WHEN 2 THEN '0.0' WHEN 3 THEN '1' END AS DOUBLE)",
    "COLLATE(CASE g WHEN 0 THEN 'a' WHEN 1 THEN 'A' WHEN 2 THEN '' WHEN 3 THEN 'b' END, 'UTF8_LCASE')",
    "named_struct('x', CAST(IF(g = 0, '-0.0', '0.0') AS FLOAT), 'y', IF(g = 3, NULL, 'y'))",
    "array(CAST(IF(g = 0, '-0.0', '0.0') AS FLOAT), IF(g < 3, NULL, 1))",
    "CAST(CAST(g AS STRING) AS BINARY)",
    "DATE_ADD(DATE'1969-12-30', g)",
    "CAST(g AS DECIMAL(38, 6)) / 7",
    "NULL",
    "make_ym_interval(g)",
    "g > 1",
    "COLLATE(CASE g WHEN 0 THEN '\u00e9' WHEN 1 THEN 'e' WHEN 2 THEN 'E' WHEN 3 THEN 'x' ELSE '' END, 'UNICODE_CI_AI')"
  )

  private val plainSchema = StructType.fromDDL("c INT, g INT, ts TIMESTAMP, n INT, v INT")

  private def text(value: Any): String = value match {
    case row: Row => row.toSeq.map(text).mkString("(", ", ", ")")
    case list: scala.collection.Seq[_] => list.map(text).mkString("[", ", ", "]")
    case bytes: Array[Byte] => bytes.map(b => f"$b%02x").mkString
    case time: Timestamp => time.toInstant.toString
    case other => String.valueOf(other)
  }
}
