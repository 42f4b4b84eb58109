package io.matchrecognize.streaming.operator

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalGroupState
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}
import org.apache.spark.sql.matchrecognize.{PeakMetric, StateStores, TaskResources}
import org.apache.spark.sql.streaming.{GroupStateTimeout, OutputMode, StateOperatorProgress}
import org.apache.spark.sql.types.NullType
import org.apache.spark.{SparkContext, TaskContext}

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.compile.TaskProgram
import io.matchrecognize.execution.plan.PatternClauseExec
import io.matchrecognize.expressions.GroupingKey
import io.matchrecognize.plans.advice.{ClauseWarnings, StreamWarnings}
import io.matchrecognize.plans.{ClauseBranch, StreamClause}
import io.matchrecognize.shims.Stateful._
import io.matchrecognize.streaming.state.{
  CheckpointDescription,
  SessionSettings,
  StateLayout,
  StoreTable
}
import io.matchrecognize.streaming.task.{
  OutputWatermark,
  StreamMetrics,
  StreamProgram,
  StreamTasks,
  UnboundedStateCheck
}

/**
 * Runs MATCH_RECOGNIZE on a stream, or several clauses over one input: a stateful operator with one
 * state store per task, see [[StreamTask]].
 *
 * Spark's planning of a micro-batch knows the stateful operators by a closed list of classes, so
 * this one extends the most general of them. It inherits the state info, the watermarks and the
 * handling of metrics, checkpoints and batches without data; all else is its own: the superclass's
 * constructor arguments are empty, and the node's identity, expressions and children are those of
 * the parameters here.
 *
 *   - Rows are distributed by the normalised PARTITION BY keys to as many tasks as the checkpoint
 *     has stores; without PARTITION BY one task gets all rows.
 *   - A batch without data follows whenever the watermark has moved.
 *   - The watermark is passed on, held back by WITHIN, if a measure carries it.
 */
