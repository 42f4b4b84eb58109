package io.matchrecognize.fuzz

/**
 * Random queries in pipe syntax.
 *
 * @param item
 *   makes an item of FROM or of a join, given the aliases that are taken
 * @param subquery
 *   makes FROM and WHERE of a subquery that reads some columns
 */
final class PlanPipes(
    choices: Choices,
    chances: PlanChances,
    item: Seq[String] => PlanRelation,
    subquery: Seq[PlanColumn] => String
) {
  import choices._

  private val shapes = new PlanShapes(choices)

  def query(): PlanRelation = {
    val input = item(Nil)
    val start = input.copy(text = s"FROM ${input.text}")
    (0 to below(4)).foldLeft(start)((before, _) => step(before))
  }

  private def step(before: PlanRelation): PlanRelation = {
    val scope = PlanScope(before.columns)
    def piped(text: String, columns: Seq[PlanColumn] = before.columns) =
      PlanRelation(s"${before.text} |> $text", columns, before.isLong)
    def bare(columns: Seq[PlanColumn]) = columns.map(_.copy(qualifier = None))
    val numbers = choices.shuffle(scope.plain.filter(_.isNumber)).map(_.name)
    below(11) match {
      case 0 =>
        piped(s"WHERE ${scope.number(choices).fold("TRUE")(condition(_, before.columns))}")
      case 1 if numbers.nonEmpty && !before.columns.exists(_.name == "y") =>
        piped(s"EXTEND ${numbers.head} + 1 AS y", bare(before.columns) :+ PlanColumn("y", true))
      case 2 if numbers.nonEmpty =>
        piped(s"SET ${numbers.head} = COALESCE(${numbers.last}, 0) + 1", bare(before.columns))
      case 3 if numbers.size > 1 =>
        piped(s"DROP ${numbers.head}", bare(before.columns.filterNot(_.name == numbers.head)))
      case 4 if scope.plain.size == before.columns.size =>
        val alias = pick("q", "k", "a")
        piped(s"AS $alias", before.qualified(alias))
      case 5 if scope.usable.nonEmpty =>
        val some = choices.shuffle(scope.usable).take(1 + below(3))
        piped(s"SELECT ${some.map(scope.refTo(choices, _)).mkString(", ")}", bare(some))
      case 6 =>
        val keys = choices.shuffle(scope.plain).take(below(3)).map(_.copy(qualifier = None))
        val by = if (keys.isEmpty) "" else keys.map(_.name).mkString(" GROUP BY ", ", ", "")
        val value = numbers.headOption.fold("COUNT(*)")(n => s"MAX($n)")
        piped(
          s"AGGREGATE COUNT(*) AS n0, $value AS n1$by",
          keys ++ Seq(PlanColumn("n0", true), PlanColumn("n1", true))
        )
      case 7 => join(before, scope)
      case 8 if numbers.size > 1 =>
        val other = item(Nil)
        val columns = Seq(PlanColumn("x", true), PlanColumn("y", true))
        val ys = PlanScope(other.columns).number(choices).getOrElse("1")
        piped(
          s"SELECT ${numbers.head} AS x, ${numbers(1)} AS y " +
            s"|> ${pick("UNION ALL", "UNION")} SELECT 1, $ys FROM ${other.text}",
          columns
        )
      case 9 => piped(s"ORDER BY ALL |> LIMIT ${3 + below(8)}").copy(isLong = false)
      case _ =>
        (if (oneIn(2)) shapes.unpivot(before) else shapes.pivot(before))
          .fold(before) { case (text, columns) => piped(text, columns) }
    }
  }

  private def condition(n: String, columns: Seq[PlanColumn]): String =
    chances.pick(s"$n IS NOT NULL", s"COALESCE($n, 1) > 0")(
      s"$n > 2",
      s"$n IN (1, 2)",
      s"EXISTS (SELECT 1 ${subquery(columns)})"
    )

  private def join(before: PlanRelation, scope: PlanScope): PlanRelation = {
    val right = item(before.columns.flatMap(_.qualifier))
    val both = PlanScope(before.columns ++ right.columns)
    val pairs = for {
      a <- before.columns.filter(c => c.isNumber && both.names(c).nonEmpty)
      b <- right.columns.filter(c => c.isNumber && both.names(c).nonEmpty)
    } yield (both.names(a).head, both.names(b).head)
    if (pairs.isEmpty || scope.columns.isEmpty) before
    else {
      val (a, b) = pick(pairs: _*)
      val kind = chances.pick("LEFT JOIN", "FULL JOIN")("JOIN", "JOIN")
      PlanRelation(
        s"${before.text} |> $kind ${right.text} ON $a = $b",
        both.columns,
        before.isLong || right.isLong
      )
    }
  }
}
