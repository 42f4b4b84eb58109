package io.matchrecognize.streaming

import java.sql.Timestamp

/**
 * Plans that once silently returned wrong rows or none, or whose right rows were taken for wrong,
 * with what they must do instead.
 *
 * @param condition
 *   how the plan is refused; without one it is equal to the table
 */
final case class KnownPlacement(name: String, plan: PlacementPlan, condition: Option[String])

object KnownPlacements {
  import PlanOperators._

  private def row(k: String, second: Int, v: Int): PlacedRow =
    PlacedRow(k, time(second), v)

  private def time(second: Int): Timestamp = Event.at(second.toDouble)

  private val arrivals = Seq(
    Seq(row("a", 1, 1), row("a", 2, 2), row("b", 2, 3), row("a", 4, 1)),
    Seq(row("b", 6, 0), row("a", 7, 2), row("a", 9, 3), row("b", 9, 3)),
    Seq(row("a", 12, 1), row("b", 14, 2), row("a", 15, 2), row("b", 15, 1))
  ).map(rows => PlanArrivals(rows, rows.map(r => r.copy(v = r.v + 1))))

  private def clause(pattern: String, rest: String = "WITHIN INTERVAL 5 SECONDS"): PlanOperator =
    PlanOperator(
      Kinds.Clause,
      x => s"""SELECT k, t AS ts, CAST(n AS INT) AS v FROM ${x.head} MATCH_RECOGNIZE (
        PARTITION BY k ORDER BY ts, v MEASURES MATCH_ROWTIME() AS t, COUNT(*) + LAST(v) AS n
        PATTERN ($pattern) $rest DEFINE A AS v >= 0)""",
      isClause = true,
      marks = marks => rest.nonEmpty && marks.forall(identity)
    )

  private val s = stream("s")
  private def over(x: PlanNode, operators: PlanOperator*): PlanNode =
    operators.foldLeft(x)((node, operator) => OperatorNode(operator, Seq(node)))
  private val one = over(s, clause("A"))
  private val two = over(s, clause("A A"))
  private val three = over(s, clause("A+ B"))
  private val untimed = over(s, clause("A", rest = ""))

  private def joined(x: PlanNode, y: PlanNode): PlanNode =
    OperatorNode(join("join of clauses", isOuter = false, isMarked = true), Seq(x, y))
  private def unionOf(inputs: PlanNode*): PlanNode = OperatorNode(union("union"), inputs)

  private def equal(name: String, root: PlanNode, mode: String = "append"): Seq[KnownPlacement] =
    Seq(true, false).map { reuses =>
      KnownPlacement(
        s"$name, ${if (reuses) "exchanges are reused" else "no exchange is reused"}",
        PlacementPlan(root, PlanSettings(mode, reusesExchange = reuses), arrivals),
        None
      )
    }

  private def refused(
      name: String,
      root: PlanNode,
      condition: String,
      settings: PlanSettings = PlanSettings()
  ): KnownPlacement = KnownPlacement(
    name,
    PlacementPlan(root, settings, arrivals),
    Some(s"MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.$condition")
  )

  private val sharedExchanges: Seq[KnownPlacement] = Seq(
    equal("two clauses over one stream", unionOf(one, two)),
    equal("three clauses over one stream", unionOf(one, two, three)),
    equal("a join of two clauses over one stream", joined(one, two)),
    equal("a clause over two over one stream", over(unionOf(one, two), clause("A A"))),
    equal("a clause that is read twice", over(two, cteTwice)),
    equal("a clause and its stream", joined(two, s)),
    equal("a window over two clauses", over(unionOf(one, two), tumbling)),
    equal("a window over two clauses in update mode", over(unionOf(one, two), tumbling), "update"),
    equal(
      "a count over two clauses in complete mode",
      over(unionOf(one, two), aggregate),
      "complete"
    )
  ).flatten

  // A row of two matches, which are returned by different micro-batches.
  private val repeated: PlanOperator = PlanOperator(
    Kinds.Clause,
    x => s"""SELECT k, t AS ts, CAST(n AS INT) AS v FROM ${x.head} MATCH_RECOGNIZE (
      PARTITION BY k ORDER BY ts, v MEASURES MATCH_ROWTIME() AS t, LAST(v) AS n
      ALL ROWS PER MATCH AFTER MATCH SKIP TO NEXT ROW
      PATTERN (A A) WITHIN INTERVAL 30 SECONDS DEFINE A AS v >= 0)""",
    isClause = true
  )

  private val unmatched: PlanOperator = PlanOperator(
    Kinds.Clause,
    x => s"""SELECT k, ts, CAST(n AS INT) AS v FROM ${x.head} MATCH_RECOGNIZE (
      PARTITION BY k ORDER BY ts, v MEASURES LAST(v) AS n ALL ROWS PER MATCH WITH UNMATCHED ROWS
      PATTERN (A A) WITHIN INTERVAL 5 SECONDS DEFINE A AS v > 1)""",
    isClause = true,
    marks = _ => false
  )

