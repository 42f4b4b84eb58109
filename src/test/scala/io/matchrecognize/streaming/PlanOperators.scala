package io.matchrecognize.streaming

import org.apache.spark.sql.streaming.{
  GroupState,
  GroupStateTimeout,
  OutputMode,
  StatefulProcessor,
  TTLConfig,
  TimeMode,
  TimerValues,
  ValueState
}
import org.apache.spark.sql.{DataFrame, Encoders}

import io.matchrecognize.BuildInfo

/** The names of the coverage. */
object Kinds {
  final val Nothing = "none"
  final val Clause = "clause"
  final val Limit = "limit"
  final val Aggregate = "plain aggregate"
  final val Session = "session window"
  final val Mixed = "union of streams below the watermark"
}

/** The operators that a placement plan is made of, except the clause. */
object PlanOperators {

  // Sources

  def stream(name: String): SourceNode =
    source("stream", name, s"$name.withWatermark(ts)")(_.withWatermark("ts", _))

  def renamed(name: String): SourceNode = source(
    "renamed time",
    name,
    s"$name.withColumnRenamed(ts, at).withWatermark(at).withColumnRenamed(at, ts)"
  ) { (rows, delay) =>
    rows.withColumnRenamed("ts", "at").withWatermark("at", delay).withColumnRenamed("at", "ts")
  }

  def withoutWatermark(name: String): SourceNode =
    source("no watermark", name, name, isMarked = false)((rows, _) => rows)

  /** The stateful operators below have no watermark, so the one above them is the only one. */
  def distinctFirst(name: String): SourceNode = source(
    "distinct before the watermark",
    name,
    s"$name.dropDuplicates().withWatermark(ts)",
    isStateful = true
  )((rows, delay) => rows.dropDuplicates().withWatermark("ts", delay))

  def groupStateFirst(name: String): SourceNode = source(
    "group state before the watermark",
    name,
    s"$name.flatMapGroupsWithState(all rows).withWatermark(ts)",
    isStateful = true
  )((rows, delay) => groupState(rows).withWatermark("ts", delay))

  private def source(
      kind: String,
      name: String,
      text: String,
      isMarked: Boolean = true,
      isStateful: Boolean = false
  )(prepare: (DataFrame, String) => DataFrame): SourceNode =
    SourceNode(kind, name, text, isMarked, isStateful, prepare)

  // One input

  def filter(condition: String): PlanOperator =
    sql("filter")(x => s"SELECT * FROM $x WHERE $condition")

  // It keeps 1, the value of the last rows: Spark puts a filter on it below the watermark, which
  // rows that are left out do not move.
  val projection: PlanOperator =
    sql("projection")(x => s"SELECT 'none' AS name, v * v % 5 AS v, ts, k FROM $x")

  // Spark makes an aggregate of it: in update mode it returns a row again with each later copy.
  val distinct: PlanOperator =
    sql("distinct")
      .copy(isStateful = true)(x => s"SELECT DISTINCT k, ts, v FROM $x")
      .copy(versionKey = Some(Seq("k", "ts", "v")))

  val except: PlanOperator = sql("EXCEPT").copy(isStateful = true)(x =>
    s"SELECT k, ts, v FROM $x EXCEPT SELECT k, TIMESTAMP'2000-01-01', w FROM names"
  )

  val dropDuplicates: PlanOperator =
    frame("dropDuplicates", isStateful = true)("dropDuplicates()")(_.dropDuplicates())

  // Copies of a row have one time, so the watermark keeps the first of them while others may
  // arrive: the rows are those of dropDuplicates, which a table must take.
  val dropDuplicatesWithin: PlanOperator =
    frame("dropDuplicatesWithinWatermark", isStateful = true)("dropDuplicatesWithinWatermark()")(
      rows => if (rows.isStreaming) rows.dropDuplicatesWithinWatermark() else rows.dropDuplicates()
    )

  val tumbling: PlanOperator = window("tumbling window", "window(ts, '5 seconds')")
  val sliding: PlanOperator = window("sliding window", "window(ts, '6 seconds', '3 seconds')")

  private def window(kind: String, of: String): PlanOperator =
    PlanOperator(
      kind,
      x => s"""SELECT k, window_time(w) AS ts, n AS v FROM (SELECT k, $of AS w,
        CAST(COUNT(*) + SUM(v) AS INT) AS n FROM ${x.head} GROUP BY k, $of)""",
      isStateful = true,
      isAggregate = true,
      versionKey = Some(Seq("k", "ts"))
    )

