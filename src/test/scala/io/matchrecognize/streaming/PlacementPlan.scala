package io.matchrecognize.streaming

import java.sql.Timestamp

import org.apache.spark.sql.DataFrame

import io.matchrecognize.fuzz.FuzzSettings

/** A row of both streams of a placement plan. */
final case class PlacedRow(k: String, ts: Timestamp, v: Int)

/** A row between operators of a plan: a clause may return no value. */
final case class PassedRow(k: String, ts: Timestamp, v: Option[Int])

/**
 * An operator of a plan. All of them read and return the columns k, ts and v, so that any of them
 * can follow any other.
 *
 * @param kind
 *   its name in the coverage
 * @param text
 *   what is shown of it, given the names of its inputs; a statement unless `frame` is set
 * @param isClause
 *   whether it has MATCH_RECOGNIZE
 * @param isStateful
 *   whether it is one of Spark's own stateful operators
 * @param isAggregate
 *   whether it is one of those that complete mode asks for
 * @param versionKey
 *   if it returns a new version of a row whenever that row changes: the columns that stay
 * @param marks
 *   whether `ts` has a watermark, given that of the inputs
 */
final case class PlanOperator(
    kind: String,
    text: Seq[String] => String,
    frame: Option[Seq[DataFrame] => DataFrame] = None,
    isClause: Boolean = false,
    isStateful: Boolean = false,
    isAggregate: Boolean = false,
    versionKey: Option[Seq[String]] = None,
    marks: Seq[Boolean] => Boolean = _.forall(identity)
)

/** A relation of a plan. Equal ones are one view, which is read more than once. */
sealed trait PlanNode {
  def inputs: Seq[PlanNode]
  def isMarked: Boolean

  /** This node and all below it, inputs first, each as often as it is read. */
  final def all: Seq[PlanNode] = inputs.flatMap(_.all) :+ this

  final def operators: Seq[PlanOperator] = all.collect { case node: OperatorNode => node.operator }

  final def hasClause: Boolean = operators.exists(_.isClause)

  /** The nodes that a clause reads, directly or not. */
  final def belowClauses: Seq[PlanNode] =
    all.filter(_.isClause).flatMap(_.inputs).distinct.flatMap(_.all)

  /** The nodes that read a clause, directly or not. */
  final def aboveClauses: Seq[PlanNode] = all.filter(_.inputs.exists(_.hasClause))

  final def isClause: Boolean = this match {
    case OperatorNode(operator, _) => operator.isClause
    case _ => false
  }
}

/**
 * A source with what prepares it.
 *
 * @param stream
 *   `s` or `r`
 * @param prepare
 *   given the rows and the delay of the watermark
 */
final case class SourceNode(
    kind: String,
    stream: String,
    text: String,
    isMarked: Boolean,
    isStateful: Boolean,
    prepare: (DataFrame, String) => DataFrame
) extends PlanNode {
  override def inputs: Seq[PlanNode] = Nil
}

final case class OperatorNode(operator: PlanOperator, inputs: Seq[PlanNode]) extends PlanNode {
  override lazy val isMarked: Boolean = operator.marks(inputs.map(_.isMarked))

  // Trees share their nodes, and a plan is looked up by them.
  override lazy val hashCode: Int = (operator, inputs).hashCode
}

/**
 * How a plan is run.
 *
 * @param isStatement
 *   whether its relations above the sources are in the WITH list of one statement; where an
 *   operator is not SQL each relation is a view
 * @param isAvailableNow
 *   whether each micro-batch is a query of its own, with Trigger.AvailableNow
 * @param space
 *   settings that must not change results, except those that another field determines
 */
final case class PlanSettings(
    mode: String = "append",
    delay: Int = 3,
    reusesExchange: Boolean = true,
    allowsMultiple: Boolean = true,
    isRocksDb: Boolean = false,
    isAdaptive: Boolean = true,
    isCompiled: Boolean = false,
    isStatement: Boolean = false,
    isAvailableNow: Boolean = false,
    defaultWatermark: Boolean = false,
    restartBefore: Option[Int] = None,
    space: FuzzSettings = FuzzSettings.plain
)

/**
 * The rows of one micro-batch; empty ones are a micro-batch too.
 *
 * @param s
 *   of the first stream
 * @param r
 *   of the second stream
 */
final case class PlanArrivals(s: Seq[PlacedRow], r: Seq[PlacedRow]) {
  def of(stream: String): Seq[PlacedRow] = if (stream == "s") s else r
  def size: Int = s.size + r.size

  /** The same rows in two micro-batches, of one stream each. */
  def inTurn: Seq[PlanArrivals] = Seq(copy(r = Nil), copy(s = Nil))
}