  private val repeatedRows: Seq[KnownPlacement] =
    equal("DISTINCT over a clause in update mode", over(s, repeated, distinct), "update").take(1)

  private val missingValues: Seq[KnownPlacement] = Seq(
    KnownPlacement(
      "transformWithState over rows in no match",
      PlacementPlan(over(s, unmatched, transformed), PlanSettings(isRocksDb = true), arrivals),
      None
    )
  )

  private val versions: Seq[KnownPlacement] = for {
    (name, below) <- Seq("a window" -> tumbling, "EXCEPT" -> except)
    // Spark takes EXCEPT for no aggregate, and refuses it in complete mode itself.
    mode <- if (name == "EXCEPT") Seq("update") else Seq("update", "complete")
  } yield refused(
    s"a clause over $name in $mode mode",
    over(s, below, clause("A A")),
    "OUTPUT_MODE",
    PlanSettings(mode)
  )

  private val watermarks: Seq[KnownPlacement] = Seq(
    refused(
      "a watermark above a clause",
      over(untimed, watermark("withWatermark above")),
      "SECOND_WATERMARK"
    ),
    refused(
      "a clause over a watermark above a clause",
      over(untimed, watermark("withWatermark above"), clause("A")),
      "SECOND_WATERMARK"
    ),
    refused(
      "a watermark above a function over groups above a clause",
      over(one, grouped, watermark("withWatermark above")),
      "SECOND_WATERMARK"
    ),
    refused(
      "a watermark above transformWithState above a clause",
      over(one, transformed, watermark("withWatermark above")),
      "SECOND_WATERMARK"
    ),
    refused(
      "a window over a watermark above a clause",
      over(untimed, watermark("withWatermark above"), tumbling),
      "SECOND_WATERMARK"
    )
  )

  private val single: Seq[KnownPlacement] =
    Seq(
      "a clause over a clause" -> over(one, clause("A A")),
      "a window over a clause" -> over(one, tumbling),
      "EXCEPT over a clause" -> over(one, except),
      "a clause over EXCEPT" -> over(s, except, clause("A A"))
    ).map { case (name, root) =>
      refused(
        s"$name, with one stateful operator allowed",
        root,
        "ONE_STATEFUL_OPERATOR",
        PlanSettings(allowsMultiple = false)
      )
    }

  // A match of the second clause may be returned long after its time, when a row of its key ends
  // it.
  private val awaiting = over(s, clause("B+", rest = "").copy(text = x => openText(x.head)))
  private def openText(x: String): String =
    s"""SELECT k, t AS ts, CAST(n AS INT) AS v FROM $x MATCH_RECOGNIZE (
      PARTITION BY k ORDER BY ts, v MEASURES MATCH_ROWTIME() AS t, COUNT(*) AS n
      PATTERN (B+) DEFINE B AS v > 0)"""
  private val late = Seq(
    Seq(row("a", 1, 1), row("a", 2, 1)),
    Seq(row("b", 40, 0)),
    Seq(row("a", 60, 0), row("b", 61, 0))
  ).map(rows => PlanArrivals(rows, rows))

  private val mixed: Seq[KnownPlacement] =
    Seq("a window" -> tumbling, "a clause" -> clause("A")).map { case (name, above) =>
      KnownPlacement(
        s"$name over a union of clauses with WITHIN and without",
        PlacementPlan(over(unionOf(one, awaiting), above), PlanSettings(), late),
        Some("MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.MIXED_WATERMARKS")
      )
    }

  // A match without WITHIN ends long after the row of the other stream.
  private val untimedJoins: Seq[KnownPlacement] = {
    def joinOf(x: PlanNode, y: PlanNode, isEqual: Boolean): PlanNode = OperatorNode(
      join("join", isOuter = false, isMarked = x.isMarked, isEqual = isEqual),
      Seq(x, y)
    )
    Seq(
      "a join of equal times with a clause without WITHIN" -> joinOf(awaiting, stream("r"), true),
      "a window over a join with a clause without WITHIN" ->
        over(joinOf(stream("r"), awaiting, isEqual = false), tumbling),
      "a clause over a join with a clause without WITHIN" ->
        over(joinOf(stream("r"), awaiting, isEqual = false), clause("A"))
    ).map { case (name, root) =>
      KnownPlacement(
        name,
        PlacementPlan(root, PlanSettings(), late),
        Some("MATCH_RECOGNIZE_UNSUPPORTED_IN_STREAM.MIXED_JOIN")
      )
    }
  }

  private val others =
    repeatedRows ++ missingValues ++ versions ++ watermarks ++ single ++ mixed ++ untimedJoins

  val all: Seq[KnownPlacement] = sharedExchanges ++ others

  /** Each plan with one of the two settings for exchanges, in turn. */
  val sample: Seq[KnownPlacement] =
    sharedExchanges.grouped(2).zipWithIndex.map { case (pair, i) => pair(i % 2) }.toSeq ++ others
}
