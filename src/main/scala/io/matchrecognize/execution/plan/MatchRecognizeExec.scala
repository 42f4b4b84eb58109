package io.matchrecognize.execution.plan

import scala.annotation.tailrec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, ShuffleQueryStageExec}
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeExec}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.internal.SQLConf

import io.matchrecognize.conf.MatchRecognizeConf
import io.matchrecognize.execution.compile.{SearchOptions, TaskProgram}
import io.matchrecognize.execution.search.{MatchMetrics, PartitionLoop, TaskRows}
import io.matchrecognize.execution.shuffle.BlockReadExec
import io.matchrecognize.execution.sort.SortSpec
import io.matchrecognize.expressions.LiteralTexts
import io.matchrecognize.pattern.AfterMatchSkip
import io.matchrecognize.plans._
import io.matchrecognize.plans.advice.{ClauseWarnings, Lookback}

/**
 * Runs MATCH_RECOGNIZE on a table (ISO/IEC 9075-2, row pattern recognition), or several clauses
 * over one input.
 *
 * Input: rows clustered by PARTITION BY; a `SortingBuffer` sorts them by it and ORDER BY if they
 * are not. Output: one row per match, or the rows of each match; within a partition by match, then
 * by row, with unmatched rows in between.
 *
 *   - Partitions are searched one at a time and lazily, as rows are requested.
 *   - Any sort order of the PARTITION BY keys will do: that of a sorted child is kept.
 *   - No PARTITION BY: one partition of all rows. No ORDER BY: rows are in the child's order.
 *   - Ties in ORDER BY are in the child's order, as in a window function; a `SortExec` in between
 *     may change it.
 *   - An empty input has no partition and no match, not even an empty one.
 *   - WITHIN bounds how far a match from a start row may reach; see [[WithinLimit]].
 *
 * The rows of a partition are held in a [[RowStore]], which spills; the open paths of a search are
 * bounded by confs. The strategy that makes this node is pure; everything is compiled in
 * `doExecute` and in the tasks.
 *
 * @param branches
 *   the clauses, with equal PARTITION BY and ORDER BY; a partition is searched for the matches of
 *   one after the other
 * @param ownSort
 *   whether this node may sort its input; otherwise it requires a sorted child
 * @param search
 *   which searches may be used; tests compare them
 */
