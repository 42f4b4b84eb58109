package io.matchrecognize.streaming

/**
 * Plans without any clause for which Spark itself returns wrong rows. The generator makes no plan
 * of these shapes; each is tested, so that a fix in Spark is noticed.
 */
object SparkFaults {
  import PlanOperators._

  private def row(k: String, second: Int): PlacedRow = PlacedRow(k, Event.at(second.toDouble), 1)

  private val equalWindows: PlanNode = {
    def counted = OperatorNode(tumbling, Seq(stream("s")))
    // Other nodes, so that they are not one view.
    OperatorNode(union("union"), Seq(counted, OperatorNode(projection, Seq(counted))))
  }

  private def withOldRow(root: PlanNode, others: Seq[PlacedRow] = Nil): PlacementPlan = {
    val first = Seq(row("b", 40)) ++ others
    PlacementPlan(
      root,
      PlanSettings(),
      Seq(
        PlanArrivals(first, first),
        PlanArrivals(Seq(row("b", 41)), Seq(row("b", 41))),
        // No row is late here: this stream has no watermark.
        PlanArrivals(Seq(row("a", 2)), Nil)
      )
    )
  }

  val all: Seq[(String, PlacementPlan)] = Seq(
    "two equal windows over one stream, exchanges are reused" -> PlacementPlan(
      equalWindows,
      PlanSettings(),
      Seq(PlanArrivals(Seq(row("a", 1), row("b", 2), row("a", 7)), Nil))
    ),
    "a join of equal times, one without a watermark" -> withOldRow(
      OperatorNode(
        join("join", isOuter = false, isMarked = false, isEqual = true),
        Seq(withoutWatermark("s"), stream("r"))
      ),
      Seq(row("a", 2))
    ),
    "a window over a join of a stream with a watermark and one without" -> withOldRow(
      OperatorNode(
        tumbling,
        Seq(
          OperatorNode(
            join("join", isOuter = false, isMarked = true),
            Seq(stream("r"), withoutWatermark("s"))
          )
        )
      ),
      Seq(row("a", 2))
    ),
    "an outer join whose left input has no watermark" -> withOldRow(
      OperatorNode(
        join("left join", isOuter = true, isMarked = false),
        Seq(withoutWatermark("s"), stream("r"))
      )
    ),
    "a window over a union of streams with a watermark and without" -> withOldRow(
      OperatorNode(
        tumbling,
        Seq(OperatorNode(union("union"), Seq(stream("r"), withoutWatermark("s"))))
      )
    )
  )
}