final class StreamMatchRecognizeExec(
    override val branches: Seq[ClauseBranch],
    override val output: Seq[Attribute],
    val batch: StreamBatch,
    input: SparkPlan
) extends FlatMapGroupsWithStateExec(
      null,
      Literal(null),
      Literal(null),
      Literal(null),
      Nil,
      Nil,
      Nil,
      Nil,
      AttributeReference("none", NullType)(),
      batch.stateInfo,
      null,
      // Of the superclass's state, of which there is none.
      1,
      OutputMode.Append(),
      GroupStateTimeout.EventTimeTimeout(),
      batch.timestampMs,
      batch.lateMs,
      batch.evictionMs,
      NoInitialStateExec(Nil),
      false,
      false,
      input
    )
    with PatternClauseExec {

  // What branches do not have is not on a stream.
  private def streams: Seq[StreamClause] = branches.flatMap(_.stream)
  private def inOrderOfArrival: Boolean = streams.head.inOrderOfArrival

  // The node's identity

  private def members: IndexedSeq[Any] = IndexedSeq(branches, output, batch, child)

  override def productArity: Int = members.length
  override def productElement(n: Int): Any = members(n)
  override def productElementName(n: Int): String = s"_${n + 1}"
  override def productPrefix: String = "StreamMatchRecognizeExec"
  override def canEqual(other: Any): Boolean = other.isInstanceOf[StreamMatchRecognizeExec]
  override def equals(other: Any): Boolean = other match {
    case that: StreamMatchRecognizeExec => (this eq that) || members == that.members
    case _ => false
  }

  override def copy(
      func: (Any, Iterator[Any], LogicalGroupState[Any]) => Iterator[Any],
      keyDeserializer: Expression,
      valueDeserializer: Expression,
      initialStateDeserializer: Expression,
      groupingAttributes: Seq[Attribute],
      initialStateGroupAttrs: Seq[Attribute],
      dataAttributes: Seq[Attribute],
      initialStateDataAttrs: Seq[Attribute],
      outputObjAttr: Attribute,
      stateInfo: Option[StatefulOperatorStateInfo],
      stateEncoder: ExpressionEncoder[Any],
      stateFormatVersion: Int,
      outputMode: OutputMode,
      timeoutConf: GroupStateTimeout,
      batchTimestampMs: Option[Long],
      eventTimeWatermarkForLateEvents: Option[Long],
      eventTimeWatermarkForEviction: Option[Long],
      initialState: SparkPlan,
      hasInitialState: Boolean,
      skipEmittingInitialStateKeys: Boolean,
      child: SparkPlan
  ): StreamMatchRecognizeExec = withBatch(
    StreamBatch(
      batch.isRealTime,
      stateInfo,
      batchTimestampMs,
      eventTimeWatermarkForLateEvents,
      eventTimeWatermarkForEviction
    ),
    child
  )

  private def withBatch(newBatch: StreamBatch, newChild: SparkPlan): StreamMatchRecognizeExec =
    new StreamMatchRecognizeExec(branches, output, newBatch, newChild)

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): StreamMatchRecognizeExec = withBatch(batch, newLeft)

  override def nodeName: String = "MatchRecognize"
  override def simpleString(maxFields: Int): String =
    s"$statePrefix$operatorName ${if (isUnion) sharing else clause.line}" +
      (if (inOrderOfArrival) ", in order of arrival" else "") +
      batch.evictionMs.map(w => s", watermark $w ms").mkString
  override def verboseStringWithOperatorId(): String = clauseLines { i =>
    Option.when(inOrderOfArrival)("Input order" -> MatchRecognizeConf.Arrival).toSeq ++
      batch.evictionMs.map(w => "Watermark" -> s"$w ms") ++
      program.clauses(i).conditions.deadlines.map("Deadline" -> _.text) ++
      warningsOf(branches(i)).map("Warning" -> _)
  }

  @transient override protected lazy val warnings: Seq[String] =
    branches.flatMap(warningsOf).distinct

  private def warningsOf(branch: ClauseBranch): Seq[String] =
    ClauseWarnings.of(branch.clause) ++ StreamWarnings.of(branch.clause) ++
      branch.stream.toSeq.flatMap(_.warnings)

  // Its place in a plan

  private lazy val keys: Seq[Expression] = clause.partitionSpec.map(GroupingKey.normalize)

  override def requiredChildDistribution: Seq[Distribution] = {
    // Spark expects a task for every store in every batch; a constant sends all rows to one.
    val clustering = if (keys.isEmpty) Seq(Literal(0)) else keys
    val ofInput =
      StatefulOperatorPartitioning.getCompatibleDistribution(clustering, getStateInfo, conf)
    Seq(ofInput, UnspecifiedDistribution)
  }

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = Seq(Nil, Nil)

  // Its part in a streaming query

  override def shortName: String = StreamMetrics.OperatorName

  override def produceOutputWatermark(inputWatermarkMs: Long): Option[Long] =
    branches
      .filter(_.stream.exists(_.carriesWatermark))
      .flatMap(_.clause.bound.map(OutputWatermark.of(_, inputWatermarkMs)))
      .minOption

  override def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    StreamMetrics.texts(counted).map { case (name, text) =>
      StatefulOperatorCustomSumMetric(name, text)
    } :+
      OldestLateRow

  override def getProgress(): StateOperatorProgress = {
    longMetric(StreamMetrics.StalledBatches).set(note())
    super.getProgress()
  }

  /** Reports to the [[WatermarkWatch]]; micro-batches with rows since the watermark has moved. */
  private def note(): Long = {
    val info = getStateInfo
    WatermarkWatch.note(
      info.queryRunId,
      info.operatorId,
      WatermarkWatch.Observation(
        info.storeVersion,
        batch.timestampMs.getOrElse(0L),
        batch.evictionMs.getOrElse(0L),
        longMetric(StreamMetrics.ReceivedRows).value,
        longMetric(
          if (inOrderOfArrival) StreamMetrics.Keys else StreamMetrics.PendingRows
        ).value,
        inOrderOfArrival
      )
    )
  }

  private def keySchema = StateLayout.keySchema(keys.zipWithIndex.map { case (key, i) =>
    s"key${i + 1}" -> key.dataType
  })

  /** What is logged when a query starts. */
  def startWarnings: Seq[String] = warnings ++ branches
    .zip(program.perClause)
    .flatMap { case (branch, streamed) =>
      UnboundedStateCheck.warnings(branch.clause, streamed.isBounded, streamed.endless)
    }
    .distinct

  /** On the driver, once for each start of a query. */
  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = {
    CheckpointFile.checkEncoding(session.sessionState.conf)
    val started = description.copy(session = SessionSettings.values)
    new CheckpointFile(getStateInfo, hadoopConf).checkAndWrite(started, isNew = batchId == 0)
    logWarnings(startWarnings)
    LateRowsLog.watch(session.sparkContext)
    val schema = StateStoreColFamilySchema(
      StateStore.DEFAULT_COL_FAMILY_NAME,
      0,
      keySchema,
      0,
      StateLayout.valueSchema
    )
    List(
      StateSchemaCompatibilityChecker.validateAndMaybeEvolveStateSchema(
        getStateInfo,
        hadoopConf,
        List(schema),
        session.sessionState,
        stateSchemaVersion
      )
    )
  }

  private def description: CheckpointDescription =
    CheckpointFile.describe(streams, program, child.output, session)

  override protected def compiled: TaskProgram = program.task

  @transient private lazy val program: StreamProgram = StreamProgram.of(
    specs,
    // Matches of a clause below are returned behind the batch's watermark.
    batch.lateMicros(
      inOrderOfArrival &&
        !child.exists(_.isInstanceOf[StreamMatchRecognizeExec])
    ),
    batch.readyMicros,
    inOrderOfArrival,
    batch.isRealTime
  )

  /** Ends a task: commits its state for the next batch. */
  private def finish(store: StateStore): Unit = {
    longMetric("commitTimeMs") += timeTakenMs(store.commit())
    setStoreMetrics(store)
    setOperatorMetrics()
  }

  override protected def doExecute(): RDD[InternalRow] = {
    // Whatever the optimizer makes of this micro-batch: other state would be misread. The settings
    // of a query that runs are its sinks' too, which may change them.
    val (info, found) = (getStateInfo, description)
    val written = StreamMatchRecognizeExec.written
    found.check(written.getOrElseUpdate(info.queryRunId, info.operatorId, found))
    val taskProgram = program
    val taskMetrics = new StreamMetrics(longMetric, counted)
    val schema = keySchema
    child
      .execute()
      .mapPartitionsWithStateStore[InternalRow](
        info,
        schema,
        StateLayout.valueSchema,
        NoPrefixKeyStateEncoderSpec(schema),
        session.sessionState,
        Some(StateStores.coordinator(session))
      ) { case (store: StateStore, rows: Iterator[InternalRow]) =>
        val resources = new TaskResources(TaskContext.get(), _ => ())
        val task = StreamTasks.of(
          taskProgram,
          rows,
          new StoreTable(store),
          resources,
          TaskContext.getPartitionId(),
          taskMetrics,
          () => finish(store)
        )
        // A join reads nothing here where its other input is empty, but the rows of the batch are
        // part of the state. One that has begun to read goes on to the end.
        resources.onSuccess(() => if (!task.hasBegun) task.foreach(_ => ()))
        task
      }
  }
}

