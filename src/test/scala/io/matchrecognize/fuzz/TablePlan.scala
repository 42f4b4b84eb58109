package io.matchrecognize.fuzz

/**
 * A random query over tables. In its texts a relation in brackets, `⟦t MATCH_RECOGNIZE (...)⟧`, is
 * one whose rows can be put into a table first.
 *
 * @param views
 *   temporary views with their texts, each reading earlier ones
 * @param ctes
 *   names of the WITH list with their texts
 * @param isSorted
 *   whether the order of the rows is part of the result
 * @param confs
 *   settings of Spark that decide which operators are planned
 */
final case class TablePlan(
    views: Seq[(String, String)],
    ctes: Seq[(String, String)],
    query: String,
    isSorted: Boolean,
    settings: FuzzSettings,
    confs: Seq[(String, String)]
) {
  import TablePlan._

  def clauses: Int = (views ++ ctes).map(_._2).appended(query).map(_.count(_ == Open)).sum

  /** With the text of `query` in place of the plan's. */
  def statement(ctes: Seq[(String, String)], query: String): String =
    if (ctes.isEmpty) query
    else ctes.map { case (n, text) => s"$n AS ($text)" }.mkString("WITH ", ",\n  ", s"\n$query")

  /** As statements, to run the plan by hand. */
  override def toString: String = {
    val created = views.map { case (n, text) => s"CREATE OR REPLACE TEMP VIEW $n AS $text;" }
    val set = FuzzSettings.statements(settings.confs ++ confs)
    ((set +: created) :+ statement(ctes, query)).map(plain).mkString("\n")
  }
}

object TablePlan {
  final val Open = '⟦'
  final val Close = '⟧'

  def marked(text: String): String = s"$Open$text$Close"

  def plain(text: String): String = text.filter(c => c != Open && c != Close)

  /** The text with each relation in brackets replaced, inner ones first. */
  @annotation.tailrec
  def replaced(text: String)(relation: String => String): String = {
    val end = text.indexOf(Close.toInt)
    if (end < 0) text
    else {
      val start = text.lastIndexOf(Open.toInt, end)
      val inner = relation(text.substring(start + 1, end))
      replaced(text.substring(0, start) + inner + text.substring(end + 1))(relation)
    }
  }
}
