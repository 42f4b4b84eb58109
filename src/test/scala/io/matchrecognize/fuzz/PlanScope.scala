package io.matchrecognize.fuzz

/**
 * A column that a query can name.
 *
 * @param qualifier
 *   of the relation, if it has one
 */
final case class PlanColumn(name: String, isNumber: Boolean, qualifier: Option[String] = None)

/**
 * A relation of a random plan.
 *
 * @param text
 *   without alias, as MATCH_RECOGNIZE may follow it
 * @param isLong
 *   whether it has thousands of rows
 */
final case class PlanRelation(text: String, columns: Seq[PlanColumn], isLong: Boolean = false) {

  /** With an alias, which then qualifies all columns. */
  def as(alias: String): PlanRelation = copy(s"$text AS $alias", qualified(alias))

  def qualified(alias: String): Seq[PlanColumn] = columns.map(_.copy(qualifier = Some(alias)))
}

/** Names of columns, chosen among those that a query can use. */
final case class PlanScope(columns: Seq[PlanColumn]) {
  private def isUnique(name: String): Boolean = columns.count(_.name == name) == 1

  /** Those that need no qualifier. */
  def plain: Seq[PlanColumn] = columns.filter(c => isUnique(c.name))

  /** Names of a column, with its qualifier or without. */
  def names(column: PlanColumn): Seq[String] = {
    val bare = if (isUnique(column.name)) Seq(column.name) else Nil
    val full = column.qualifier.filter { q =>
      columns.count(c => c.name == column.name && c.qualifier.contains(q)) == 1
    }
    bare ++ full.map(q => s"$q.${column.name}")
  }

  /** The columns that have a name at all. */
  def usable: Seq[PlanColumn] = columns.filter(names(_).nonEmpty)

  def ref(choices: Choices): Option[String] =
    Option.when(usable.nonEmpty)(refTo(choices, choices.pick(usable: _*)))

  def number(choices: Choices): Option[String] = {
    val some = usable.filter(_.isNumber)
    Option.when(some.nonEmpty)(refTo(choices, choices.pick(some: _*)))
  }

  def refTo(choices: Choices, column: PlanColumn): String = choices.pick(names(column): _*)
}