  // window_time does not take a session, and its fields have no watermark.
  val session: PlanOperator = PlanOperator(
    Kinds.Session,
    x =>
      s"""SELECT k, w.end AS ts, n AS v FROM (SELECT k, session_window(ts, '3 seconds') AS w,
      CAST(COUNT(*) + SUM(v) AS INT) AS n FROM ${x.head} GROUP BY k, session_window(ts, '3 seconds'))""",
    isStateful = true,
    isAggregate = true,
    versionKey = Some(Seq("k", "ts")),
    marks = _ => false
  )

  val aggregate: PlanOperator = PlanOperator(
    Kinds.Aggregate,
    x => s"""SELECT k, MAX(ts) AS ts, CAST(COUNT(*) + SUM(v) AS INT) AS v FROM ${x.head}
      GROUP BY k""",
    isStateful = true,
    isAggregate = true,
    versionKey = Some(Seq("k")),
    marks = _ => false
  )

  val staticJoin: PlanOperator =
    sql("static join")(x => s"SELECT k, ts, v + w AS v FROM $x JOIN names USING (k)")

  val staticLeftJoin: PlanOperator = sql("static left join") { x =>
    s"SELECT k, ts, v + COALESCE(w, 0) AS v FROM $x LEFT JOIN (SELECT * FROM names WHERE w > 1) USING (k)"
  }

  // Subqueries over a table, some of them with a clause over it.

  private val numbered =
    "names MATCH_RECOGNIZE (PARTITION BY k ORDER BY w MEASURES SUM(w) AS w PATTERN (A+))"

  val exists: PlanOperator = sql("EXISTS") { x =>
    s"SELECT * FROM $x AS o WHERE EXISTS (SELECT 1 FROM $numbered WHERE k = o.k)"
  }

  val notExists: PlanOperator = sql("NOT EXISTS") { x =>
    s"SELECT * FROM $x WHERE NOT EXISTS (SELECT 1 FROM $numbered AS y WHERE y.k = $x.k AND y.w = 2)"
  }

  val scalarSubquery: PlanOperator = sql("scalar subquery") { x =>
    s"SELECT k, ts, v + CAST((SELECT MAX(w) FROM $numbered) % 2 AS INT) AS v FROM $x"
  }

  val clauseOverTable: PlanOperator = sql("join with a clause over a table") { x =>
    s"SELECT x.k AS k, x.ts AS ts, x.v + CAST(m.w AS INT) AS v FROM $x AS x JOIN $numbered AS m ON m.k = x.k"
  }

  /** Each name for another column in between. */
  val exchanged: PlanOperator = sql("names exchanged") { x =>
    s"SELECT v AS k, k AS ts, ts AS v FROM (SELECT ts AS k, v AS ts, k AS v FROM $x) AS k"
  }

  val twice: PlanOperator = sql("read twice") { x =>
    s"SELECT * FROM $x WHERE v < 2 UNION ALL SELECT * FROM $x WHERE k = 'a' OR v = 3"
  }

  val cteTwice: PlanOperator = sql("cte read twice") { x =>
    s"""WITH c AS (SELECT k, ts, v + 1 AS v FROM $x)
      SELECT * FROM c UNION ALL SELECT k, ts, v * 2 AS v FROM c"""
  }

  def watermark(kind: String): PlanOperator =
    frame(kind)("withWatermark(ts, 3 seconds)")(_.withWatermark("ts", "3 seconds"))
      .copy(marks = _ => true)

  /** Whether SQL can say it: `t WATERMARK ts DELAY OF ...`. */
  val hasWatermarkClause: Boolean = BuildInfo.sparkMinor != "4.0"

  def watermarkInSql(kind: String): PlanOperator =
    sql(kind)(x => s"SELECT * FROM $x WATERMARK ts DELAY OF INTERVAL 3 SECONDS")
      .copy(marks = _ => true)

  val grouped: PlanOperator =
    frame("flatMapGroupsWithState", isStateful = true)("flatMapGroupsWithState(all rows)")(
      groupState
    ).copy(marks = _ => false)

  val transformed: PlanOperator =
    frame("transformWithState", isStateful = true)("transformWithState(all rows)")(
      _.as(encoder)
        // Spark finds no state for a key that is NULL.
        .groupByKey(row => s"${row.k}")(Encoders.STRING)
        .transformWithState(new PassingRows, TimeMode.None(), OutputMode.Append())(encoder)
        .toDF()
    ).copy(marks = _ => false)

  // Two inputs

