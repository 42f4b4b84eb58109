package io.matchrecognize.streaming

/**
 * Why a placement plan may be refused. A plan with none of these reasons has to run; otherwise
 * refusing every plan would pass.
 */
object PlacementRefusals {
  private val outerJoins =
    Set(
      "left stream join",
      "clause left-joins stream",
      "stream left-joins clause",
      "left join of clauses"
    )
  private val groupStates = Set("flatMapGroupsWithState", "transformWithState")

  def reasons(plan: PlacementPlan): Seq[String] = {
    val mode = plan.settings.mode
    val nodes = plan.root.all.collect { case node: OperatorNode => node }
    val stateful = plan.root.all.count(isStateful)
    def has(node: OperatorNode, kinds: Set[String]): Boolean = kinds(node.operator.kind)
    def isUnmarked(node: PlanNode): Boolean = node match {
      case source: SourceNode => !source.isMarked && !plan.settings.defaultWatermark
      case other => !other.isMarked
    }
    val kinds = Seq[(String, OperatorNode => Boolean)](
      "a clause over a time without watermark" -> (n => n.isClause && n.inputs.exists(isUnmarked)),
      "a second watermark" -> (_.operator.kind.startsWith("withWatermark")),
      "an aggregate that never ends, in append mode" ->
        (n =>
          n.operator.isAggregate && mode == "append" &&
            (n.operator.kind == Kinds.Aggregate || n.inputs.exists(isUnmarked))
        ),
      // Spark makes an aggregate of it.
      "DISTINCT over a time without watermark, in append mode" ->
        (n => has(n, Set("distinct")) && mode == "append" && n.inputs.exists(isUnmarked)),
      "an outer join without a watermark, or not in append mode" ->
        (n => has(n, outerJoins) && (mode != "append" || n.inputs.exists(isUnmarked))),
      "a join with a clause without watermark" ->
        (n =>
          n.inputs.size == 2 && n.operator.isStateful &&
            n.inputs.exists(input => input.hasClause && !input.isMarked)
        ),
      "a union of times with a watermark and without" ->
        (n => n.inputs.size > 1 && n.inputs.map(_.isMarked).distinct.size == 2),
      "deduplication within no watermark" ->
        (n => has(n, Set("dropDuplicatesWithinWatermark")) && n.inputs.exists(isUnmarked)),
      "a session window in update mode" -> (n => has(n, Set(Kinds.Session)) && mode == "update"),
      "operators with the mode of the query, in append mode of their own" ->
        (n => has(n, groupStates) && mode != "append"),
      "versions of rows below a stateful operator" ->
        (n => mode != "append" && isStateful(n) && n.inputs.exists(_.all.exists(isStateful)))
    )
    kinds.collect { case (reason, holds) if nodes.exists(holds) => reason } ++
      Option.when(mode == "complete" && !nodes.exists(_.operator.isAggregate))(
        "complete mode without an aggregate"
      ) ++
      Option.when(mode != "append" && plan.limit.nonEmpty)("a limit in update mode") ++
      Option.when(!plan.settings.allowsMultiple && stateful > 1)("one stateful operator only") ++
      Option.when(mode != "append" && plan.root.all.exists(isStatefulSource))(
        "versions of rows below a watermark"
      )
  }

  private def isStatefulSource(node: PlanNode): Boolean = node match {
    case source: SourceNode => source.isStateful
    case _ => false
  }

  private def isStateful(node: PlanNode): Boolean = node match {
    case source: SourceNode => source.isStateful
    case OperatorNode(operator, _) => operator.isStateful || operator.isClause
  }
}