final case class MatchRecognizeExec(
    branches: Seq[ClauseBranch],
    output: Seq[Attribute],
    ownSort: Boolean,
    child: SparkPlan,
    search: SearchOptions = SearchOptions.table
) extends UnaryExecNode
    with PatternClauseExec {

  import clause.{orderSpec, partitionSpec}

  override def requiredChildDistribution: Seq[Distribution] =
    PatternClauseExec.requiredDistribution(partitionSpec, child.outputPartitioning) :: Nil

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(if (sortsInput) Nil else searchOrder)

  /** The order in which rows are searched. */
  private def searchOrder: Seq[SortOrder] = partitionOrder ++ orderSpec

  // Asked again whenever a rule replaces the child. So the rows are sorted here unless the child
  // that runs says that they are, whatever the child was when the sort was planned. The order of a
  // child that will be shuffled is of no use.
  private def sortsInput: Boolean = ownSort && !(
    SortOrder.orderingSatisfies(child.outputOrdering, searchOrder) &&
      requiredChildDistribution.forall(child.outputPartitioning.satisfies)
  )

  // The rows of a partition have to be adjacent, in no certain order: a child that is sorted by the
  // PARTITION BY keys, in any order of keys and directions, need not be sorted again. A key that is
  // repeated, also after its alias is removed, is one key: as two it would let the child's next
  // order pass for one of a key.
  private def partitionOrder: Seq[SortOrder] = {
    val keys = partitionSpec.distinctBy(_.canonicalized)
    val present = child.outputOrdering.take(keys.length)
    val isPermutation = present.length == keys.length &&
      keys.forall(key => present.exists(_.child.semanticEquals(key)))
    if (isPermutation) present else keys.map(SortOrder(_, Ascending))
  }

  override def outputOrdering: Seq[SortOrder] =
    (clause.rowsPerMatch, clause.afterMatchSkip) match {
      case (RowsPerMatch.AllRows(_), AfterMatchSkip.PastLastRow) =>
        searchOrder.takeWhile(_.references.subsetOf(outputSet))
      case (RowsPerMatch.EachRow(_), _) => searchOrder
      case _ => Nil
    }

  override lazy val metrics: Map[String, SQLMetric] = MatchMetrics.create(sparkContext, counted)

  // Spark plans this node again whenever a stage is finished, and writes each of the plans.
  @transient private lazy val shared: CompiledClauses = {
    val texts = LiteralTexts(branches: _*)
    val key = (branches, texts, child.output, search, SQLConf.get.getAllConfs)
    clause.once(branches.map(_.clause), key) {
      new CompiledClauses(TaskProgram.compiled(specs, search)._1, specs.map(_.clause))
    }
  }

  private[execution] def program: TaskProgram = shared.program

  override protected def compiled: TaskProgram = program

  override protected def doExecute(): RDD[InternalRow] = {
    logWarnings(warnings)
    val (task, taskMetrics) = (program, new MatchMetrics(longMetric, counted.length))
    val sort = Option.when(sortsInput) {
      // Other expressions of the same order are of use to plans alone. First patches of Spark's minors
      // have them in lists that are not computed yet, which cannot be sent to tasks.
      val sent = partitionOrder.map(_.copy(sameOrderExpressions = Nil))
      SortSpec(child.output, partitionSpec, sent, orderSpec)
    }
    child match {
      case read: BlockReadExec if sort.isDefined =>
        val spec = sort.get
        read.blocks().mapPartitionsWithIndex { (index, blocks) =>
          val rows = TaskRows.ofBlocks(task, spec, blocks, taskMetrics)
          PartitionLoop(task, rows, index, taskMetrics)
        }
      case _ =>
        child.execute().mapPartitionsWithIndex { (index, input) =>
          val rows = TaskRows.of(task, sort, input, taskMetrics)
          PartitionLoop(task, rows, index, taskMetrics)
        }
    }
  }

  override def nodeName: String = operatorName

  // The tooltip of the node in the SQL tab, among others.
  override def simpleString(maxFields: Int): String = {
    val what = if (isUnion) sharing else s"${clause.line}, ${program.clause.engine}"
    s"$operatorName $what${if (sortsInput) ", own sort" else ""}"
  }

  override def verboseStringWithOperatorId(): String = {
    val input = Seq("Shuffle" -> shuffleLine(child), "Sort" -> sortLine)
    clauseLines(i => input ++ shared.lines(i))
  }

  private def sortLine: String =
    if (sortsInput) searchOrder.mkString("own, [", ", ", "]")
    else if (ownSort) "none, the rows arrive in order"
    else s"below, as ${MatchRecognizeConf.Sort.key} says"

  @tailrec
  private def shuffleLine(input: SparkPlan): String = input match {
    case _: BlockReadExec => "in blocks"
    case _: ShuffleExchangeExec => "row by row"
    case stage: ShuffleQueryStageExec => shuffleLine(stage.plan)
    case reused: ReusedExchangeExec => shuffleLine(reused.child)
    case _: AQEShuffleReadExec | _: SortExec | _: WholeStageCodegenExec | _: InputAdapter =>
      shuffleLine(input.children.head)
    case _ => "none for this clause"
  }

  override protected def withNewChildInternal(newChild: SparkPlan): MatchRecognizeExec =
    copy(child = newChild)
}

/** @param clauses those of the program */
private final class CompiledClauses(val program: TaskProgram, clauses: Seq[PatternClause]) {

  /** For EXPLAIN FORMATTED, by clause; only those of the first clauses are shown. */
  val lines: LazyList[Seq[(String, String)]] =
    LazyList.from(clauses.zip(program.clauses)).map { case (clause, compiled) =>
      Seq("Matcher" -> compiled.engine) ++
        compiled.conditions.deadlines.map("Deadline" -> _.text) ++
        Seq("Lookback" -> Lookback.of(clause, compiled.automaton).line) ++
        ClauseWarnings.of(clause).map("Warning" -> _)
    }
}

/**
 * Matches [[ClauseBranches]] on a table, and produces [[MatchRecognizeExec]]. Compiles nothing. A
 * [[MergedQuery]] adds no operator.
 */
object MatchRecognizeStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ClauseBranches(branches, output, child) if !plan.isStreaming =>
      val ownSort = SQLConf.get.getConf(MatchRecognizeConf.Sort) != "spark"
      MatchRecognizeExec(branches, output, ownSort, planLater(child)) :: Nil
    case MergedQuery(child) => planLater(child) :: Nil
    case _ => Nil
  }
}