/** A streaming query with its rows. */
final case class PlacementPlan(
    root: PlanNode,
    settings: PlanSettings,
    arrivals: Seq[PlanArrivals],
    limit: Option[Int] = None
) {
  import PlacementPlan._

  def streams: Seq[String] = root.all.collect { case source: SourceNode => source.stream }.distinct

  /** All rows of a stream, the last ones included. */
  def rows(stream: String): Seq[PlacedRow] =
    arrivals.flatMap(_.of(stream)) ++ Finals

  /** The columns by which a sink in update mode keeps the last version of a row, if there are. */
  def versionKey: Option[Seq[String]] = root match {
    case OperatorNode(operator, _) => operator.versionKey
    case _: SourceNode => None
  }

  /** Whether it runs as one statement. */
  def isStatement: Boolean =
    settings.isStatement && root.operators.nonEmpty && root.operators.forall(_.frame.isEmpty)

  /** The kinds of the coverage. */
  def below: Set[String] = named(root.belowClauses)
  def above: Set[String] = {
    val kinds = named(root.aboveClauses) ++ limit.map(_ => Kinds.Limit)
    if (kinds.isEmpty) Set(Kinds.Nothing) else kinds
  }

  private def named(nodes: Seq[PlanNode]): Set[String] = nodes.collect {
    case OperatorNode(operator, _) => operator.kind
    case source: SourceNode => source.kind
  }.toSet

  /** The plan as a text from which it can be repeated by hand. */
  override def toString: String = {
    val batches = arrivals.zipWithIndex.map { case (batch, i) =>
      val restart = if (settings.restartBefore.contains(i)) " after a restart" else ""
      s"micro-batch $i$restart: s ${shown(batch.s)}" +
        (if (streams.contains("r")) s"; r ${shown(batch.r)}" else "")
    }
    val top = limit.map(n => s"result = the first $n rows of v${views(root).size}")
    (shown(settings) +: (batches ++ views(root).map(_._2) ++ top)).mkString("\n")
  }

  private def shown(settings: PlanSettings): String = {
    val others = settings.productElementNames.zip(settings.productIterator).collect {
      case (name, value) if value != settings.space => s"$name $value"
    }
    s"${settings.space}\n${others.mkString(", ")}"
  }

  private def shown(rows: Seq[PlacedRow]): String =
    rows.map(row => s"${row.k}${row.v}@${seconds(row.ts)}").mkString(" ")
}

object PlacementPlan {

  /** The key of the rows that arrive last; they move the watermark and are not compared. */
  final val FinalKey = "z"

  /** One after the other, each in a micro-batch of its own. */
  val Finals: Seq[PlacedRow] =
    Seq(3600, 7200).map(second => PlacedRow(FinalKey, Event.at(second.toDouble), 1))

  private def seconds(time: Timestamp): Long = (time.getTime - Event.at(0).getTime) / 1000

  /** Each relation once, inputs first, with its text; the name is its index. */
  def views(root: PlanNode): Seq[(PlanNode, String)] = {
    val nodes = root.all.distinct
    val names = nodes.zipWithIndex.map { case (node, i) => node -> s"v${i + 1}" }.toMap
    nodes.map { node =>
      val text = node match {
        case source: SourceNode => source.text
        case OperatorNode(operator, inputs) => operator.text(inputs.map(names))
      }
      node -> s"${names(node)} = $text"
    }
  }

  /** Plans slightly smaller than a given one; some of them are not meaningful. */
  def smaller(plan: PlacementPlan): Iterator[PlacementPlan] = {
    val settings = plan.settings
    val plain = PlanSettings(settings.mode, settings.delay)
    val settled = Iterator(
      plain,
      settings.copy(restartBefore = None),
      settings.copy(isRocksDb = false),
      settings.copy(isCompiled = false),
      settings.copy(isStatement = false),
      settings.copy(isAvailableNow = false),
      settings.copy(allowsMultiple = true),
      settings.copy(reusesExchange = false),
      settings.copy(mode = "append")
    ).concat(settings.space.smaller.map(s => settings.copy(space = s)))
      .filter(_ != settings)
      .map(s => plan.copy(settings = s))
    val nodes = smallerNodes(plan.root).filter(_.hasClause).map(root => plan.copy(root = root))
    val unlimited = Iterator(plan.copy(limit = None)).filter(_ != plan)
    val fewer = plan.arrivals.indices.iterator.filter(_ => plan.arrivals.size > 1).map { i =>
      plan.copy(
        arrivals = plan.arrivals.patch(i, Nil, 1),
        settings = settings.copy(restartBefore = None)
      )
    }
    nodes ++ unlimited ++ settled ++ fewer
  }

  private def smallerNodes(node: PlanNode): Iterator[PlanNode] = node match {
    case OperatorNode(operator, inputs) =>
      inputs.iterator ++ inputs.indices.iterator.flatMap { i =>
        smallerNodes(inputs(i)).map(n => OperatorNode(operator, inputs.updated(i, n)))
      }
    case source: SourceNode =>
      val plain = PlanOperators.stream("s")
      if (source.kind == plain.kind && source.stream == plain.stream) Iterator.empty
      else Iterator(plain)
  }
}
