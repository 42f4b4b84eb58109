package io.matchrecognize.streaming

import scala.util.Random

import io.matchrecognize.fuzz.FuzzSettings
import io.matchrecognize.streaming.PlanOperators._

/**
 * Random placement plans. The number of a plan chooses one kind below the clause and one above it,
 * in turn, so that few plans have all kinds and many have all pairs; the rest is drawn.
 */
object PlacementGenerator {
  import Kinds.Clause

  type Unary = PlanNode => PlanNode

  /** What a clause may read, from a source on. */
  val belowKinds: Seq[String] = Seq(
    "stream",
    "filter",
    "projection",
    "renamed time",
    "distinct",
    "dropDuplicates",
    "dropDuplicatesWithinWatermark",
    "tumbling window",
    "inner stream join",
    "left stream join",
    "static join",
    "EXISTS",
    "names exchanged",
    "union of streams",
    "read twice",
    Clause,
    "withWatermark twice",
    "flatMapGroupsWithState",
    "transformWithState",
    "cte read twice",
    "no watermark",
    "group state before the watermark",
    "distinct before the watermark",
    Kinds.Mixed
  )

  /** What may read a clause. */
  val aboveKinds: Seq[String] = Seq(
    Kinds.Nothing,
    "filter",
    "key filter",
    "tumbling window",
    "sliding window",
    Kinds.Session,
    Kinds.Aggregate,
    "distinct",
    "dropDuplicates",
    "dropDuplicatesWithinWatermark",
    "clause joins stream",
    "stream joins clause",
    "clause left-joins stream",
    "stream left-joins clause",
    "static left join",
    "NOT EXISTS",
    "scalar subquery",
    "join with a clause over a table",
    "union of two clauses",
    "union of three clauses",
    "join of clauses",
    "left join of clauses",
    Clause,
    "three clauses in a row",
    "withWatermark above",
    "withWatermark on another column",
    Kinds.Limit,
    "cte read twice",
    "transformWithState"
  )

  val modes: Seq[String] = Seq("append", "update", "complete")

  /** The numbers of kinds have no common factor, so all pairs are made in turn. */
  def random(seed: Long, number: Int): PlacementPlan = {
    val below = belowKinds(number % belowKinds.size)
    val above = aboveKinds(number % aboveKinds.size)
    val (draws, joins) = (seed * 1000003L + number, seed * 1000033L - number)
    val plan = new PlacementGenerator(new Random(draws), new Random(joins)).plan(below, above)
    val space = FuzzSettings.random(new Random(seed * 1000003L - number - 1))
    plan.copy(settings = plan.settings.copy(space = space))
  }
}

/**
 * @param joins
 *   for the conditions of joins
 */
final class PlacementGenerator(random: Random, joins: Random) {
  import PlacementGenerator._

  private def pick[T](options: T*): T = options(random.nextInt(options.size))
  private def oneIn(n: Int): Boolean = random.nextInt(n) == 0

  def plan(below: String, above: String): PlacementPlan = {
    val base = if (oneIn(6)) pick(plainUnary(input(below)), input(below)) else input(below)
    val reading = core(base, above)
    val root = if (oneIn(6)) top(reading) else reading
    val drawn = settings(root, below)
    val fitting = fit(root, drawn)
    val drawnRows = PlacementRows.arrivals(random, drawn.delay)
    val arrivals = if (below == Kinds.Mixed) drawnRows.flatMap(_.inTurn) else drawnRows
    val restart = Option.when(oneIn(4))(1 + random.nextInt(arrivals.size))
    val limit = Option.when(above == Kinds.Limit)(1 + random.nextInt(6))
    PlacementPlan(root, fitting.copy(restartBefore = restart), arrivals, limit)
  }

  // Below

  private def input(kind: String): PlanNode = {
    val s = if (oneIn(8)) renamed("s") else stream("s")
    kind match {
      case "stream" => stream("s")
      case "renamed time" => renamed("s")
      case "no watermark" => withoutWatermark("s")
      case "group state before the watermark" => groupStateFirst("s")
      case "distinct before the watermark" => distinctFirst("s")
      case "inner stream join" => joined(kind, s, otherStream(s), isOuter = false)
      case "left stream join" => joined(kind, s, otherStream(s), isOuter = true)
      case Kinds.Mixed =>
        val forms = random.shuffle(mixedForms).take(2)
        OperatorNode(mixedUnion(forms), Seq("s", "r").map(withoutWatermark))
      case "union of streams" => unionOf(kind, Seq(s, otherStream(s)))
      case other => unary(other)(s)
    }
  }