private object StreamMatchRecognizeExec {

  /** What describes the state that a run has written. */
  val written = new PerRun[CheckpointDescription]
}

/**
 * What Spark's planning of a batch tells a stateful operator.
 *
 * @param isRealTime
 *   whether the batch is one of Real-Time Mode, which reads rows for minutes
 */
final case class StreamBatch(
    isRealTime: Boolean,
    stateInfo: Option[StatefulOperatorStateInfo] = None,
    timestampMs: Option[Long] = None,
    lateMs: Option[Long] = None,
    evictionMs: Option[Long] = None
) {

  /** The batch's watermark, in microseconds. */
  def readyMicros: Long = evictionMs.getOrElse(0L) * 1000L

  /**
   * The time up to which rows are late, in microseconds.
   *
   * @param atOnce
   *   whether rows are late up to the batch's watermark, so that what it decides is known before a
   *   row is read; else up to that of the batch before
   */
  def lateMicros(atOnce: Boolean): Long =
    if (atOnce) readyMicros else lateMs.getOrElse(0L) * 1000L
}

/** In the progress of a query, how late the oldest late row was. */
private object OldestLateRow extends StatefulOperatorCustomMetric {
  override val name: String = StreamMetrics.OldestLateMs
  override val desc: String = "milliseconds from the oldest late row to the watermark"
  override def createSQLMetric(context: SparkContext): SQLMetric = PeakMetric.of(context, desc)
}

/** The second child that the stateful operator's superclass requires: no rows, never run. */
private final case class NoInitialStateExec(output: Seq[Attribute]) extends LeafExecNode {
  override protected def doExecute(): RDD[InternalRow] = sparkContext.emptyRDD[InternalRow]
}
