package io.matchrecognize.fuzz

/** PIVOT, UNPIVOT and LATERAL VIEW of relations whose columns they can name. */
final class PlanShapes(choices: Choices) {
  import choices._

  private def numbers(input: PlanRelation): Seq[PlanColumn] =
    choices.shuffle(PlanScope(input.columns).plain.filter(_.isNumber))

  /**
   * A column for each of two values of one of the numbers; the other columns are its groups. The
   * values have no aliases: in a correlated subquery over a CTE Spark forgets them.
   */
  def pivot(input: PlanRelation): Option[(String, Seq[PlanColumn])] = numbers(input) match {
    case Seq(over, of, _*) if !hasName(input, "`1`") =>
      val kept =
        input.columns.filterNot(c => (c eq over) || (c eq of)).map(_.copy(qualifier = None))
      val function = pick("MAX", "SUM", "COUNT")
      val text = s"PIVOT ($function(${of.name}) FOR ${over.name} IN (1, 2))"
      Some(text -> (kept ++ Seq(PlanColumn("`1`", true), PlanColumn("`2`", true))))
    case _ => None
  }

  /** A row for each of some numbers. */
  def unpivot(input: PlanRelation): Option[(String, Seq[PlanColumn])] = numbers(input) match {
    case some if some.size > 1 && !hasName(input, "val") =>
      val taken = some.take(1 + below(2))
      val kept =
        input.columns.filterNot(c => taken.exists(_ eq c)).map(_.copy(qualifier = None))
      val nulls = pick("", "", "INCLUDE NULLS ")
      val text = s"UNPIVOT $nulls(val FOR name IN (${taken.map(_.name).mkString(", ")}))"
      Some(text -> (kept ++ Seq(PlanColumn("name", false), PlanColumn("val", true))))
    case _ => None
  }

  private def hasName(input: PlanRelation, name: String): Boolean =
    input.columns.exists(_.name == name)

  /** The relation itself if it cannot be turned. */
  def turned(input: PlanRelation): PlanRelation =
    (if (oneIn(2)) unpivot(input) else pivot(input)).fold(input) { case (text, columns) =>
      PlanRelation(s"(SELECT * FROM ${input.text} $text)", columns, input.isLong)
    }

  /** To the end of FROM. */
  def lateralView(input: PlanRelation): PlanRelation =
    PlanScope(input.columns).number(choices) match {
      case Some(n) if !input.columns.exists(c => c.qualifier.contains("lv")) =>
        val outer = pick("", "OUTER ")
        val elements = pick(s"ARRAY($n, $n + 1)", s"SEQUENCE(1, COALESCE($n, 1) % 3 + 1)")
        PlanRelation(
          s"${input.text} LATERAL VIEW ${outer}EXPLODE($elements) lv AS e",
          input.columns :+ PlanColumn("e", true, Some("lv")),
          input.isLong
        )
      case _ => input
    }
}