  private def otherStream(s: PlanNode): PlanNode = if (oneIn(4)) s else stream("r")

  private def unary(kind: String): Unary = {
    def of(operator: PlanOperator): Unary = x => OperatorNode(operator, Seq(x))
    kind match {
      // The closing row passes: Spark filters below the watermark, which would not move without it.
      case "filter" => of(filter(pick("v <> 2", "k <> 'b'", "v > 0 AND k <> 'b'")))
      // Above a clause, which lets no filter pass.
      case "key filter" =>
        val conditions = Seq("k = 'a'", "k IN ('a', 'b')", "k IN (SELECT k FROM names WHERE w < 2)")
        of(filter(pick(conditions: _*)).copy(kind = kind))
      case "projection" => of(projection)
      case "distinct" => of(distinct)
      case "dropDuplicates" => of(dropDuplicates)
      case "dropDuplicatesWithinWatermark" => of(dropDuplicatesWithin)
      case "tumbling window" => of(tumbling)
      case "sliding window" => of(sliding)
      case Kinds.Session => of(session)
      case Kinds.Aggregate => of(aggregate)
      case "static join" => of(staticJoin)
      case "static left join" => of(staticLeftJoin)
      case "EXISTS" => of(exists)
      case "NOT EXISTS" => of(notExists)
      case "scalar subquery" => of(scalarSubquery)
      case "join with a clause over a table" => of(clauseOverTable)
      case "names exchanged" => of(exchanged)
      case "read twice" => of(twice)
      case "cte read twice" => of(cteTwice)
      case "flatMapGroupsWithState" => of(grouped)
      case "transformWithState" => of(transformed)
      case Kinds.Clause => x => of(clause(x))(x)
      case other =>
        of(if (hasWatermarkClause && oneIn(2)) watermarkInSql(other) else watermark(other))
    }
  }

  private def plainUnary(x: PlanNode): PlanNode =
    unary(
      pick("filter", "projection", "static join", "names exchanged", "distinct", Kinds.Clause)
    )(x)

  private def clause(x: PlanNode): PlanOperator =
    ClauseGenerator.random(random, isTimed = x.isMarked && !oneIn(6))

  private def oneClause(x: PlanNode): PlanNode = unary(Kinds.Clause)(x)

  // An outer join loses rows of its left input that have no watermark, without any clause.
  private def leftOfOuter(x: PlanNode): PlanNode =
    OperatorNode(ClauseGenerator.random(random, isTimed = true), Seq(x))

  // Above

  private def core(x: PlanNode, above: String): PlanNode = above match {
    case Kinds.Nothing | Kinds.Limit => oneClause(x)
    case "clause joins stream" => joined(above, oneClause(x), someStream(x), isOuter = false)
    case "stream joins clause" => joined(above, someStream(x), oneClause(x), isOuter = false)
    case "clause left-joins stream" => joined(above, leftOfOuter(x), someStream(x), isOuter = true)
    case "stream left-joins clause" => joined(above, someStream(x), oneClause(x), isOuter = true)
    case "union of two clauses" => unionOf(above, Seq.fill(2)(oneClause(x)))
    case "union of three clauses" => unionOf(above, Seq.fill(3)(oneClause(x)))
    case "join of clauses" => joined(above, oneClause(x), oneClause(x), isOuter = false)
    case "left join of clauses" => joined(above, leftOfOuter(x), oneClause(x), isOuter = true)
    case "three clauses in a row" =>
      val lower = oneClause(oneClause(x))
      OperatorNode(clause(lower).copy(kind = above), Seq(lower))
    case "withWatermark on another column" =>
      // Its time is a measure without watermark.
      val untimed = OperatorNode(ClauseGenerator.random(random, isTimed = false), Seq(x))
      unary(above)(untimed)
    case kind => unary(kind)(oneClause(x))
  }

  private def someStream(x: PlanNode): PlanNode = x match {
    case _: SourceNode if oneIn(3) => x
    case _ => stream(pick("r", "r", "s"))
  }

  private def top(x: PlanNode): PlanNode = unary(
    pick(
      "filter",
      "projection",
      "distinct",
      "tumbling window",
      Kinds.Aggregate,
      Kinds.Clause,
      "withWatermark above",
      "read twice"
    )
  )(x)

