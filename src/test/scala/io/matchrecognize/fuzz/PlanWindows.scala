package io.matchrecognize.fuzz

/** Random subqueries with a row pattern window and an ordinary one beside it. */
final class PlanWindows(choices: Choices) {
  import choices._

  def windowed(of: PlanRelation): PlanRelation = {
    val name = pick("w", "a", "k")
    val input = if (oneIn(3)) named(of, name) else of
    val scope = PlanScope(input.columns)
    val keys = choices.shuffle(scope.columns).take(pick(1, 1, 2, 0))
    val rest = scope.columns.filterNot(c => keys.exists(_ eq c))
    val order = if (rest.isEmpty) scope.columns else rest
    def list(columns: Seq[PlanColumn]) = columns.map(scope.refTo(choices, _)).mkString(", ")
    val number = scope.plain.filter(_.isNumber).map(_.name).headOption
    val frame = if (input.isLong) "3" else pick("UNBOUNDED", "3")
    val condition =
      number.fold("TRUE")(n => pick(s"$n > PREV($n)", s"$n >= 1", s"$n <> FIRST(A.$n)"))
    val pattern = pick("A B+", "A B", "(A | B) B*", "A? B")
    val spec =
      s"${if (keys.isEmpty) "" else s"PARTITION BY ${list(keys)} "}ORDER BY ${list(order)} " +
        s"MEASURES COUNT(*) AS m0, CLASSIFIER() AS m1 " +
        s"ROWS BETWEEN CURRENT ROW AND $frame FOLLOWING ${if (oneIn(3)) "SEEK " else ""}" +
        s"PATTERN ($pattern) DEFINE B AS $condition"
    val kept = scope.plain.take(3)
    val items = kept.map(shown(scope, _)) ++
      choices
        .shuffle(
          Seq(
            s"m0 OVER $name AS n" -> PlanColumn("n", true),
            s"m1 OVER $name AS m" -> PlanColumn("m", false),
            s"COUNT(*) OVER $name AS cnt" -> PlanColumn("cnt", true)
          )
        )
        .take(1 + below(3)) ++ ordinary(scope)
    val fresh = items.distinctBy(_._2.name)
    PlanRelation(
      TablePlan.marked(
        s"(SELECT ${fresh.map(_._1).mkString(", ")} FROM ${input.text} " +
          s"WINDOW $name AS ($spec))"
      ),
      fresh.map(_._2),
      input.isLong
    )
  }

  /** A column, or what is computed from it under its own name. */
  private def shown(scope: PlanScope, column: PlanColumn): (String, PlanColumn) = {
    val ref = scope.refTo(choices, column)
    val text = if (column.isNumber && oneIn(4)) s"$ref + 1 AS ${column.name}" else ref
    text -> PlanColumn(column.name, column.isNumber)
  }

  /** A subquery with an ordinary window of the same name. */
  private def named(input: PlanRelation, name: String): PlanRelation = {
    val scope = PlanScope(input.columns)
    (scope.ref(choices), scope.number(choices)) match {
      case (Some(key), Some(value)) if scope.plain.size == input.columns.size =>
        val item = "total" + (if (scope.columns.exists(_.name == "total")) "2" else "")
        val text = s"(SELECT *, SUM($value) OVER $name AS $item FROM ${input.text} " +
          s"WINDOW $name AS (PARTITION BY $key))"
        val columns = input.columns.map(_.copy(qualifier = None)) :+ PlanColumn(item, true)
        PlanRelation(TablePlan.marked(text), columns, input.isLong)
      case _ => input
    }
  }

  private def ordinary(scope: PlanScope): Seq[(String, PlanColumn)] =
    if (!oneIn(3)) Nil
    else
      for {
        key <- scope.ref(choices).toSeq
        value <- scope.number(choices).toSeq
      } yield s"MAX($value) OVER (PARTITION BY $key) AS most" -> PlanColumn("most", true)
}