  /**
   * Where one input has no watermark, rows of the other one may be of any age, so the time has none
   * either: Spark would pass it on, and its own operators above would lose rows without any clause.
   * With a clause in that input it is passed on, and those operators are refused.
   */
  def join(
      kind: String,
      isOuter: Boolean,
      isMarked: Boolean,
      isEqual: Boolean = false
  ): PlanOperator = PlanOperator(
    kind,
    x => {
      val time = if (isMarked) "x.ts" else "x.ts + INTERVAL 0 SECONDS"
      val near =
        if (isEqual) "y.ts = x.ts"
        else "y.ts BETWEEN x.ts - INTERVAL 1 SECONDS AND x.ts + INTERVAL 4 SECONDS"
      s"""SELECT x.k AS k, $time AS ts, x.v + COALESCE(y.v, 7) AS v
      FROM ${x(0)} AS x ${if (isOuter) "LEFT " else ""}JOIN ${x(1)} AS y ON x.k = y.k AND $near"""
    },
    isStateful = true,
    marks = _ => isMarked
  )

  /** See `join` about the time; other inputs are left as they are. */
  def union(kind: String, unmarked: Set[Int] = Set.empty): PlanOperator = PlanOperator(
    kind,
    _.zipWithIndex
      .map { case (x, i) =>
        val time = if (unmarked(i)) "ts + INTERVAL 0 SECONDS AS ts" else "ts"
        s"SELECT k, $time, v FROM $x"
      }
      .mkString(" UNION ALL "),
    marks = marks => unmarked.isEmpty && marks.forall(identity)
  )

  /** Columns that Spark knows more about, or less, and their values of the same rows. */
  val mixedForms: Seq[(String, String)] = Seq(
    "k" -> "v",
    "NULLIF(k, 'y')" -> "NULLIF(v, 9)",
    s"IF(k <=> '${PlacementPlan.FinalKey}', '${PlacementPlan.FinalKey}', 'a')" -> "v",
    "k" -> "2",
    "COALESCE(NULLIF(k, 'b'), 'a')" -> "COALESCE(NULLIF(v, 2), 1)",
    "NULLIF(k, 'b')" -> "NULLIF(v, 1)"
  )

  /** No row is late: each input has rows when the other one has none. */
  def mixedUnion(forms: Seq[(String, String)]): PlanOperator = {
    val columns = forms.map { case (k, v) => Seq(s"$k AS k", "ts", s"$v AS v") }
    PlanOperator(
      Kinds.Mixed,
      _.zip(columns)
        .map { case (x, list) => s"$x.select(${list.mkString(", ")})" }
        .mkString(
          "",
          ".unionAll(",
          ").withWatermark(ts, 40 seconds)"
        ),
      Some(
        _.zip(columns)
          .map { case (frame, list) => frame.selectExpr(list: _*) }
          .reduce(_ unionAll _)
          .withWatermark("ts", "40 seconds")
      ),
      marks = _ => true
    )
  }

  private def sql(kind: String): SqlOperator = new SqlOperator(kind, isStateful = false)

  private final class SqlOperator(kind: String, isStateful: Boolean) {
    def copy(isStateful: Boolean): SqlOperator = new SqlOperator(kind, isStateful)
    def apply(text: String => String): PlanOperator =
      PlanOperator(kind, x => text(x.head), isStateful = isStateful)
  }

  private def frame(kind: String, isStateful: Boolean = false)(text: String)(
      f: DataFrame => DataFrame
  ): PlanOperator = PlanOperator(
    kind,
    x => s"${x.head}.$text",
    Some(frames => f(frames.head)),
    isStateful = isStateful
  )

  private lazy val encoder = Encoders.product[PassedRow]

  private def groupState(rows: DataFrame): DataFrame = rows
    .as(encoder)
    .groupByKey(_.k)(Encoders.STRING)
    .flatMapGroupsWithState(OutputMode.Append(), GroupStateTimeout.NoTimeout())(counted)(
      Encoders.scalaLong,
      encoder
    )
    .toDF()

  private val counted = (_: String, rows: Iterator[PassedRow], state: GroupState[Long]) => {
    val all = rows.toSeq
    state.update(state.getOption.getOrElse(0L) + all.size)
    all.iterator
  }
}

/** Returns its input, and counts it in the state. */
final class PassingRows extends StatefulProcessor[String, PassedRow, PassedRow] {
  @transient private var count: ValueState[Long] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
    count = getHandle.getValueState[Long]("count", Encoders.scalaLong, TTLConfig.NONE)

  override def handleInputRows(
      key: String,
      rows: Iterator[PassedRow],
      timers: TimerValues
  ): Iterator[PassedRow] = {
    val all = rows.toSeq
    count.update((if (count.exists()) count.get() else 0L) + all.size)
    all.iterator
  }
}