  private def joined(kind: String, x: PlanNode, y: PlanNode, isOuter: Boolean): PlanNode = {
    // Without a clause Spark's own operators lose rows.
    def isJudged(node: PlanNode): Boolean = node.isMarked || node.hasClause
    val isMarked = x.isMarked && isJudged(y) && (y.isMarked || joins.nextBoolean())
    val isEqual = isJudged(x) && isJudged(y) && joins.nextInt(3) == 0
    OperatorNode(join(kind, isOuter, isMarked, isEqual), Seq(x, y))
  }

  private def unionOf(kind: String, inputs: Seq[PlanNode]): PlanNode = {
    // Rows of an input without watermark are late where others have one, without any clause.
    val marks = inputs.map(_.isMarked)
    val unmarked =
      if (marks.distinct.size == 2) marks.indices.filter(marks).toSet else Set.empty[Int]
    OperatorNode(union(kind, unmarked), inputs)
  }

  // Settings

  private def settings(root: PlanNode, below: String): PlanSettings = PlanSettings(
    mode = root match {
      case OperatorNode(operator, _) if operator.kind == Kinds.Aggregate =>
        pick("update", "complete", "update", "complete", "append")
      case OperatorNode(operator, _) if operator.kind == Kinds.Session =>
        pick("append", "append", "complete", "update")
      case OperatorNode(operator, _) if operator.isAggregate =>
        pick("append", "update", "complete")
      case _ if root.operators.exists(_.isAggregate) => pick("append", "update", "complete")
      case _ if oneIn(20) => "complete"
      case _ => pick("append", "append", "append", "update")
    },
    // Without a delay a row that ties with the last one of an earlier micro-batch is late.
    delay = pick(1, 3, 3, 8),
    reusesExchange = !oneIn(4),
    allowsMultiple = !oneIn(4),
    isRocksDb = oneIn(4),
    isAdaptive = random.nextBoolean(),
    isCompiled = oneIn(8),
    isStatement = oneIn(3),
    isAvailableNow = oneIn(4),
    defaultWatermark = below == "no watermark" && !oneIn(3)
  )

  /** Turns off what Spark gets wrong without any clause, or what it cannot run. */
  private def fit(root: PlanNode, drawn: PlanSettings): PlanSettings = {
    val stateful = root.all.collect {
      case OperatorNode(operator, _) if operator.isStateful => operator.kind
      case source: SourceNode if source.isStateful => source.kind
    }
    // One watermark for all: the upper of two operators drops the rows of the lower one as late.
    val isSingleSafe = stateful.size < 2
    val inner = root.inputs.flatMap(_.all)
    val versions = inner.exists(n => hasVersions(n) && n.inputs.exists(_.hasClause))
    drawn.copy(
      allowsMultiple = drawn.allowsMultiple || !isSingleSafe,
      isRocksDb = drawn.isRocksDb || stateful.contains("transformWithState"),
      // A sink cannot take back what an operator made of an earlier version of a row.
      mode = if (versions) "append" else drawn.mode
    )
  }

  private def hasVersions(node: PlanNode): Boolean = node match {
    case OperatorNode(operator, _) => operator.versionKey.isDefined
    case _ => false
  }
}

/** Random rows of the two sources of placement plans, in micro-batches. */
object PlacementRows {
  def arrivals(random: Random, delay: Int): Seq[PlanArrivals] = {
    val batches = 2 + random.nextInt(2)
    val cut = Vector.fill(batches)(if (random.nextInt(6) == 0) 0 else 1 + random.nextInt(3))
    def split(rows: Seq[PlacedRow]): Seq[Seq[PlacedRow]] = {
      val ends = cut.scanLeft(0)(_ + _).map(_ * rows.size / cut.sum.max(1))
      ends.zip(ends.tail).map { case (from, until) => rows.slice(from, until) }
    }
    val (s, r) = (rows(random, 10 + random.nextInt(8), delay), rows(random, 8, delay))
    split(s).zip(split(r)).map { case (x, y) => PlanArrivals(x, y) }
  }

  /** In an order in which no row is older than an earlier one by the delay. */
  private def rows(random: Random, count: Int, delay: Int): Seq[PlacedRow] = {
    val drawn = Seq.fill(count) {
      PlacedRow(
        Seq("a", "a", "b")(random.nextInt(3)),
        Event.at(random.nextInt(30).toDouble),
        random.nextInt(4)
      )
    }
    val copies = drawn.filter(_ => random.nextInt(6) == 0)
    (drawn ++ copies)
      .map(row => row -> (row.ts.getTime + (random.nextDouble() * delay * 1000).toLong))
      .sortBy(_._2)
      .map(_._1)
  }
}
